// The bodies of an OBJ file, one by one.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "temp_folder.h"

namespace abut {
namespace {

using test::error_of;
using test::TempFolder;

std::vector<std::string> part_names(const std::vector<MeshPart>& parts) {
  std::vector<std::string> names;
  for (const MeshPart& part : parts) names.push_back(part.name);
  return names;
}

TEST(MeshParts, AreTheBodiesOfAnObjFileInItsOrder) {
  const TempFolder folder;
  const auto file = folder.write("parts.obj",
                                 "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                 "o second\nf 1 2 3\n"
                                 "o first\nv 5 0 0\nf 1 2 4 3\nf 1 2 5\n"
                                 "o nothing\n");
  const std::vector<MeshPart> parts = read_mesh_parts(file);
  ASSERT_EQ(part_names(parts), (std::vector<std::string>{"second", "first"}));
  EXPECT_EQ(parts[0].mesh.vertices.size(), 3u);
  EXPECT_EQ(parts[0].mesh.triangles.size(), 1u);
  EXPECT_EQ(parts[1].mesh.vertices.size(), 5u);
  EXPECT_EQ(parts[1].mesh.triangles.size(), 3u);
  EXPECT_EQ(parts[1].mesh.vertices.back(), Eigen::Vector3d(5.0, 0.0, 0.0));
}

TEST(MeshParts, AFileWithoutNamesIsOnePart) {
  const TempFolder folder;
  const auto file = folder.write("one.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  ASSERT_EQ(read_mesh_parts(file).size(), 1u);
  EXPECT_EQ(read_mesh_parts(file)[0].mesh.vertices.size(), 3u);
}

TEST(MeshParts, MayHaveOneNameOrSeveralMaterialsOrGroups) {
  const TempFolder folder;
  const std::string vertices = "mtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const auto names_and_faces = [&](const std::string& content) {
    std::vector<std::pair<std::string, std::size_t>> result;
    for (const MeshPart& part : read_mesh_parts(folder.write("parts.obj", vertices + content))) {
      result.emplace_back(part.name, part.mesh.triangles.size());
    }
    return result;
  };
  using Expected = std::vector<std::pair<std::string, std::size_t>>;
  EXPECT_EQ(names_and_faces("o a\nf 1 2 3\no b\nf 1 2 4\no a\nf 2 3 4\nf 1 2 3\n"),
            (Expected{{"a", 1}, {"b", 1}, {"a", 2}}));
  EXPECT_EQ(names_and_faces("o a\nusemtl x\nf 1 2 3\nusemtl y\nf 2 3 4\n  o  b c \r\nf 1 2 3\r\n"),
            (Expected{{"a", 2}, {"b c", 1}}));
  EXPECT_EQ(names_and_faces("o a\ng left\nf 1 2 3\ng right\nf 2 3 4\n"), (Expected{{"a", 2}}));
  EXPECT_EQ(names_and_faces("g left\nf 1 2 3\ng right\nf 2 3 4\n"), (Expected{{"left", 1}, {"right", 1}}));
  EXPECT_EQ(names_and_faces("f 1 2 3\no later\nf 2 3 4\n"), (Expected{{"", 1}, {"later", 1}}));
}

TEST(MeshParts, TogetherAreTheWholeMesh) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::string x = std::to_string(i);
    text += "o part" + x + "\nv " + x + " 0 0\nv " + x + " 1 0\nv " + x + " 0 1\nf -3 -2 -1\n";
  }
  const auto file = folder.write("many.obj", text);
  const std::vector<MeshPart> parts = read_mesh_parts(file);
  const MeshFile whole = read_mesh_file(file, MeshContent::triangles);
  ASSERT_EQ(parts.size(), 20u);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].name, "part" + std::to_string(i));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(parts[i].mesh.vertices[k], whole.vertices[3 * i + k]);
  }
}

TEST(MeshParts, SaysWhatIsWrongWithAFile) {
  const TempFolder folder;
  const auto parts_error = [](const std::filesystem::path& file) {
    return error_of<FileError>([&] { return read_mesh_parts(file); });
  };
  const auto stl = folder.write("a.stl", "solid a\nendsolid a\n");
  EXPECT_EQ(parts_error(stl), stl.string() + ": is not a file of mesh parts: its name must end in .obj");
  const auto none = folder.path() / "none.obj";
  EXPECT_EQ(parts_error(none), none.string() + ": does not exist");
  const auto points = folder.write("points.obj", "o a\nv 0 0 0\nv 1 0 0\n");
  EXPECT_EQ(parts_error(points), points.string() + ": holds no faces");
  const auto wrong = folder.write("wrong.obj", "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  EXPECT_EQ(parts_error(wrong).rfind(wrong.string() + ": ", 0), 0u) << parts_error(wrong);
}

}  // namespace
}  // namespace abut

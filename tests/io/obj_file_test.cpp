// OBJ files as their format and as programs write them, and lines that do not keep to it.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "temp_folder.h"

namespace abut {
namespace {

using Eigen::Vector3d;
using test::error_of;
using test::TempFolder;
using Corners = std::array<std::uint32_t, 3>;

MeshFile mesh_of(const TempFolder& folder, const std::string& text) {
  return read_mesh_file(folder.write("mesh.obj", text), MeshContent::vertices);
}

// Of both readers, without the file's name.
std::string error_in(const TempFolder& folder, const std::string& text) {
  const auto file = folder.write("mesh.obj", text);
  const std::string error = error_of<FileError>([&] { return read_mesh_file(file, MeshContent::vertices); });
  EXPECT_EQ(error_of<FileError>([&] { return read_mesh_parts(file); }), error);
  const std::string place = file.string() + ": ";
  EXPECT_EQ(error.rfind(place, 0), 0u) << error;
  return error.substr(std::min(place.size(), error.size()));
}

TEST(ObjFile, ReadsEveryFormOfANumber) {
  const TempFolder folder;
  const std::pair<const char*, Vector3d> lines[] = {
      {"v 7 7 .7", {7.0, 7.0, 0.7}},
      {"v -.5 +.5 +2", {-0.5, 0.5, 2.0}},
      {"v 1e-3 2.E+2 -3e2", {1e-3, 200.0, -300.0}},
      {"  v\t1  2 \t3  ", {1.0, 2.0, 3.0}},
      {"v 1 2 3#4 5", {1.0, 2.0, 3.0}},
      {"v 1e60 0 1e-310", {1e60, 0.0, 1e-310}},
  };
  for (const auto& [line, vertex] : lines) {
    SCOPED_TRACE(line);
    const MeshFile mesh = mesh_of(folder, std::string("v 9 9 9\n") + line + "\nv 8 8 8\nf 3 2 1\n");
    ASSERT_EQ(mesh.vertices.size(), 3u);
    EXPECT_EQ(mesh.vertices[1], vertex);
    EXPECT_EQ(mesh.vertices[2], Vector3d(8.0, 8.0, 8.0));
    EXPECT_EQ(mesh.triangles, (std::vector<Corners>{{2, 1, 0}}));
  }
}

TEST(ObjFile, KeepsDoublePrecision) {
  const TempFolder folder;
  const MeshFile mesh = mesh_of(folder, "v 0.1 1.0000000000000002 1e-300\nv 0.1 1 1e-300\nf 1 2 2\n");
  ASSERT_EQ(mesh.vertices.size(), 2u);
  EXPECT_EQ(mesh.vertices[0], Vector3d(0.1, 1.0000000000000002, 1e-300));
  EXPECT_EQ(mesh.vertices[1], Vector3d(0.1, 1.0, 1e-300));
}

TEST(ObjFile, AVertexMayHaveAWeightOrAColour) {
  const TempFolder folder;
  for (const char* rest : {"", " 1", " 0.5", " 1 0 0", " 1 0 0 0.5"}) {
    SCOPED_TRACE(rest);
    const MeshFile mesh = mesh_of(folder, std::string("v 9 9 9\nv 1 2 3") + rest + "\nv 8 8 8\n");
    ASSERT_EQ(mesh.vertices.size(), 3u);
    EXPECT_EQ(mesh.vertices[1], Vector3d(1.0, 2.0, 3.0));
  }
}

TEST(ObjFile, AVertexOfAnotherFormIsAnErrorWithItsLine) {
  const TempFolder folder;
  const std::string rule =
      "line 3: a vertex must be 3 finite numbers, or 4 with a weight, or 6 or 7 with a colour, got ";
  for (const char* line :
       {"v", "v 7", "v 7 7", "v 7 7 7 1 0", "v 1 2 3 4 5 6 7 8", "v 7 7 q7", "v 7 7 7q", "v 7,5 7 7", "v 7 7 +-7",
        "v 7 7 +", "v 7 7 0x7", "v nan 7 7", "v 7 inf 7", "v 7 7 1e400", "v 7 7 7 red"}) {
    SCOPED_TRACE(line);
    EXPECT_EQ(error_in(folder, std::string("# a mesh\nv 0 0 0\n ") + line + " \nv 1 1 1\nf 1 2 3\n"),
              rule + "\"" + line + "\"");
  }
  EXPECT_EQ(error_in(folder, "v 0 0 0\r\n\r\nv \x01\xff 0 0"), rule + "\"v ?? 0 0\"");
  EXPECT_EQ(error_in(folder, "\n\nv " + std::string(1000, 'x')), rule + "\"v " + std::string(78, 'x') + "\"");
}

TEST(ObjFile, ReadsEveryFormOfACorner) {
  const TempFolder folder;
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n";
  for (const char* face : {"f 1 2 3", "f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f -3 -2 -1",
                           "f -3/-1/-1 +2/1/1 3", "\tf  1/ 2//  3/1/ # a face"}) {
    SCOPED_TRACE(face);
    EXPECT_EQ(mesh_of(folder, vertices + face + "\n").triangles, (std::vector<Corners>{{0, 1, 2}}));
  }
  EXPECT_EQ(mesh_of(folder, "f 1 2 3\n" + vertices).triangles, (std::vector<Corners>{{0, 1, 2}}));
}

TEST(ObjFile, AFaceOfAnotherFormIsAnErrorWithItsLine) {
  const TempFolder folder;
  const std::string vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  for (const char* face : {"f 1 2 x", "f 1 2 3.0", "f 1 2 /3", "f 1 2 3/x", "f 1 2 3/1/1/1", "f 1,2,3", "f 1 2 3\\ 1",
                           "f 1 2 99999999999999999999"}) {
    SCOPED_TRACE(face);
    EXPECT_EQ(error_in(folder, vertices + face + "\n"),
              std::string("line 4: the corners of a face must be v, v/vt, v//vn or v/vt/vn, got \"") + face + "\"");
  }
  for (const char* face : {"f", "f # 1 2 3", "f 3", "f 1/1 2/1", "f 1 2 # 3"}) {
    SCOPED_TRACE(face);
    EXPECT_EQ(error_in(folder, vertices + "f 1 2 3\n" + face + "\n"),
              std::string("line 5: a face must have 3 corners or more, got \"") + face + "\"");
  }
}

TEST(ObjFile, AFileThatIsCutInAFaceIsAnError) {
  const TempFolder folder;
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 4";
  EXPECT_EQ(mesh_of(folder, text).triangles.size(), 2u);
  for (std::size_t missing = 1; missing <= 6; ++missing) {
    EXPECT_EQ(error_in(folder, text.substr(0, text.size() - missing)).substr(0, 39),
              "line 6: a face must have 3 corners or m")
        << missing;
  }
}

TEST(ObjFile, ACornerOutOfRangeIsAnErrorWithItsLine) {
  const TempFolder folder;
  const auto error = [&](const std::string& corner) {
    return error_in(folder, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 " + corner + "\nv 1 1 1\n");
  };
  EXPECT_EQ(error("5"), "line 5: a face refers to vertex 5, but there are 4");
  EXPECT_EQ(error("0"), "line 5: a face refers to vertex 0, but there are 3");
  EXPECT_EQ(error("-4"), "line 5: a face refers to vertex -4, but there are 3 before it");
  EXPECT_EQ(error("-9223372036854775808").rfind("line 5: ", 0), 0u);
  EXPECT_EQ(error("4294967297").rfind("line 5: ", 0), 0u);
}

TEST(ObjFile, LinesMayEndInEveryWayAndBeContinued) {
  const TempFolder folder;
  const std::vector<std::string> lines = {"\xEF\xBB\xBFv 0 0 0",
                                          "# from C:\\meshes\\",
                                          "v 1 0 \\",
                                          " 0",
                                          "v 0 1 0 # as in C:\\",
                                          "v 5 5 5",
                                          "f 1 \\",
                                          "2\\",
                                          " 3"};
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const std::string& line : lines) text += line + end;
    for (const std::string& last : {std::string(), std::string("f 1 2 4"), "f 1 2 4" + end, std::string("f 1 2 4\\")}) {
      const MeshFile mesh = mesh_of(folder, text + last);
      ASSERT_EQ(mesh.vertices.size(), 4u);
      EXPECT_EQ(mesh.vertices[1], Vector3d(1.0, 0.0, 0.0));
      ASSERT_EQ(mesh.triangles.size(), last.empty() ? 1u : 2u);
      EXPECT_EQ(mesh.triangles[0], (Corners{0, 1, 2}));
    }
    // A continued line is called by its first.
    EXPECT_EQ(error_in(folder, text + "\\" + end + "f 1 2 9" + end + "f 1 2 3").substr(0, 8), "line 10:");
  }
}

TEST(ObjFile, PassesOverWhatIsNoSurface) {
  const TempFolder folder;
  const MeshFile mesh = mesh_of(folder,
                                "mtllib none.mtl\nv 0 0 0\nvt .5 .5\nv 1 0 0\nvn 0 0 1\nvp 0.1 0.2\nv 0 1 0\ns off\n"
                                "usemtl red\np 1\nl 1 2\ncstype bezier\ncurv 0 1 1 2 3\nparm u 0 1\nend\nf 1 2 3\n");
  EXPECT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.triangles, (std::vector<Corners>{{0, 1, 2}}));
}

TEST(ObjFile, VerticesThatNoFaceUsesAreInTheMeshButInNoPart) {
  const TempFolder folder;
  const std::string text = "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 4 3 2\nv 6 6 6\n";
  const MeshFile mesh = mesh_of(folder, text);
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices.front(), Vector3d(5.0, 5.0, 5.0));
  EXPECT_EQ(mesh.vertices.back(), Vector3d(6.0, 6.0, 6.0));
  EXPECT_EQ(mesh.triangles, (std::vector<Corners>{{3, 2, 1}}));
  const std::vector<MeshPart> parts = read_mesh_parts(folder.path() / "mesh.obj");
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].mesh.vertices.size(), 3u);
}

}  // namespace
}  // namespace abut

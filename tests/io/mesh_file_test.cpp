// Mesh files of every form, whole and broken.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>

#include "append_bytes.h"
#include "temp_folder.h"

namespace abut {
namespace {

using test::append_bytes;
using test::error_of;
using test::TempFolder;

// A tetrahedron: four corners, four faces.
constexpr double kCorners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
constexpr std::uint32_t kFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

std::string obj() {
  std::string text = "# a tetrahedron\no tetra\n";
  for (const auto& p : kCorners) {
    text += "v " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  }
  for (const auto& f : kFaces) {
    text += "f " + std::to_string(f[0] + 1) + " " + std::to_string(f[1] + 1) + " " + std::to_string(f[2] + 1) + "\n";
  }
  return text;
}

std::string ascii_stl() {
  std::string text = "solid tetra\n";
  for (const auto& f : kFaces) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const std::uint32_t i : f) {
      const auto& p = kCorners[i];
      text += "vertex " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid tetra\n";
}

std::string binary_stl() {
  std::string text(80, ' ');
  append_bytes(text, std::uint32_t{4});
  for (const auto& f : kFaces) {
    for (int i = 0; i < 3; ++i) append_bytes(text, 0.0f);
    for (const std::uint32_t i : f) {
      for (const double x : kCorners[i]) append_bytes(text, static_cast<float>(x));
    }
    append_bytes(text, std::uint16_t{0});
  }
  return text;
}

std::string ply_header(const std::string& form, int vertices, int faces) {
  return "ply\nformat " + form + " 1.0\nelement vertex " + std::to_string(vertices) +
         "\nproperty float x\nproperty float y\nproperty float z\nelement face " + std::to_string(faces) +
         "\nproperty list uchar int vertex_indices\nend_header\n";
}

std::string ascii_ply() {
  std::string text = ply_header("ascii", 4, 4);
  for (const auto& p : kCorners) {
    text += std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) + "\n";
  }
  for (const auto& f : kFaces) {
    text += "3 " + std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) + "\n";
  }
  return text;
}

std::string binary_ply() {
  std::string text = ply_header("binary_little_endian", 4, 4);
  for (const auto& p : kCorners) {
    for (const double x : p) append_bytes(text, static_cast<float>(x));
  }
  for (const auto& f : kFaces) {
    append_bytes(text, std::uint8_t{3});
    for (const std::uint32_t i : f) append_bytes(text, i);
  }
  return text;
}

std::string with_first(std::string text, const std::string& word, const std::string& by) {
  return text.replace(text.find(word), word.size(), by);
}

std::string read_error(const std::filesystem::path& file, MeshContent content = MeshContent::triangles) {
  return error_of<FileError>([&] { return read_mesh_file(file, content); });
}

// The faces as sets of corner coordinates, each starting at its smallest corner: orientation matters, numbering does
// not.
std::set<std::array<std::array<double, 3>, 3>> faces_of(const MeshFile& mesh) {
  std::set<std::array<std::array<double, 3>, 3>> faces;
  for (const auto& triangle : mesh.triangles) {
    std::array<std::array<double, 3>, 3> face;
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::Vector3d& p = mesh.vertices[triangle[k]];
      face[k] = {p.x(), p.y(), p.z()};
    }
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    faces.insert(face);
  }
  return faces;
}

TEST(MeshFile, EveryFormGivesTheSameTriangles) {
  const TempFolder folder;
  const MeshFile expected = read_mesh_file(folder.write("tetra.obj", obj()), MeshContent::triangles);
  ASSERT_EQ(expected.vertices.size(), 4u);
  ASSERT_EQ(expected.triangles.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 3; ++k) ASSERT_LT(expected.triangles[i][k], 4u);
  }
  const std::pair<const char*, std::string> files[] = {
      {"ascii.stl", ascii_stl()},
      {"binary.stl", binary_stl()},
      {"ascii.ply", ascii_ply()},
      {"binary.ply", binary_ply()},
      {"marked.ply", "\xEF\xBB\xBF" + ascii_ply()},
      {"UPPER.OBJ", obj()},
  };
  for (const auto& [name, content] : files) {
    SCOPED_TRACE(name);
    const MeshFile mesh = read_mesh_file(folder.write(name, content), MeshContent::triangles);
    EXPECT_EQ(mesh.vertices.size(), 4u);
    EXPECT_EQ(mesh.triangles.size(), 4u);
    EXPECT_EQ(faces_of(mesh), faces_of(expected));
  }
}

TEST(MeshFile, SplitsPolygonsAndJoinsEqualVerticesOfAllParts) {
  const TempFolder folder;
  const auto file = folder.write("two.obj",
                                 "o one\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
                                 "o two\nv 1 0 0\nv 1 1 0\nv 2 0 -0\nf 5 7 6\n");
  const MeshFile mesh = read_mesh_file(file, MeshContent::triangles);
  EXPECT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.triangles.size(), 3u);
  double area = 0.0;
  for (const auto& t : mesh.triangles) {
    area += 0.5 * (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  }
  EXPECT_NEAR(area, 1.5, 1e-6);
}

TEST(MeshFile, ReadsPlyOfAllNumberTypesAndSkipsWhatItDoesNotNeed) {
  const TempFolder folder;
  std::string text =
      "ply\r\nformat binary_big_endian 1.0\ncomment a triangle\nobj_info none\nelement camera 1\nproperty list uchar "
      "char "
      "k\nelement vertex 3\nproperty uchar red\nproperty double z\nproperty int16 x\nproperty float y\nelement face 1\n"
      "property ushort flags\nproperty list uint8 ushort vertex_index\nend_header\n";
  const auto big_endian = [&text](auto value) {
    auto bytes = std::bit_cast<std::array<char, sizeof(value)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    text.append(bytes.data(), bytes.size());
  };
  text += "\x02\x01\x02";
  for (const auto& [x, y, z] :
       {std::tuple<std::int16_t, float, double>{-300, 0.5f, 0.1}, {0, 2.0f, 1e-9}, {7, 0.0f, 3.0}}) {
    text += '\xff';
    big_endian(z);
    big_endian(x);
    big_endian(y);
  }
  big_endian(std::uint16_t{9});
  text += '\x03';
  for (const std::uint16_t i : {std::uint16_t{2}, std::uint16_t{0}, std::uint16_t{1}}) big_endian(i);
  const MeshFile mesh = read_mesh_file(folder.write("all.ply", text), MeshContent::triangles);
  ASSERT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.vertices[0], Eigen::Vector3d(-300.0, 0.5, 0.1));  // double precision is kept
  EXPECT_EQ(mesh.vertices[1], Eigen::Vector3d(0.0, 2.0, 1e-9));
  ASSERT_EQ(mesh.triangles.size(), 1u);
  EXPECT_EQ(mesh.triangles[0], (std::array<std::uint32_t, 3>{2, 0, 1}));
}

TEST(MeshFile, APlyCountThatIsNoNumberIsAnErrorWithItsLine) {
  const TempFolder folder;
  for (const std::string count : {"99999999999999999999999", "18446744073709551616", "-1", "4.0", "four"}) {
    const auto file =
        folder.write("count.ply",
                     "ply\nformat ascii 1.0\n\nelement vertex 1\nproperty float x\nproperty float y\n"
                     "property float z\nelement face " +
                         count + "\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 0\n");
    EXPECT_EQ(read_error(file, MeshContent::vertices), file.string() + ": is not a usable mesh: unreadable count \"" +
                                                           count +
                                                           "\" of the element \"face\" in line 8 of the header");
  }
}

// A part of the surface would be missed by nobody; points are read all the same.
TEST(MeshFile, APlyFileWithStripsOfTrianglesIsNoSurface) {
  const TempFolder folder;
  for (const std::string count : {"0", "1"}) {
    std::string text = ply_header("ascii", 4, 1);
    const std::string strips = "element tristrips " + count + "\nproperty list int int vertex_indices\n";
    text.insert(text.find("end_header"), strips);
    text += "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n";
    if (count == "1") text += "3 1 2 3\n";
    const auto file = folder.write("strips.ply", text);
    EXPECT_EQ(read_mesh_file(file, MeshContent::vertices).vertices.size(), 4u);
    if (count == "0") {
      EXPECT_EQ(read_mesh_file(file, MeshContent::triangles).triangles.size(), 1u);
    } else {
      EXPECT_EQ(
          read_error(file),
          file.string() + ": holds strips of triangles (the element \"tristrips\"), which are not read: write faces");
    }
  }
}

TEST(MeshFile, PlyVerticesMustHaveAllCoordinates) {
  const TempFolder folder;
  for (const std::string missing : {"x", "y", "z"}) {
    std::string text = "ply\nformat ascii 1.0\nelement vertex 2\n";
    for (const std::string name : {"x", "y", "z"}) {
      text += "property float " + (name == missing ? "other_" + name : name) + "\n";
    }
    // A list of the name is no coordinate.
    const std::string list = "property list uchar float " + missing + "\n";
    const auto file = folder.write("flat.ply", text + list + "end_header\n1 2 3 0\n4 5 6 0\n");
    EXPECT_EQ(read_error(file, MeshContent::vertices),
              file.string() +
                  ": is not a usable mesh: the element \"vertex\" in line 3 of the header has no property \"" +
                  missing + "\"");
  }
}

TEST(MeshFile, EveryCutOfAFileIsAnErrorOrALesserMesh) {
  const TempFolder folder;
  for (const std::string& whole : {ascii_ply(), binary_ply()}) {
    for (std::size_t length = 1; length + 1 < whole.size(); ++length) {
      const auto file = folder.write("cut.ply", whole.substr(0, length));
      ASSERT_NE(read_error(file), "no error") << length << " of " << whole.size();
    }
  }
}

TEST(MeshFile, APlyFileMustEndWithWhatItsHeaderAnnounces) {
  const TempFolder folder;
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("more.ply", text);
    const std::string prefix = file.string() + ": is not a usable mesh: ";
    const std::string message = read_error(file);
    return message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message;
  };
  EXPECT_EQ(error(ascii_ply() + "3 0 1 2\n"), "line 18 follows the elements that the header announces");
  EXPECT_EQ(error(ascii_ply() + "\n\nmore"), "line 20 follows the elements that the header announces");
  EXPECT_EQ(error(binary_ply() + "more"), "4 bytes follow the elements that the header announces");
  EXPECT_EQ(error(ply_header("ascii", 4, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 0\n3 0 1 2 3\n"),
            "line 14 holds more than the header announces for it");
  // A word too many in one line and one too few in the next.
  EXPECT_EQ(error(ply_header("ascii", 3, 1) + "0 0 0 5\n1 0\n0 1 0\n3 0 1 2\n"),
            "line 10 holds more than the header announces for it");
  for (const std::string space : {"", "\n", "\r\n", " \n\n"}) {
    EXPECT_EQ(error(ascii_ply() + space), "no error");
    EXPECT_EQ(error(binary_ply() + space), "no error");
  }
}

TEST(MeshFile, WhatIsWrongInAPlyFileIsNamedWithItsLineOrElementAndItsValue) {
  const TempFolder folder;
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("wrong.ply", text);
    const std::string prefix = file.string() + ": is not a usable mesh: ";
    const std::string message = read_error(file);
    return message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message;
  };
  const std::string start = ply_header("ascii", 3, 2) + "0 0 0\n1 0 0\n";  // 11 lines
  const std::string good = "0 1 0\n3 0 1 2\n";
  EXPECT_EQ(error(start + "0 1 0x\n"), "line 12: a number in the range of double is expected, got \"0x\"");
  EXPECT_EQ(error(start + "0 1e999 0\n"), "line 12: a number in the range of double is expected, got \"1e999\"");
  const std::string range = " must be an integer from 0 to 4294967295, got ";
  EXPECT_EQ(error(start + good + "3 0 1 -1\n"), "line 14: a vertex index" + range + "-1");
  EXPECT_EQ(error(start + good + "3 0 1 1.5"), "line 14: a vertex index" + range + "1.5");
  EXPECT_EQ(error(start + good + "4294967296 0 1 2\n"), "line 14: the length of a list" + range + "4294967296");
  EXPECT_EQ(error(start + good + "-3 0 1 2\n"), "line 14: the length of a list" + range + "-3");
  EXPECT_EQ(error(start + good + "3 0 1 3\n"), "line 14: a face refers to vertex 3, but there are 3");
  EXPECT_EQ(error(start + "0 1 0\n3 0 1 +2\n3 2 1 0\n"), "no error");

  std::string binary = with_first(ply_header("binary_little_endian", 3, 2), "uchar int", "char int");
  for (int i = 0; i < 9; ++i) append_bytes(binary, static_cast<float>(i));
  const auto append_face = [](std::string text, std::int8_t count, std::int32_t last) {
    append_bytes(text, static_cast<std::uint8_t>(count));
    for (const std::int32_t corner : {0, 1, last}) append_bytes(text, static_cast<std::uint32_t>(corner));
    return text;
  };
  binary = append_face(binary, 3, 2);
  const std::string place = "element 1 of \"face\", counted from 0: ";
  EXPECT_EQ(error(append_face(binary, 3, -7)), place + "a vertex index" + range + "-7");
  EXPECT_EQ(error(append_face(binary, -3, 2)), place + "the length of a list" + range + "-3");
  EXPECT_EQ(error(append_face(binary, 3, 9)), place + "a face refers to vertex 9, but there are 3");
}

TEST(MeshFile, APlyHeaderIsReadByTheWord) {
  const TempFolder folder;
  const auto error = [&](const std::string& word, const std::string& by) {
    const auto file = folder.write("header.ply", with_first(ascii_ply(), word, by));
    const std::string prefix = file.string() + ": is not a usable mesh: ";
    const std::string message = read_error(file);
    return message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message;
  };
  const std::string x = "property float x\n";
  const std::string list = "property list uchar int vertex_indices\n";
  EXPECT_EQ(error("ascii 1.0", "ascii 2.0"), "unknown version \"2.0\" of the format in line 2 of the header");
  EXPECT_EQ(error("ascii 1.0", "ascii"), "\"format\" is not understood in line 2 of the header");
  EXPECT_EQ(error("ascii 1.0", "ascii 1.0 2.0"), "\"format\" is not understood in line 2 of the header");
  EXPECT_EQ(error("ascii 1.0", "ebcdic 1.0"), "unknown form \"ebcdic\" in line 2 of the header");
  EXPECT_EQ(error("element", "format ascii 1.0\nelement"), "a second format in line 3 of the header");
  EXPECT_EQ(error("float x", "quad x"), "unknown number type \"quad\" in line 4 of the header");
  EXPECT_EQ(error(x, x + x), "a second property \"x\" of the element \"vertex\" in line 5 of the header");
  EXPECT_EQ(error(x, x + "property list uchar int x\n"),
            "a second property \"x\" of the element \"vertex\" in line 5 of the header");
  EXPECT_EQ(error(list, list + list),
            "a second property \"vertex_indices\" of the element \"face\" in line 9 of the header");
  EXPECT_EQ(error(list, list + "property list uchar int vertex_index\n"),
            "the property \"vertex_index\" besides \"vertex_indices\" of the element \"face\" in line 9 of the header");
  EXPECT_EQ(error(list, list + "element vertex 4\n"), "a second element \"vertex\" in line 9 of the header");
  EXPECT_EQ(error("element", "colour 3\nelement"), "\"colour\" is not understood in line 3 of the header");
  EXPECT_EQ(error("element", "comment 3\nelement"), "no error");
}

TEST(MeshFile, AFaceWithCornersOnALineAddsNothingToItsOutline) {
  const TempFolder folder;
  // Ten unit squares grown together in a tilted plane, with 14 corners, of which rounding takes some off their lines.
  const auto file = folder.write("squares.obj", R"(v -0.36996894746450393 -1.421926295322627 -0.49053512921026593
v -1.1588615069216102 -0.99151382976706604 -0.92916212236914464
v -1.9477540663787167 -0.56110136421150503 -1.3677891155280233
v -1.5724318362693332 0.34152956489647329 -1.1570982770860379
v -0.7835392768122269 -0.08888290065908766 -0.7184712839271592
v -0.40821704670284342 0.81374802844889071 -0.50778044548517365
v -0.032894816593459997 1.7163789575568691 -0.29708960704318821
v 0.34242741351592343 2.6190098866648475 -0.086398768601202755
v 1.1313199729730297 2.1885974211092867 0.35222822455767594
v 0.7559977428636464 1.2859664920013081 0.1415373861156905
v 0.38067551275426292 0.38333556289332976 -0.069153452326294981
v 0.0053532826448794979 -0.51929536621464867 -0.27984429076828043
v 0.79424584210198579 -0.94970783177020968 0.15878270239059827
v 0.41892361199260242 -1.8523387608781878 -0.051908136051387208
f 1 2 3 4 5 6 7 8 9 10 11 12 13 14
)");
  const MeshFile mesh = read_mesh_file(file, MeshContent::triangles);
  ASSERT_EQ(mesh.triangles.size(), 12u);
  double area = 0.0;
  for (const auto& t : mesh.triangles) {
    area += 0.5 * (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  }
  EXPECT_NEAR(area, 6.0, 1e-12);
}

TEST(MeshFile, ALongFaceThatCrossesItselfIsAnError) {
  const TempFolder folder;
  std::string text;
  std::string face = "f";
  for (int i = 0; i < 2001; ++i) {
    const double angle = 2.0 * 3.14159265358979 * 1000 * i / 2001;
    text += "v " + std::to_string(std::cos(angle)) + " " + std::to_string(std::sin(angle)) + " 0\n";
    (face += ' ') += std::to_string(i + 1);
  }
  const auto file = folder.write("star.obj", text + face + "\n");
  EXPECT_EQ(read_error(file), file.string() + ": a face of 2001 corners crosses itself");
}

TEST(MeshFile, ConcavePolygonsKeepTheirAreaAndTheirSense) {
  const TempFolder folder;
  // A comb with three teeth in a tilted plane: area 1 × 5 + 3 × 2.
  const double comb[][2] = {{0, 0}, {5, 0}, {5, 3}, {4, 3}, {4, 1}, {3, 1},
                            {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
  for (const bool reverse : {false, true}) {
    std::string text;
    for (const auto& p : comb) {
      text += "v " + std::to_string(p[0]) + " " + std::to_string(0.6 * p[1]) + " " + std::to_string(0.8 * p[1]) + "\n";
    }
    text += "f";
    for (int i = 1; i <= 12; ++i) (text += ' ') += std::to_string(reverse ? 13 - i : i);
    const MeshFile mesh = read_mesh_file(folder.write("comb.obj", text + "\n"), MeshContent::triangles);
    EXPECT_EQ(mesh.triangles.size(), 10u);
    Eigen::Vector3d normal(0.0, -0.8, 0.6);
    if (reverse) normal = -normal;
    double area = 0.0;
    for (const auto& t : mesh.triangles) {
      const Eigen::Vector3d cross =
          (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]);
      EXPECT_GE(cross.dot(normal), -1e-6);
      area += 0.5 * cross.dot(normal);
    }
    EXPECT_NEAR(area, 11.0, 1e-5);
  }
}

TEST(MeshFile, PointsAloneAreEnoughForVerticesButNotForTriangles) {
  const TempFolder folder;
  const auto obj_file = folder.write("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\n");
  const auto ply_file = folder.write("points.ply",
                                     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                                     "property float z\nend_header\n0 0 0\n1 0 0\n0 1 0\n");
  EXPECT_EQ(read_mesh_file(obj_file, MeshContent::vertices).vertices.size(), 5u);
  EXPECT_EQ(read_mesh_file(ply_file, MeshContent::vertices).vertices.size(), 3u);
  EXPECT_EQ(read_error(obj_file), obj_file.string() + ": holds no triangles");
  EXPECT_EQ(read_error(ply_file), ply_file.string() + ": holds no triangles");
}

TEST(MeshFile, SaysWhatIsWrongWithAFile) {
  const TempFolder folder;
  EXPECT_EQ(read_error(folder.path() / "none.obj"), (folder.path() / "none.obj").string() + ": does not exist");
  EXPECT_EQ(read_error(folder.path()), folder.path().string() + ": is not a file");
  const auto empty = folder.write("empty.stl", "");
  EXPECT_EQ(read_error(empty), empty.string() + ": is empty");
  const auto text = folder.write("notes.txt", "v 0 0 0\n");
  EXPECT_EQ(read_error(text), text.string() + ": is not a mesh file: its name must end in .obj, .stl or .ply");
}

TEST(MeshFile, RefusesBrokenContentWithTheFilesName) {
  const TempFolder folder;
  const std::pair<const char*, std::string> files[] = {
      {"prose.ply", "this is not a mesh"},
      {"header.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"},
      {"form.ply", "ply\nformat ebcdic 1.0\nend_header\n"},
      {"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n0\n"},
      {"count.ply", ply_header("ascii", 2'000'000'000, 1) + "0 0 0\n"},
      {"list.ply", ply_header("ascii", 1, 1) + "0 0 0\n4000000000 0 0 0\n"},
      {"negative.ply", ply_header("ascii", 1, 1) + "0 0 0\n3 0 0 -1\n"},
      {"fraction.ply", ply_header("ascii", 1, 1) + "0 0 0\n3 0 0 0.5\n"},
      {"word.ply", ply_header("ascii", 1, 1) + "0 0 zero\n3 0 0 0\n"},
      {"nan.ply", ply_header("ascii", 1, 1) + "0 0 nan\n3 0 0 0\n"},
      {"prose.stl", "this is not a mesh"},
      {"prose.obj", "this is not a mesh"},
      {"cut.stl", binary_stl().substr(0, 120)},
      {"cut.ply", binary_ply().substr(0, binary_ply().size() - 20)},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"},
      {"index.ply", ply_header("ascii", 3, 1) + "0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n"},
      {"nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"},
      {"infinite.obj", "v 0 0 0\nv 1e400 0 0\nv 0 1 0\nf 1 2 3\n"},
  };
  for (const auto& [name, content] : files) {
    SCOPED_TRACE(name);
    const auto file = folder.write(name, content);
    const std::string error = read_error(file);
    EXPECT_EQ(error.rfind(file.string() + ": ", 0), 0u) << error;
    EXPECT_GT(error.size(), file.string().size() + 10) << error;
  }
}

}  // namespace
}  // namespace abut

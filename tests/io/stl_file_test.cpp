// STL files in their text form: what keeps to the format, and lines that do not.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "temp_folder.h"

namespace abut {
namespace {

using Eigen::Vector3d;
using test::error_of;
using test::TempFolder;

// Seven lines.
const std::string kFacet =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
const std::string kOtherFacet =
    " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 3 0 0\n   vertex 0 3 0\n  endloop\n endfacet\n";
const std::string kSolid = "solid x\n" + kFacet + kOtherFacet + "endsolid x\n";

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

MeshFile mesh_of(const TempFolder& folder, const std::string& text) {
  return read_mesh_file(folder.write("mesh.stl", text), MeshContent::triangles);
}

// Without the file's name.
std::string error_in(const TempFolder& folder, const std::string& text) {
  const auto file = folder.write("mesh.stl", text);
  const std::string error = error_of<FileError>([&] { return read_mesh_file(file, MeshContent::triangles); });
  const std::string place = file.string() + ": ";
  return error.rfind(place, 0) == 0 ? error.substr(place.size()) : error;
}

TEST(StlFile, ReadsEveryFacetOfEverySolid) {
  const TempFolder folder;
  std::string windows = kSolid;
  for (std::size_t i = 0; (i = windows.find('\n', i)) != std::string::npos; i += 2) windows.insert(i, 1, '\r');
  std::string old_mac = kSolid;
  std::replace(old_mac.begin(), old_mac.end(), '\n', '\r');
  for (const std::string& text : {
           kSolid,
           windows,
           old_mac,
           "\xEF\xBB\xBF\n " + kSolid,
           kSolid.substr(0, kSolid.size() - 3),  // no name and no line end after endsolid
           upper_case(kSolid),
           "solid x\n" + kFacet + upper_case(kOtherFacet) + "endsolid x\n",
           "solid endsolid facet\n" + kFacet + kOtherFacet + "endsolid solid\n",
           "solid x\n" + kFacet + "endsolid x\n\nsolid\n" + kOtherFacet + "endsolid\n",
           "solid " + std::string(5000, 'x') + "\ncolor 0.5 0.5 0.5\n" + kFacet + kOtherFacet + "endsolid\n",
       }) {
    SCOPED_TRACE(text);
    const MeshFile mesh = mesh_of(folder, text);
    EXPECT_EQ(mesh.vertices, (std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {3, 0, 0}, {0, 3, 0}}));
    EXPECT_EQ(mesh.triangles, (std::vector<std::array<std::uint32_t, 3>>{{0, 1, 2}, {0, 3, 4}}));
  }
}

TEST(StlFile, ReadsEveryFormOfANumberInDoublePrecision) {
  const TempFolder folder;
  const MeshFile mesh = mesh_of(folder,
                                "solid\nfacet normal nan -inf -nan(ind)\nouter loop\nvertex 0.1 +.5 -3e2\n"
                                "vertex 1e60 1.0000000000000002 2.E+2\nvertex 0 0 0\nendloop endfacet endsolid");
  ASSERT_EQ(mesh.vertices.size(), 3u);
  EXPECT_EQ(mesh.vertices[0], Vector3d(0.1, 0.5, -300.0));
  EXPECT_EQ(mesh.vertices[1], Vector3d(1e60, 1.0000000000000002, 200.0));
}

TEST(StlFile, AFileThatEndsBeforeItsSolidIsAnError) {
  const TempFolder folder;
  EXPECT_EQ(error_in(folder, "solid x\n" + kFacet), "line 9: \"facet\" or \"endsolid\" is expected, but the file ends");
  EXPECT_EQ(error_in(folder, "solid x"), "line 1: \"facet\" or \"endsolid\" is expected, but the file ends");
  const std::size_t end = kSolid.find("endsolid") + std::string("endsolid").size();
  for (std::size_t length = 1; length < end; ++length) {
    ASSERT_NE(error_in(folder, kSolid.substr(0, length)), "no error") << length;
  }
}

TEST(StlFile, AWordOutOfPlaceIsAnErrorWithItsLine) {
  const TempFolder folder;
  // Each replaces a word of the second facet, whose lines are 9 to 15.
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {" facet", "fcet", "line 9: \"facet\" or \"endsolid\" is expected, got \"fcet\""},
      {"normal", "norm", "line 9: \"normal\" is expected, got \"norm\""},
      {"normal 0 0 1", "normal 0 0", "line 10: a number of the normal is expected, got \"outer\""},
      {"outer", "oter", "line 10: \"outer\" is expected, got \"oter\""},
      {"loop", "lop", "line 10: \"loop\" is expected, got \"lop\""},
      {"vertex 3 0 0", "", "line 14: \"vertex\" is expected, got \"endloop\""},
      {"vertex 0 3 0", "vertex 0 3 0\nvertex 5 5 0", "line 14: \"endloop\" is expected, got \"vertex\""},
      {"vertex 3 0 0", "vertex 3 0", "line 13: a finite coordinate of the vertex is expected, got \"vertex\""},
      {"vertex 3 0 0", "vertex 3 0 0 0", "line 12: \"vertex\" is expected, got \"0\""},
      {"vertex 3 0 0", "vertex 3 nan 0", "line 12: a finite coordinate of the vertex is expected, got \"nan\""},
      {"vertex 3 0 0", "vertex 3 0 1e999", "line 12: a finite coordinate of the vertex is expected, got \"1e999\""},
      {"vertex 3 0 0", "vertex 3,5 0 0", "line 12: a finite coordinate of the vertex is expected, got \"3,5\""},
      {"vertex 3 0 0", "vertex +-3 0 0", "line 12: a finite coordinate of the vertex is expected, got \"+-3\""},
      {"vertex 3 0 0", "vrtx\x01 3 0 0", "line 12: \"vertex\" is expected, got \"vrtx?\""},
      {"endloop", "edloop", "line 14: \"endloop\" is expected, got \"edloop\""},
      {"endfacet", "", "line 16: \"endfacet\" is expected, got \"endsolid\""},
  };
  for (const auto& [word, other, error] : cases) {
    SCOPED_TRACE(other);
    std::string facet = kOtherFacet;
    facet.replace(facet.find(word), std::string(word).size(), other);
    EXPECT_EQ(error_in(folder, "solid x\n" + kFacet + facet + "endsolid x\n"), error);
  }
  EXPECT_EQ(error_in(folder, kSolid + kFacet), "line 17: \"solid\" is expected, got \"facet\"");
  EXPECT_EQ(error_in(folder, kFacet).rfind("is not a usable mesh: it is neither text that begins with \"solid\"", 0),
            0u);
}

TEST(StlFile, ABinaryFileOfAnotherLengthIsToldItsLength) {
  const TempFolder folder;
  const std::string rule = "is not a usable mesh: it is neither text that begins with \"solid\", nor ";
  for (const std::string start : {"solid", "other"}) {
    std::string text = start + std::string(75, ' ') + std::string("\x02\0\0\0", 4);
    text += std::string(100, '\0');
    EXPECT_EQ(error_in(folder, text), "no error");
    const std::string size = rule + "of the binary form, in which 2 facets would take 184 bytes, not ";
    EXPECT_EQ(error_in(folder, text + "x"), size + "185");
    EXPECT_EQ(error_in(folder, text.substr(0, 134)), size + "134");
    EXPECT_EQ(error_in(folder, text.substr(0, 84)), size + "84");
  }
  EXPECT_EQ(error_in(folder, std::string(83, ' ')), rule + "long enough for the binary form");
}

}  // namespace
}  // namespace abut

// The demo from outside: the table, the same text for any number of threads, meshes and scenes, errors that name files.
#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "../apps/program.h"

namespace abut {
namespace {

using test::Outcome;
using test::run_program;
using test::TempFolder;

// A regular tetrahedron of edges √8 around the origin: its box is a cube of 2 m.
constexpr const char* kTetrahedron = R"(v 1 1 1
v 1 -1 -1
v -1 1 -1
v -1 -1 1
f 1 2 3
f 1 4 2
f 1 3 4
f 2 4 3
)";

// A ball that sinks by 0.25 m a frame onto a table whose top is at z = 1; they touch from frame 8 on.
constexpr const char* kSinkingBall = R"({
  "bodies": [
    {"name": "table", "shape": {"type": "box", "half_extents": [5, 5, 1]}, "motion": "fixed"},
    {"name": "ball", "shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, 4]},
     "velocity": {"linear": [0, 0, -2.5]}}],
  "settings": {"time_step": 0.1, "contact_margin": 0.01}})";

// The numbers of the table's rows: lines that hold as many numbers as the table has columns, and nothing else.
std::vector<std::vector<double>> rows_of(const std::string& text, std::size_t columns) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::vector<double> row;
    for (double value = 0.0; cells >> value;) row.push_back(value);
    if (cells.eof() && row.size() == columns) rows.push_back(row);
  }
  return rows;
}

// Whether the table of contacts has a row for these two types of shapes.
bool has_contacts_of(const std::string& text, const std::string& type_a, const std::string& type_b) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    std::string a, b;
    std::size_t contacts = 0;
    if (cells >> a >> b >> contacts && a == type_a && b == type_b) return contacts > 0;
  }
  return false;
}

constexpr std::size_t kColumns = 7;      // frame, time, bodies, candidates, contacts, began, ended
constexpr std::size_t kTimeColumns = 6;  // five parts of a frame and their sum
constexpr std::size_t kContactColumn = 4;
constexpr std::size_t kBeganColumn = 5;

TEST(Demo, PrintsARowForEveryFewFramesAndASummary) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--bodies 60 --frames 12 --every 4");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto rows = rows_of(outcome.out, kColumns + kTimeColumns);
  ASSERT_EQ(rows.size(), 4u) << outcome.out;  // the first frame has a row of its own
  const std::size_t frames[] = {0, 4, 8, 11};
  double began = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], static_cast<double>(frames[i]));
    EXPECT_EQ(rows[i][2], 60.0 + 7.0);  // floor, four walls, ground and table
    EXPECT_GE(rows[i][3], rows[i][kContactColumn]);
    EXPECT_GT(rows[i][kContactColumn], 10.0);
    EXPECT_GT(rows[i].back(), 0.0);
    began += rows[i][kBeganColumn];
  }
  EXPECT_EQ(rows[0][kBeganColumn], rows[0][kContactColumn]);  // all contacts of the first frame are new
  EXPECT_GT(began, rows[0][kBeganColumn]);
  for (const char* part : {"Frames in all: 12", "deepest contact: ", "Contacts by shapes, 10 of ",
                           "Milliseconds a frame", "frames a second"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << '\n' << outcome.out;
  }
}

TEST(Demo, WithoutTimesTheTextDependsOnTheSeedAndNotOnTheThreads) {
  const TempFolder folder;
  const Outcome one = run_program(folder, "--no-times --bodies 150 --frames 20 --threads 1");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(rows_of(one.out, kColumns).size(), 20u) << one.out;
  EXPECT_EQ(run_program(folder, "--no-times --bodies 150 --frames 20 --threads 2").out, one.out);
  EXPECT_NE(run_program(folder, "--no-times --bodies 150 --frames 20 --seed 2").out, one.out);
}

TEST(Demo, DropsCopiesOfAMesh) {
  const TempFolder folder;
  folder.write("tetrahedron.obj", kTetrahedron);
  const Outcome hulls = run_program(folder, "--no-times '{}/tetrahedron.obj' --frames 40 --bodies 30");
  EXPECT_EQ(hulls.status, 0) << hulls.err;
  EXPECT_NE(hulls.out.find("tetrahedron.obj: 4 vertices, 4 triangles\n"), std::string::npos) << hulls.out;
  EXPECT_NE(hulls.out.find("hull: 4 vertices, 4 triangles, size 2 x 2 x 2 m, solid\n"), std::string::npos) << hulls.out;
  EXPECT_NE(hulls.out.find("30 moving and 5 fixed bodies"), std::string::npos) << hulls.out;
  EXPECT_TRUE(has_contacts_of(hulls.out, "convex", "convex")) << hulls.out;
  EXPECT_TRUE(has_contacts_of(hulls.out, "convex", "halfspace")) << hulls.out;

  const Outcome surfaces = run_program(folder, "--no-times '{}/tetrahedron.obj' --mesh --frames 40 --bodies 30");
  EXPECT_EQ(surfaces.status, 0) << surfaces.err;
  EXPECT_TRUE(has_contacts_of(surfaces.out, "mesh", "mesh")) << surfaces.out;
  EXPECT_TRUE(has_contacts_of(surfaces.out, "halfspace", "mesh")) << surfaces.out;
}

TEST(Demo, PlaysASceneFileAtItsVelocities) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  const Outcome outcome = run_program(folder, "--no-times '{}/scene.json' --frames 10 --every 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = rows_of(outcome.out, kColumns);
  ASSERT_EQ(rows.size(), 10u) << outcome.out;
  for (std::size_t frame = 0; frame < rows.size(); ++frame) {
    EXPECT_EQ(rows[frame][kContactColumn], frame < 8 ? 0.0 : 1.0) << frame;
    EXPECT_EQ(rows[frame][kBeganColumn], frame == 8 ? 1.0 : 0.0) << frame;
  }
  EXPECT_NE(outcome.out.find("deepest contact: table and ball in frame 9, 0.25 m deep\n"), std::string::npos)
      << outcome.out;
}

TEST(Demo, PlaysARecordingAndReportsItsBrokenFrameAfterTheOthers) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  folder.write("good.motion", R"({"time": 0, "poses": {"ball": {"translation": [0, 0, 1.5]}}}
{"time": 0.5, "poses": {"ball": {"translation": [0, 0, 3]}}}
)");
  folder.write("broken.motion", R"({"time": 0, "poses": {"ball": {"translation": [0, 0, 1.5]}}}
{"time": 0.5, "poses": {"bell": {"translation": [0, 0, 3]}}}
)");
  const Outcome good = run_program(folder, "--no-times '{}/scene.json' --motion '{}/good.motion'");
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_NE(good.out.find("Frames in all: 2\n"), std::string::npos) << good.out;
  EXPECT_NE(good.out.find("deepest contact: table and ball in frame 0, 0.5 m deep\n"), std::string::npos) << good.out;

  const Outcome broken = run_program(folder, "--no-times '{}/scene.json' --motion '{}/broken.motion'");
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.out.find("Frames in all: 1\n"), std::string::npos) << broken.out;
  EXPECT_NE(broken.err.find("broken.motion"), std::string::npos) << broken.err;
  EXPECT_NE(broken.err.find("bell"), std::string::npos) << broken.err;
}

TEST(Demo, AFileThatCannotBeUsedIsNamedWithTheReason) {
  const TempFolder folder;
  folder.write("broken.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
  folder.write("text.obj", "this is not a mesh\n");
  folder.write("empty.obj", "");
  folder.write("empty.json", "");
  folder.write("broken.json", "{\"bodies\": [");
  folder.write("point.ply",
               "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
               "property float z\nend_header\n1 2 3\n");
  folder.write("cut.ply", "ply\nformat ascii 1.0\nelement vertex 100\n");
  folder.write("notes.txt", "hello\n");
  for (const char* name : {"broken.obj", "text.obj", "empty.obj", "missing.obj", "empty.json", "broken.json",
                           "missing.json", "point.ply", "cut.ply", "notes.txt", "missing"}) {
    SCOPED_TRACE(name);
    const Outcome outcome = run_program(folder, std::string("'{}/") + name + "' --frames 3");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    const std::string start = "abut_demo: error: " + (folder.path() / name).string() + ": ";
    EXPECT_EQ(outcome.err.substr(0, start.size()), start);
    EXPECT_GT(outcome.err.size(), start.size() + 5) << outcome.err;            // the reason
    EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;  // one line
  }
}

TEST(Demo, WrongUsageIsRefused) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  for (const char* arguments : {"--frames 0", "--bodies -3", "--threads 0", "--unknown", "--mesh", "--motion x",
                                "'{}/scene.json' --bodies 3", "'{}/scene.json' --mesh"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.substr(0, 18), "abut_demo: error: ");
  }
}

TEST(Demo, TheHelpNamesOptionsAndFileKinds) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"--seed", "--bodies", "--frames", "--threads", "--no-times", "--motion", "--mesh", "*.json",
                           "*.obj", "Exit status"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace abut

// abut fit from outside: a mesh in, a shape out that queries read.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::TempFolder;

// A box of the half extents 0.1, 0.2, 0.3 about (x, 0, 0).
std::string box_obj(double x) {
  std::string text;
  for (const double a : {-0.1, 0.1}) {
    for (const char* y : {"-0.2", "0.2"}) {
      for (const char* z : {"-0.3", "0.3"}) text += "v " + std::to_string(x + a) + " " + y + " " + z + "\n";
    }
  }
  return text + "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n";
}

// The distance from a ball of radius 0.05 at `center` to the shape.
double distance_to_ball(const TempFolder& folder, const std::string& shape, const std::string& center) {
  const Outcome outcome = run_program(folder, "query",
                                      R"({"id": "q", "query": "distance", "a": {"shape": )" + shape +
                                          R"(}, "b": {"shape": {"type": "sphere", "radius": 0.05}, "pose": )" +
                                          R"({"translation": )" + center + "}}}\n");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  return outcome.status == 0 ? outcome.lines().at(0)["distance"].get<double>() : std::nan("");
}

std::string without_line_end(std::string text) {
  EXPECT_EQ(text.empty() ? '\0' : text.back(), '\n');
  if (!text.empty()) text.pop_back();
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

TEST(FitCommand, WritesAShapeThatQueriesRead) {
  const TempFolder folder;
  folder.write("box.obj", box_obj(0.0));
  const Outcome outcome = run_program(folder, "fit '{}/box.obj' --vertices 8 -o '{}/box.json'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string shape = without_line_end(content_of(folder.path() / "box.json"));
  const Json read = json::parse(shape);
  EXPECT_EQ(read["type"], "smooth_hull");
  EXPECT_EQ(read["points"].size(), 8u);
  EXPECT_GT(read["sharpness"].get<double>(), 100.0);
  EXPECT_NEAR(distance_to_ball(folder, shape, "[0.5, 0, 0]"), 0.35, 3e-3);
  EXPECT_NEAR(distance_to_ball(folder, shape, "[0, 0, -1]"), 0.65, 3e-3);
  for (const char* text : {"hull vertices 8, fitted points 8, sharpness ", "rms deviation", "outside the hull, at most",
                           "inside the hull, at most", "% of the size", "volume "}) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << "\n" << outcome.err;
  }
  // Without -o the same goes to standard output.
  EXPECT_EQ(run_program(folder, "fit '{}/box.obj' --vertices 8").out, shape + "\n");
}

TEST(FitCommand, AMeshAwayFromItsOriginBecomesACompoundInItsPlace) {
  const TempFolder folder;
  folder.write("box.obj", box_obj(3.0));
  const Outcome outcome = run_program(folder, "fit '{}/box.obj' --vertices 8 --sharpness 60");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string shape = without_line_end(outcome.out);
  const Json read = json::parse(shape);
  EXPECT_EQ(read["type"], "compound");
  ASSERT_EQ(read["children"].size(), 1u);
  EXPECT_EQ(read["children"][0]["shape"]["type"], "smooth_hull");
  EXPECT_EQ(read["children"][0]["shape"]["sharpness"], 60.0);
  EXPECT_NEAR(distance_to_ball(folder, shape, "[3.5, 0, 0]"), 0.35, 5e-3);
  EXPECT_NE(outcome.err.find("as a compound"), std::string::npos) << outcome.err;
}

TEST(FitCommand, AConservativeFitCoversTheMesh) {
  const TempFolder folder;
  folder.write("box.obj", box_obj(0.0));
  const Outcome outcome = run_program(folder, "fit '{}/box.obj' --vertices 8 --sharpness 20 --conservative");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("covers the hull; scaled by "), std::string::npos) << outcome.err;
  const std::string shape = without_line_end(outcome.out);
  for (const char* direction : {"[0.5, 0, 0]", "[-0.5, 0, 0]"}) {
    EXPECT_LE(distance_to_ball(folder, shape, direction), 0.35) << direction;
  }
  EXPECT_LE(distance_to_ball(folder, shape, "[0, 1, 0]"), 0.75);
  // A ball that touches a corner from outside overlaps what covers the corner.
  EXPECT_LE(distance_to_ball(folder, shape, "[0.128867, 0.228867, 0.328867]"), 1e-6);
}

TEST(FitCommand, HelpShowsTheOptionsAndTheOutput) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "fit --help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* text : {"MESH", "--vertices", "--sharpness", "--conservative", "--output", "smooth_hull", "compound",
                           "support", "centre of mass"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
  EXPECT_NE(run_program(folder, "--help").out.find("fit"), std::string::npos);
}

TEST(FitCommand, WrongNumbersAreNamed) {
  const TempFolder folder;
  folder.write("box.obj", box_obj(0.0));
  const auto check = [&](const std::string& arguments, const std::string& option, const std::string& value) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, "fit '{}/box.obj' " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("abut: error: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(option), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(value), std::string::npos) << outcome.err;
  };
  check("--vertices 3", "--vertices", "3");
  check("--vertices 201", "--vertices", "201");
  check("--vertices few", "--vertices", "few");
  check("--sharpness 2", "--sharpness: must be auto or a number > 2", "got 2");
  check("--sharpness blunt", "--sharpness", "blunt");
  check("--sharpness 1e999", "--sharpness", "1e999");
  check("--sharpness nan", "--sharpness", "nan");
  check("--sharpness 1e30", "--sharpness: must be auto or a number > 2 and <= 1e12", "got 1e30");
  check("--sharpness 5x", "--sharpness", "5x");
  EXPECT_EQ(run_program(folder, "fit").status, 2);
}

TEST(FitCommand, WrongFilesAreNamedAndNothingIsOverwritten) {
  const TempFolder folder;
  folder.write("box.obj", box_obj(0.0));
  folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("kept.json", "as it was");
  const auto check = [&](const std::string& arguments, const std::string& error) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("abut: error: " + folder.path().string() + "/" + error, 0), 0u) << outcome.err;
  };
  check("fit '{}/none.obj' -o '{}/kept.json'", "none.obj: does not exist");
  check("fit '{}/flat.obj' -o '{}/kept.json'", "flat.obj: hull: must be solid to be fitted, but it is flat");
  EXPECT_EQ(content_of(folder.path() / "kept.json"), "as it was");
  check("fit '{}/box.obj' --vertices 8 -o '{}/none/box.json'",
        "none/box.json: cannot be opened for writing: its folder does not exist");
  check("fit '{}/box.obj' --vertices 8 -o '{}/box.obj'", "box.obj: is read from; cannot write to it");
  EXPECT_EQ(content_of(folder.path() / "box.obj"), box_obj(0.0));
}

}  // namespace
}  // namespace abut

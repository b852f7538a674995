// The planning example from outside, and the parts of it that draw and read.
#include <abut/io/json.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>
#include <abut/planning/validity_checker.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "../../examples/plan/configuration_text.h"
#include "../../examples/plan/outline.h"
#include "../../examples/plan/path_planner.h"
#include "../../examples/plan/planning_task.h"
#include "../apps/program.h"

namespace abut::plan {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::TempFolder;

const std::filesystem::path kPlanData = ABUT_PLAN_DATA;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

double area_of(const Polygon& polygon) {
  double twice = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector2d& a = polygon[i];
    const Vector2d& b = polygon[(i + 1) % polygon.size()];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * twice;
}

TEST(PlanOutline, IsTheShadowOfTheShape) {
  const View side{Vector3d::UnitX(), Vector3d::UnitZ()};
  const std::vector<Polygon> box = outlines(Box({1.0, 5.0, 2.0}), Pose({3.0, 0.0, 4.0}), side);
  ASSERT_EQ(box.size(), 1u);
  EXPECT_EQ(box[0].size(), 4u);
  EXPECT_NEAR(area_of(box[0]), 8.0, 1e-12);
  EXPECT_NEAR(area_of(outlines(Sphere(2.0), Pose(), side)[0]), 4.0 * std::numbers::pi, 0.05);
  const Compound two({{Box({1.0, 1.0, 1.0}), Pose()}, {Sphere(1.0), Pose({5.0, 0.0, 0.0})}});
  EXPECT_EQ(outlines(two, Pose(), side).size(), 2u);
  EXPECT_TRUE(outlines(HalfSpace(Vector3d::UnitZ(), 0.0), Pose(), side).empty());
}

TEST(PlanPath, IsSpreadEvenly) {
  const std::vector<std::vector<double>> spread = spread_along({{0.0, 0.0}, {3.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}}, 5);
  const std::vector<std::vector<double>> expected = {{0.0, 0.0}, {1.0, 0.0}, {2.0, 0.0}, {3.0, 0.0}, {3.0, 1.0}};
  ASSERT_EQ(spread.size(), expected.size());
  for (std::size_t i = 0; i < spread.size(); ++i) {
    EXPECT_NEAR(spread[i][0], expected[i][0], 1e-12) << i;
    EXPECT_NEAR(spread[i][1], expected[i][1], 1e-12) << i;
  }
  EXPECT_EQ(spread_along({{1.0}}, 3), (std::vector<std::vector<double>>{{1.0}, {1.0}, {1.0}}));
}

TEST(PlanProgram, ReachesAroundTheWallAndProvesIt) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--svg '{}/plan.svg' --output '{}/path.json'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* word :
       {"test_arm, 7 variables", "motions checked", "a second", "states, length", "every motion is certified"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word << " in\n" << outcome.out;
  }

  // The path that was written is valid to a checker that the test makes.
  const PlanningTask task = read_task({.robot = kPlanData / "arm.urdf",
                                       .srdf = kPlanData / "arm.srdf",
                                       .group = "arm",
                                       .scene = kPlanData / "wall.json",
                                       .from = "0.6,0.9,0,-1.3,0,0.8,0",
                                       .to = "-0.6,0.9,0,-1.3,0,0.8,0",
                                       .package_folders = {}});
  const Json path = json::parse(content_of(folder.path() / "path.json"));
  const auto states = path.at("states").get<std::vector<std::vector<double>>>();
  ASSERT_GE(states.size(), 3u);
  EXPECT_EQ(path.at("variables").size(), 7u);
  EXPECT_EQ(states.front(), task.start);
  EXPECT_EQ(states.back(), task.goal);
  ValidityChecker::State state(task.checker);
  for (std::size_t i = 0; i + 1 < states.size(); ++i) {
    EXPECT_TRUE(task.checker.is_motion_valid(states[i], states[i + 1], state)) << "motion " << i;
  }
  EXPECT_FALSE(task.checker.is_motion_valid(states.front(), states.back(), state)) << "nothing stands in the way";

  const std::string svg = content_of(folder.path() / "plan.svg");
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(count_of(svg, "class=\"obstacle\""), 2 * task.obstacles.size());
  EXPECT_EQ(count_of(svg, "class=\"robot\""), 2u * 11u);
  EXPECT_EQ(count_of(svg, "class=\"way\""), 2u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(PlanProgram, FindsTheSamePathAgainAndAnotherOneWithAnotherSeed) {
  const TempFolder folder;
  const Outcome first = run_program(folder, "--no-times --output '{}/a.json'");
  const Outcome again = run_program(folder, "--no-times --output '{}/b.json'");
  const Outcome other = run_program(folder, "--no-times --output '{}/c.json' --seed 2");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(first.out, again.out);
  EXPECT_EQ(content_of(folder.path() / "a.json"), content_of(folder.path() / "b.json"));
  EXPECT_NE(content_of(folder.path() / "a.json"), content_of(folder.path() / "c.json"));
}

TEST(PlanProgram, PlansWithEveryPlannerAndWithSampledMotions) {
  const TempFolder folder;
  for (const char* arguments : {"--planner lbkpiece", "--planner bit-star --time-limit 2",
                                "--planner bit-star-clearance --time-limit 2", "--resolution 0.01"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("every motion is certified"), std::string::npos) << outcome.out;
  }
}

TEST(PlanProgram, ReadsConfigurationsInEveryForm) {
  const TempFolder folder;
  folder.write("goal.json", R"({"joint_1": -0.5, "joint_2": -0.4, "joint_3": 0, "joint_4": -1.8, "joint_5": 0,
                                "joint_6": 0.8, "joint_7": 0})");
  const Outcome outcome = run_program(folder, "--from ready --to '{}/goal.json' --output '{}/path.json'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json states = json::parse(content_of(folder.path() / "path.json")).at("states");
  EXPECT_EQ(states.front().get<std::vector<double>>(), (std::vector<double>{0, -0.4, 0, -1.8, 0, 0.8, 0.785}));
  EXPECT_EQ(states.back().get<std::vector<double>>(), (std::vector<double>{-0.5, -0.4, 0, -1.8, 0, 0.8, 0}));
  EXPECT_EQ(run_program(folder, "--from ready --to '[0.1,-0.4,0,-1.8,0,0.8,0]'").status, 0);
}

TEST(PlanProgram, NamesWhatIsWrongWithItsInput) {
  const TempFolder folder;
  folder.write("broken.json", R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]})");
  folder.write("few.json", R"({"joint_1": 0})");
  folder.write("many.json", R"({"joint_1": 0, "joint_2": 0, "joint_3": 0, "joint_4": -1, "joint_5": 0, "joint_6": 0,
                                "joint_7": 0, "joint_9": 0})");
  const std::string here = folder.path().string();
  const struct {
    std::string arguments;
    std::string text;
  } cases[] = {
      {"--scene '{}/missing.json'", here + "/missing.json: "},
      {"--scene '{}/broken.json'", here + "/broken.json: bodies[0].shape.radius: "},
      {"--srdf '{}/missing.srdf'", here + "/missing.srdf: "},
      {"--group leg", "--group: must be a group of "},
      {"--from 1,2,3", "--from: must be "},
      {"--from nowhere", "--from: must be numbers, a JSON object, a .json file or a state of the group \"arm\", got"},
      {"--from '{}/few.json'", here + "/few.json: joint_2: "},
      {"--to '{}/many.json'", here + "/many.json: joint_9: is not a variable of the group \"arm\""},
      {"--to '{\"joint_1\": \"left\"}'", "--to.joint_1: must be a number"},
      {"--to 0,0,0,0,0,0,0", "--to.joint_4: must be within the limits -2.8"},
      {"--from 0,0.9,0,-1.3,0,0.8,0", "--from: must be free of collisions, but "},
  };
  for (const auto& [arguments, text] : cases) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.substr(0, 18 + text.size()), "abut_plan: error: " + text) << outcome.err;
  }
}

TEST(PlanProgram, RefusesWrongUsage) {
  const TempFolder folder;
  for (const char* arguments : {"--planner best", "--seed 0", "--seed -1", "--time-limit 0", "--resolution 0",
                                "--robot arm.urdf", "--unknown", "--svg", "--svg '{}/a' --output '{}/./a'"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.substr(0, 18), "abut_plan: error: ");
  }
  const Outcome help = run_program(folder, "--help");
  EXPECT_EQ(help.status, 0);
  for (const char* word : {"--robot", "--srdf", "--group", "--scene", "--from", "--to", "--planner", "--seed",
                           "--time-limit", "--output", "--svg", "Exit status"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
}

TEST(PlanProgram, SaysThatNoPathWasFoundAndThatAFileCannotBeWritten) {
  const TempFolder folder;
  // A wall through the arm's base, with a window around the shoulder that the elbow cannot pass.
  folder.write("divided.json", R"({"bodies": [
    {"name": "front", "pose": {"translation": [1, 0, 0.7]}, "shape": {"type": "box", "half_extents": [0.87, 0.01, 0.8]}},
    {"name": "back", "pose": {"translation": [-1, 0, 0.7]}, "shape": {"type": "box", "half_extents": [0.84, 0.01, 0.8]}},
    {"name": "top", "pose": {"translation": [0, 0, 1]}, "shape": {"type": "box", "half_extents": [0.2, 0.01, 0.5]}}]})");
  const Outcome none = run_program(folder, "--scene '{}/divided.json' --time-limit 0.2");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.err, "abut_plan: error: no path was found in 0.2 s\n");
  const Outcome unwritten = run_program(folder, "--svg '{}/missing/plan.svg'");
  EXPECT_EQ(unwritten.status, 1);
  EXPECT_EQ(unwritten.err,
            "abut_plan: error: " + (folder.path() / "missing/plan.svg").string() + ": cannot be written\n");
}

}  // namespace
}  // namespace abut::plan

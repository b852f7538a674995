// abut pairs from outside: a robot in, an SRDF file out.
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>
#include <gtest/gtest.h>

#include <string>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::TempFolder;

const std::string kArm = std::string("'") + ABUT_PLANNING_TEST_DATA + "/arm.urdf'";
const std::string kArmSrdf = std::string("'") + ABUT_PLANNING_TEST_DATA + "/arm.srdf'";

// The reasons counted, on standard error.
std::string summary(int adjacent, int by_default, int always, int never) {
  return "Adjacent " + std::to_string(adjacent) + "\nDefault " + std::to_string(by_default) + "\nAlways " +
         std::to_string(always) + "\nNever " + std::to_string(never) + "\n";
}

TEST(PairsCommand, WritesThePairsThatTheLibraryFinds) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "pairs --robot " + kArm + " --output '{}/arm.srdf'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, summary(10, 1, 0, 28));
  const RobotModel robot = read_urdf(std::string(ABUT_PLANNING_TEST_DATA) + "/arm.urdf");
  const SemanticModel semantic = read_srdf(folder.path() / "arm.srdf", robot);
  EXPECT_EQ(semantic.name, "test_arm");
  EXPECT_TRUE(semantic.groups.empty());
  EXPECT_EQ(semantic.disabled_pairs, find_disabled_pairs(robot));
  // Without --output the same goes to standard output, whatever the number of threads.
  EXPECT_EQ(run_program(folder, "pairs --threads 3 --robot " + kArm).out, content_of(folder.path() / "arm.srdf"));
}

TEST(PairsCommand, TakesGroupsAndStatesOver) {
  const TempFolder folder;
  const Outcome outcome =
      run_program(folder, "pairs --robot " + kArm + " --srdf " + kArmSrdf + " --samples 100 --seed 5 -o '{}/arm.srdf'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const RobotModel robot = read_urdf(std::string(ABUT_PLANNING_TEST_DATA) + "/arm.urdf");
  const SemanticModel before = read_srdf(std::string(ABUT_PLANNING_TEST_DATA) + "/arm.srdf", robot);
  const SemanticModel after = read_srdf(folder.path() / "arm.srdf", robot);
  EXPECT_EQ(after.groups, before.groups);
  EXPECT_EQ(after.group_states, before.group_states);
  EXPECT_EQ(after.disabled_pairs, find_disabled_pairs(robot, {.samples = 100, .seed = 5}));
  EXPECT_GT(after.disabled_pairs.size(), before.disabled_pairs.size());  // of few samples, too many are Never
}

TEST(PairsCommand, FindsPackagesInTheFoldersGiven) {
  const TempFolder folder;
  folder.write("packages/parts/point.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  folder.write("robot.urdf", R"(<robot name="r"><link name="a"><collision><geometry>
      <mesh filename="package://parts/point.obj"/></geometry></collision></link></robot>)");
  const Outcome found = run_program(folder, "pairs --robot '{}/robot.urdf' --package-folder '{}/packages'");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.err, summary(0, 0, 0, 0));
  const Outcome lost = run_program(folder, "pairs --robot '{}/robot.urdf'");
  EXPECT_EQ(lost.status, 1);
  EXPECT_NE(lost.err.find("the package \"parts\" was not found"), std::string::npos) << lost.err;
}

TEST(PairsCommand, AMeshOfTheRobotIsNotOverwritten) {
  const TempFolder folder;
  const std::string content = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const auto mesh = folder.write("parts/point.obj", content);
  std::filesystem::create_hard_link(mesh, folder.path() / "hard");
  folder.write("robot.urdf", R"(<robot name="r"><link name="a"><collision><geometry>
      <mesh filename="package://parts/point.obj"/></geometry></collision></link></robot>)");
  for (const std::string file : {"parts/point.obj", "hard"}) {
    const Outcome outcome =
        run_program(folder, "pairs --robot '{}/robot.urdf' --package-folder '{}' -o '{}/" + file + "'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "abut: error: " + (folder.path() / file).string() + ": is read from; cannot write to it\n");
    EXPECT_EQ(content_of(mesh), content);
  }
}

TEST(PairsCommand, HelpShowsTheOptionsAndTheReasons) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "pairs --help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* text : {"--robot", "--srdf", "--package-folder", "--samples", "--seed", "--threads", "--output",
                           "Adjacent", "Default", "Always", "Never", "convex hulls"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
  EXPECT_NE(run_program(folder, "--help").out.find("pairs"), std::string::npos);
}

TEST(PairsCommand, WrongUsageIsNamed) {
  const TempFolder folder;
  const auto check = [&](const std::string& arguments, const std::string& option) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = wrong_usage(folder, arguments);
    EXPECT_NE(outcome.err.find(option), std::string::npos) << outcome.err;
  };
  check("pairs", "--robot");
  check("pairs --robot " + kArm + " --samples 0", "--samples");
  check("pairs --robot " + kArm + " --samples -3", "--samples");
  check("pairs --robot " + kArm + " --samples 1000000000001", "--samples: must be an integer from 1 to 1000000000000");
  check("pairs --robot " + kArm + " --seed x", "--seed");
  check("pairs --robot " + kArm + " --seed 18446744073709551616", "--seed: must be an integer from 0 to");
  check("pairs --robot " + kArm + " --srdf ''", "--srdf: must not be empty");
  check("pairs --robot " + kArm + " --package-folder ''", "--package-folder: must not be empty");
  check("pairs --robot " + kArm + " --package-folder '{}/none'",
        "--package-folder: must be a folder that exists, got " + (folder.path() / "none").string());
  check("pairs --robot " + kArm + " --threads 0", "--threads");
  check("pairs --robot " + kArm + " extra", "extra");
}

TEST(PairsCommand, WrongFilesAreNamedAndNothingIsOverwritten) {
  const TempFolder folder;
  folder.write("broken.urdf", "<robot name=\"r\">\n<link/>\n</robot>");
  folder.write("kept.srdf", "as it was");
  const auto check = [&](const std::string& arguments, const std::string& error) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "abut: error: " + folder.path().string() + "/" + error + "\n");
  };
  check("pairs --robot '{}/none.urdf' -o '{}/kept.srdf'", "none.urdf: does not exist");
  check("pairs --robot '{}/broken.urdf' -o '{}/kept.srdf'",
        "broken.urdf: <link> (line 2): must have the attribute name");
  check("pairs --robot " + kArm + " --srdf '{}/none.srdf' -o '{}/kept.srdf'", "none.srdf: does not exist");
  folder.write("broken.srdf", "<robot name=\"test_arm\"><group name=\"g\"><link/></group></robot>");
  check("pairs --robot " + kArm + " --srdf '{}/broken.srdf' -o '{}/kept.srdf'",
        "broken.srdf: group \"g\", <link> (line 1): must have the attribute name");
  EXPECT_EQ(content_of(folder.path() / "kept.srdf"), "as it was");
  check("pairs --robot " + kArm + " --samples 10 -o '{}/none/x.srdf'",
        "none/x.srdf: cannot be opened for writing: its folder does not exist");
  folder.write("one.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
  check("pairs --robot '{}/one.urdf' -o '{}/one.urdf'", "one.urdf: is read from; cannot write to it");
}

}  // namespace
}  // namespace abut

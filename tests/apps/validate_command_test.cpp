// abut validate from outside: a robot, a scene and configurations in, answers out.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::run_shell;
using test::TempFolder;

const std::string kRobot =
    std::string("--robot '") + ABUT_PLANNING_TEST_DATA + "/arm.urdf' --srdf '" + ABUT_PLANNING_TEST_DATA + "/arm.srdf'";

/// A plate over the arm, and a post in its way.
void write_scene(const TempFolder& folder) {
  folder.write("scene.json", R"({"bodies": [
      {"name": "plate", "shape": {"type": "box", "half_extents": [0.5, 0.5, 0.01]}, "motion": "fixed",
       "pose": {"translation": [0, 0, 1.3]}},
      {"name": "post", "shape": {"type": "cylinder", "radius": 0.05, "half_length": 0.5},
       "pose": {"translation": [0, 0.5, 0.5]}}]})");
}

Outcome validate(const TempFolder& folder, const std::string& lines, const std::string& options = "") {
  write_scene(folder);
  folder.write("lines.jsonl", lines);
  return run_program(folder, "validate " + kRobot + " --scene '{}/scene.json' " + options + " '{}/lines.jsonl'");
}

TEST(ValidateCommand, TellsWhichConfigurationsAreFree) {
  const TempFolder folder;
  const Outcome outcome = validate(folder, R"({"id": "default", "configuration": {}}
{"id": "reach", "configuration": {"joint_1": 1.5707963, "joint_2": 1.2, "joint_4": -0.1}}
)");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string free = "{\"id\":\"default\",\"valid\":true}\n";
  ASSERT_EQ(outcome.out.substr(0, free.size()), free);
  const std::string hit = outcome.out.substr(free.size());
  EXPECT_NE(hit.find("\"id\":\"reach\",\"valid\":false,\"first_contact\":[\""), std::string::npos) << hit;
  EXPECT_NE(hit.find("\"post\"]"), std::string::npos) << hit;
}

TEST(ValidateCommand, TellsWhereAMotionMeetsAnObstacle) {
  const TempFolder folder;
  const std::string ends = R"("from": {"joint_2": 1.2, "joint_4": -0.1},
      "to": {"joint_1": 1.5707963, "joint_2": 1.2, "joint_4": -0.1})";
  std::string lines = R"({"id": "sampled", "resolution": 0.01, )" + ends + "}";
  std::erase(lines, '\n');
  std::string proven = R"({"id": "proven", )" + ends + "}";
  std::erase(proven, '\n');
  const Outcome outcome = validate(folder, lines + "\n" + proven + "\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto at = [&outcome](const std::string& id) {
    const std::size_t line = outcome.out.find("\"id\":\"" + id);
    return std::stod(outcome.out.substr(outcome.out.find("\"at\":", line) + 5));
  };
  EXPECT_GT(at("sampled"), 0.5);
  EXPECT_LT(at("sampled"), 1.0);
  EXPECT_NEAR(at("proven"), at("sampled"), 0.01);
  EXPECT_LE(at("proven"), at("sampled") + 1e-6) << "the first of the samples comes no earlier than the contact";
}

TEST(ValidateCommand, WritesClearances) {
  const TempFolder folder;
  const Outcome outcome = validate(folder, R"({"id": "a", "configuration": {}})", "--clearance");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t place = outcome.out.find("\"clearance\":");
  ASSERT_NE(place, std::string::npos) << outcome.out;
  EXPECT_GT(std::stod(outcome.out.substr(place + 12)), 0.0);
}

TEST(ValidateCommand, AnswersAllLinesAndTellsWhatIsWrongWithSome) {
  const TempFolder folder;
  const Outcome outcome = validate(folder, R"({"id": "1", "configuration": {"knee": 1}}
{"id": "2", "configuration": {"right_finger_joint": 0.01}}
{"id": "3", "configuration": {"joint_1": "left"}}

{"id": "4", "from": {}, "to": {}, "resolution": 0}
{"id": "5", "from": {}}
{"configuration": {}}
{"id": "7", "configuration": {}, "from": {}, "to": {}}
{"id": "8", "configuration": {}}
{"id": "9", "configuration": {"joint_1": 1e999}}
{"configuration": {"joint_1": 1e999}, "id": "10"}
{"configuration": {"joint_1": 0, "joint_1": 1}, "id": "11"}
{"id": "12", "configuration": {"joint_2": 1000000000.1}}
{"id": "13", "from": {}, "to": {"joint_3": -2e9}}
{"id": "14", "from": {}, "to": {"joint_3": 20000}}
)");
  EXPECT_EQ(outcome.status, 1);
  const auto has = [&outcome](const std::string& text) { return outcome.out.find(text) != std::string::npos; };
  EXPECT_TRUE(has(R"("id":"1","status":"error","error":"configuration.knee: the robot has no joint of this name")"));
  EXPECT_TRUE(has("configuration.right_finger_joint: this joint mimics another"));
  EXPECT_TRUE(has("configuration.joint_1: must be a number")) << outcome.out;
  EXPECT_TRUE(has("resolution"));
  EXPECT_TRUE(has(R"("id":"5","status":"error","error":"to)"));
  EXPECT_TRUE(has(R"("id":null,"status":"error")"));
  EXPECT_TRUE(has("must not be given together"));
  EXPECT_TRUE(has(R"({"id":"8","valid":true})"));
  EXPECT_TRUE(has(R"("id":"9","status":"error","error":"configuration.joint_1: must be in the range of double)"));
  EXPECT_TRUE(has(R"("id":"10","status":"error","error":"configuration.joint_1: must be in the range of double)"));
  EXPECT_TRUE(has(R"("id":"11","status":"error","error":"configuration.joint_1: must not be given twice)"));
  EXPECT_TRUE(
      has(R"("id":"12","status":"error","error":"configuration.joint_2: must be within +-1e9, got 1000000000.1")"))
      << outcome.out;
  EXPECT_TRUE(has(R"("id":"13","status":"error","error":"to.joint_3: must be within +-1e9, got -2e+09")"))
      << outcome.out;
  EXPECT_TRUE(has(
      R"("id":"14","status":"error","error":"to: the turns of a certified motion must come to at most 1e4 radians)"))
      << outcome.out;
}

TEST(ValidateCommand, FieldsThatDoNotBelongToALineAreErrors) {
  const TempFolder folder;
  const Outcome outcome = validate(folder, R"({"id": "1", "from": {}, "to": {}, "resolutoin": 0.1}
{"id": "2", "configuration": {}, "resolution": 0.1}
{"id": "3", "configuration": {}, "comment": "free"}
{"id": "4", "configuration": {}, "": 1}
{"id": "5", "configuration": {}, "expected": {"valid": true}}
{"id": "6", "from": {}, "to": {}, "expected": {"valid": true}, "resolution": 0.1}
)");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 6u);
  const auto error = [&lines](std::size_t i) { return lines[i].value("error", "no error"); };
  const std::string unknown =
      ": is not a field of this object; it takes id, configuration, from, to, resolution, expected";
  EXPECT_EQ(error(0), "resolutoin" + unknown);
  EXPECT_EQ(error(1), "resolution: is for motions only, which have from and to");
  EXPECT_EQ(error(2), "comment" + unknown);
  EXPECT_EQ(error(3).substr(error(3).find(unknown.substr(2))), unknown.substr(2));
  EXPECT_EQ(lines[4]["valid"], true);
  EXPECT_EQ(lines[5]["valid"], true);
}

// A base and a tip that turns about it, so that there are pairs that move and pairs that do not.
void write_hinge(const TempFolder& folder, const std::string& in_base, const std::string& in_tip) {
  folder.write("hinge.urdf", "<robot name=\"hinge\"><link name=\"base\">" + in_base + "</link><link name=\"tip\">" +
                                 in_tip + R"(</link><joint name="hinge" type="continuous"><parent link="base"/>
    <child link="tip"/><axis xyz="0 0 1"/></joint></robot>)");
}

TEST(ValidateCommand, AClearanceTooLargeToWriteIsAnError) {
  const TempFolder folder;
  const std::string ball = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
  folder.write("lines.jsonl", R"({"id": "a", "configuration": {}})");
  const std::string command = "validate --clearance --robot '{}/hinge.urdf' --scene '{}/scene.json' '{}/lines.jsonl'";
  folder.write("scene.json", R"({"bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 1},
      "pose": {"translation": [1e200, 1e200, 1e200]}}]})");
  for (const auto& [in_base, in_tip] : {std::pair(ball, std::string()), std::pair(std::string(), ball)}) {
    write_hinge(folder, in_base, in_tip);
    const Outcome outcome = run_program(folder, command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out,
              "{\"id\":\"a\",\"status\":\"error\",\"error\":\"the result is not finite: clearance is infinite; the "
              "shapes or the coordinates are too large\"}\n");
  }
  // No pair at all.
  folder.write("scene.json", R"({"bodies": []})");
  const Outcome outcome = run_program(folder, command);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "{\"id\":\"a\",\"valid\":true,\"clearance\":null}\n");
}

TEST(ValidateCommand, HelpTellsWhatIsNotLookedAt) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "validate --help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* text : {"Joint limits are not looked at", "\"expected\" is passed over", "other fields"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
}

TEST(ValidateCommand, APackageFolderThatIsNoneIsWrongUsage) {
  const TempFolder folder;
  write_scene(folder);
  const std::string command = "validate " + kRobot + " --scene '{}/scene.json' --package-folder '{}' --package-folder ";
  for (const std::string name : {"none", "scene.json"}) {
    const std::string file = (folder.path() / name).string();
    const Outcome outcome = test::wrong_usage(folder, command + "'{}/" + name + "'");
    EXPECT_NE(outcome.err.find("--package-folder: must be a folder that exists, got " + file), std::string::npos)
        << outcome.err;
  }
}

TEST(ValidateCommand, ALineWithAByteOfZeroIsNotJson) {
  const TempFolder folder;
  const std::string line = R"({"id": "1", "configuration": {}})";
  const Outcome outcome = validate(folder, line + std::string(1, '\0') + "more\n" + line + "\n");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0]["id"].is_null());
  EXPECT_NE(lines[0]["error"].get<std::string>().find("the byte 0 (NUL)"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[1]["valid"], true);
}

TEST(ValidateCommand, AnErrorWithoutAnIdNamesTheLineOfTheFile) {
  const TempFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "\n";  // more than are answered at once
  const Outcome outcome = validate(folder, text + "{\"id\": \"1\"\n\n{\"configuration\": {}}\n{\"id\": \"2\"}\n");
  EXPECT_EQ(outcome.status, 1);
  const auto lines = outcome.lines();
  ASSERT_EQ(lines.size(), 3u);
  const auto error = [&lines](std::size_t i) { return lines[i]["error"].get<std::string>(); };
  EXPECT_EQ(error(0).rfind("line 2001: is not JSON: parse error at line 2001, column 11: ", 0), 0u) << error(0);
  EXPECT_EQ(error(1), "line 2003: id: is required");
  EXPECT_EQ(error(2), "configuration: is required");
}

TEST(ValidateCommand, GivesTheSameAnswersWithAnyNumberOfThreadsAndFromAPipe) {
  const TempFolder folder;
  std::string lines;
  for (int i = 0; i < 300; ++i) {
    lines += R"({"id": ")" + std::to_string(i) + R"(", "configuration": {"joint_1": )" + std::to_string(0.01 * i) +
             R"(, "joint_2": 1.2, "joint_4": -0.1}})" + "\n";
  }
  const std::string one = validate(folder, lines, "--threads 1").out;
  EXPECT_EQ(validate(folder, lines, "--threads 3").out, one);
  EXPECT_EQ(validate(folder, lines, "--output '{}/out.jsonl'").out, "");
  EXPECT_EQ(content_of(folder.path() / "out.jsonl"), one);
  EXPECT_NE(one.find("true"), std::string::npos);
  EXPECT_NE(one.find("false"), std::string::npos);
}

TEST(ValidateCommand, NamesTheFileThatCannotBeUsed) {
  const TempFolder folder;
  write_scene(folder);
  folder.write("lines.jsonl", "");
  const auto error = [&folder](const std::string& arguments) {
    const Outcome outcome = run_program(folder, "validate " + arguments + " '{}/lines.jsonl'");
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  };
  EXPECT_NE(error("--robot '{}/none.urdf' --scene '{}/scene.json'").find("none.urdf"), std::string::npos);
  EXPECT_NE(error(kRobot + " --scene '{}/none.json'").find("none.json"), std::string::npos);
  folder.write("same.json", R"({"bodies": [{"name": "forearm", "shape": {"type": "sphere", "radius": 1}}]})");
  const std::string same = error(kRobot + " --scene '{}/same.json'");
  EXPECT_NE(same.find("same.json"), std::string::npos) << same;
  EXPECT_NE(same.find("'forearm'"), std::string::npos) << same;
  folder.write("link.json", R"({"bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 1}},
                                           {"name": "forearm", "shape": {"type": "sphere", "radius": 1}}]})");
  EXPECT_NE(error(kRobot + " --scene '{}/link.json'")
                .find("link.json: bodies[1].name: 'forearm' is the name of a link of the robot"),
            std::string::npos);
  folder.write("empty.json", R"({"bodies": [{"name": "", "shape": {"type": "sphere", "radius": 1}}]})");
  EXPECT_NE(error(kRobot + " --scene '{}/empty.json'").find("empty.json: bodies[0].name: must not be empty"),
            std::string::npos);
  EXPECT_EQ(run_program(folder, "validate '{}/lines.jsonl'").status, 2);
}

TEST(ValidateCommand, DoesNotOverwriteWhatStandardInputReads) {
  const TempFolder folder;
  write_scene(folder);
  const std::string line = R"({"id": "a", "configuration": {}})";
  const auto lines = folder.write("lines.jsonl", line);
  const Outcome outcome =
      run_shell(folder, "{abut} validate " + kRobot + " --scene '{}/scene.json' -o '{}/lines.jsonl' <'{}/lines.jsonl'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("lines.jsonl: is read from; cannot write to it"), std::string::npos) << outcome.err;
  EXPECT_EQ(content_of(lines), line);
}

TEST(ValidateCommand, DoesNotOverwriteMeshesOfTheRobotAndTheScene) {
  const TempFolder folder;
  const std::string content = "v 2 0 0\nv 3 0 0\nv 2 1 0\nf 1 2 3\n";
  const auto robot_mesh = folder.write("robot.obj", content);
  const auto scene_mesh = folder.write("scene.obj", content);
  folder.write("robot.urdf", R"(<robot name="r"><link name="a"><collision><geometry>
      <mesh filename="robot.obj"/></geometry></collision></link></robot>)");
  folder.write("scene.json", R"({"bodies": [{"name": "b", "shape": {"type": "mesh", "file": "scene.obj"}}]})");
  folder.write("lines.jsonl", R"({"id": "a", "configuration": {}})");
  const std::string command = "validate --robot '{}/robot.urdf' --scene '{}/scene.json' '{}/lines.jsonl' -o '{}/";
  for (const std::string file : {"robot.obj", "scene.obj"}) {
    const Outcome outcome = run_program(folder, command + file + "'");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_NE(outcome.err.find(file + ": is read from; cannot write to it"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(content_of(robot_mesh), content);
  EXPECT_EQ(content_of(scene_mesh), content);
  EXPECT_EQ(run_program(folder, command + "results.jsonl'").status, 0);
}

TEST(ValidateCommand, TellsWhatOfTheSrdfFileIsIgnored) {
  const TempFolder folder;
  write_scene(folder);
  folder.write("lines.jsonl", R"({"id": "a", "configuration": {}})");
  folder.write("other.srdf", R"(<robot name="other">
<disable_collisions link1="forearm" link2="tail" reason="Never"/>
<disable_collisions link1="forearm" link2="forearm" reason="Never"/>
<colour/>
</robot>)");
  const std::string robot = std::string("--robot '") + ABUT_PLANNING_TEST_DATA + "/arm.urdf'";
  const Outcome outcome =
      run_program(folder, "validate " + robot + " --srdf '{}/other.srdf' --scene '{}/scene.json' '{}/lines.jsonl'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string start = (folder.path() / "other.srdf").string() + ": ignored: ";
  EXPECT_EQ(outcome.err, start + "<robot> (line 1): is about the robot \"other\", not \"test_arm\"\n" + start +
                             "<disable_collisions> (line 2): \"tail\" is not a link of the robot\n" + start +
                             "<disable_collisions> (line 3): \"forearm\" is both links of the pair\n" + start +
                             "<colour> (line 4): is not known\n");
}

TEST(ValidateCommand, TakesMeshesAsTheyAre) {
  const TempFolder folder;
  const std::string line = R"({"id": "a", "configuration": {}})";
  EXPECT_EQ(validate(folder, line, "--meshes").out, validate(folder, line).out);
}

}  // namespace
}  // namespace abut

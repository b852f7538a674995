// SRDF files: groups and the joints they stand for, states, pairs, what is passed over, and that they are written back.
#include <abut/io/file_error.h>
#include <abut/planning/srdf_file.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "../io/temp_folder.h"
#include "arm.h"

namespace abut {
namespace {

using test::error_of;
using test::planning_data;
using test::TempFolder;
using test::test_arm;

// A planar base p with a lift above it (a prismatic joint), an arm of two turning joints and a fixed tip; a mimic hand.
RobotModel mobile_robot() {
  return parse_urdf(R"(<robot name="mobile">
    <link name="floor"/><link name="base"/><link name="lift"/><link name="upper"/><link name="lower"/><link name="tip"/>
    <link name="hand"/>
    <joint name="p" type="planar"><parent link="floor"/><child link="base"/><axis xyz="0 0 1"/></joint>
    <joint name="l" type="prismatic"><parent link="base"/><child link="lift"/><limit lower="0" upper="1"/></joint>
    <joint name="u" type="continuous"><parent link="lift"/><child link="upper"/></joint>
    <joint name="v" type="continuous"><parent link="upper"/><child link="lower"/></joint>
    <joint name="t" type="fixed"><parent link="lower"/><child link="tip"/></joint>
    <joint name="h" type="continuous"><parent link="lift"/><child link="hand"/><mimic joint="u"/></joint>
    </robot>)",
                    "");
}

std::string srdf(const std::string& content) {
  return "<robot name=\"mobile\">\n" + content + "\n</robot>";
}

SemanticModel parse_semantic(const std::string& content) {
  return parse_srdf(srdf(content), mobile_robot());
}

std::string semantic_error(const std::string& content) {
  return error_of<InvalidInput>([&] { return parse_semantic(content); });
}

std::vector<std::string> joint_names(const RobotModel& robot, const JointGroup& group) {
  std::vector<std::string> names;
  for (const std::size_t joint : group.all_joints) names.push_back(robot.joints()[joint].name);
  return names;
}

std::vector<std::string> variable_names(const RobotModel& robot, const JointGroup& group) {
  std::vector<std::string> names;
  for (const std::size_t variable : group.variables) names.push_back(robot.variables()[variable].name);
  return names;
}

using Names = std::vector<std::string>;

void expect_same(const SemanticModel& a, const SemanticModel& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.group_states, b.group_states);
  EXPECT_EQ(a.disabled_pairs, b.disabled_pairs);
}

std::string written(const RobotModel& robot, const SemanticModel& semantic) {
  std::ostringstream stream;
  write_srdf(stream, robot, semantic);
  return stream.str();
}

TEST(SrdfFile, TheTestArmIsReadWhole) {
  const RobotModel arm = test_arm();
  const SemanticModel semantic = read_srdf(planning_data("arm.srdf"), arm);
  EXPECT_EQ(semantic.name, "test_arm");
  EXPECT_TRUE(semantic.ignored.empty()) << semantic.ignored.front();
  ASSERT_EQ(semantic.groups.size(), 3u);
  const std::size_t group = semantic.find_group("arm").value();
  EXPECT_EQ(semantic.groups[group].variables, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(variable_names(arm, semantic.groups[semantic.find_group("gripper").value()]), Names{"left_finger_joint"});
  EXPECT_EQ(semantic.groups[semantic.find_group("all").value()].variables.size(), 8u);
  EXPECT_FALSE(semantic.find_group("leg"));
  const std::size_t state = semantic.find_state(group, "ready").value();
  ASSERT_EQ(semantic.group_states[state].values.size(), 7u);
  EXPECT_EQ(semantic.group_states[state].values[3], (VariableValue{3, -1.8}));
  EXPECT_FALSE(semantic.find_state(group, "open"));
  EXPECT_EQ(semantic.disabled_pairs.size(), 39u);
  const LinkPairs pairs = link_pairs(semantic.disabled_pairs, arm.links().size());
  EXPECT_TRUE(pairs.contains(arm.find_link("wrist").value(), arm.find_link("forearm").value()));
  EXPECT_FALSE(pairs.contains(arm.find_link("base").value(), arm.find_link("palm").value()));
}

TEST(SrdfFile, AGroupIsOfJointsLinksChainsAndGroups) {
  const RobotModel robot = mobile_robot();
  const SemanticModel semantic = parse_semantic(R"(
    <group name="whole"><group name="arm"/><group name="drive"/></group>
    <group name="arm"><chain base_link="lift" tip_link="tip"/></group>
    <group name="drive"><joint name="p"/></group>
    <group name="hand"><link name="hand"/><link name="floor"/></group>
    <group name="mixed"><joint name="v"/><link name="lift"/><chain base_link="lift" tip_link="upper"/></group>
    <group name="empty"/>)");
  ASSERT_EQ(semantic.groups.size(), 6u);
  EXPECT_EQ(joint_names(robot, semantic.groups[0]), (Names{"p", "u", "v", "t"}));
  EXPECT_EQ(variable_names(robot, semantic.groups[0]), (Names{"p/x", "p/y", "p/theta", "u", "v"}));
  EXPECT_EQ(joint_names(robot, semantic.groups[1]), (Names{"u", "v", "t"}));
  EXPECT_EQ(joint_names(robot, semantic.groups[2]), Names{"p"});
  EXPECT_EQ(joint_names(robot, semantic.groups[3]), Names{"h"});  // no joint carries the root
  EXPECT_TRUE(semantic.groups[3].variables.empty());              // a mimic joint has none
  EXPECT_EQ(joint_names(robot, semantic.groups[4]), (Names{"l", "u", "v"}));
  EXPECT_TRUE(semantic.groups[5].all_joints.empty());
  EXPECT_EQ(semantic.groups[0].subgroups, (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(semantic.ignored.empty());
}

TEST(SrdfFile, AStateGivesAPlanarJointAllItsValues) {
  const SemanticModel semantic = parse_semantic(R"(<group name="g"><joint name="p"/><joint name="u"/></group>
    <group_state name="there" group="g"><joint name="u" value="0.5"/><joint name="p" value="1 -2 3"/></group_state>)");
  ASSERT_EQ(semantic.group_states.size(), 1u);
  EXPECT_EQ(semantic.group_states[0].values, (std::vector<VariableValue>{{4, 0.5}, {0, 1.0}, {1, -2.0}, {2, 3.0}}));
}

TEST(SrdfFile, WhatDoesNotFitTheRobotIsPassedOverAndSaid) {
  const SemanticModel semantic = parse_srdf(R"(<robot name="other">
<virtual_joint name="world_joint" type="floating" parent_frame="world" child_link="floor"/>
<end_effector name="e" parent_link="nowhere" group="none"/><passive_joint name="nothing"/>
<group name="g"><joint name="world_joint"/><joint name="u"/><passive_joint name="v"/></group>
<group_state name="s" group="g"><joint name="t" value="1"/><joint name="v" value="1"/><joint name="h" value="2"/>
<joint name="world_joint" value="0 0 0 0 0 0 1"/></group_state>
<disable_collisions link1="lift" link2="ghost" reason="Never"/>
<disable_collisions link1="ghost" link2="lift"/>
<disable_collisions link1="lift" link2="lift"/>
<disable_collisions link1="lift" link2="upper" reason="User"/>
<disable_collisions link1="upper" link2="lift" reason="Adjacent"/>
<disable_default_collisions link="hand"/>
</robot>)",
                                            mobile_robot());
  EXPECT_EQ(semantic.ignored, (Names{"<robot> (line 1): is about the robot \"other\", not \"mobile\"",
                                     "group \"g\", <joint> (line 4): \"world_joint\" is a virtual joint",
                                     "group state \"s\", <joint> (line 5): \"t\" is fixed or mimics another joint",
                                     "group state \"s\", <joint> (line 5): \"v\" is not a joint of the group",
                                     "group state \"s\", <joint> (line 5): \"h\" is fixed or mimics another joint",
                                     "group state \"s\", <joint> (line 6): \"world_joint\" is a virtual joint",
                                     "<disable_collisions> (line 7): \"ghost\" is not a link of the robot",
                                     "<disable_collisions> (line 8): \"ghost\" is not a link of the robot",
                                     "<disable_collisions> (line 9): \"lift\" is both links of the pair",
                                     "<disable_collisions> (line 11): \"upper\" and \"lift\" are a pair already",
                                     "<disable_default_collisions> (line 12): is not known"}));
  ASSERT_EQ(semantic.disabled_pairs.size(), 1u);
  EXPECT_EQ(semantic.disabled_pairs[0], (DisabledPair{2, 3, "User"}));
  EXPECT_TRUE(semantic.group_states.at(0).values.empty());
  EXPECT_EQ(semantic.groups.at(0).all_joints, std::vector<std::size_t>{2});
}

TEST(SrdfFile, ElementsThatAreNotKnownAreSaidWhereverTheyAre) {
  const SemanticModel semantic = parse_semantic(R"(<group name="g"><joint name="u"><limit/></joint><jiont name="v"/>
<chain base_link="lift" tip_link="tip"><joint name="u"/></chain></group>
<group_state name="s" group="g"><jiont name="u" value="1"/>
<joint name="v" value="2"><value/></joint></group_state>
<disable_collisions link1="lift" link2="upper"><reason/></disable_collisions>)");
  EXPECT_EQ(semantic.ignored,
            (Names{"group \"g\", <limit> (line 2): is not known", "group \"g\", <jiont> (line 2): is not known",
                   "group \"g\", <joint> (line 3): is not known", "group state \"s\", <jiont> (line 4): is not known",
                   "group state \"s\", <value> (line 5): is not known", "<reason> (line 6): is not known"}));
  EXPECT_EQ(semantic.group_states.at(0).values, (std::vector<VariableValue>{{5, 2.0}}));
  EXPECT_EQ(semantic.disabled_pairs.size(), 1u);
}

TEST(SrdfFile, WhatIsWrittenIsReadBackEqual) {
  const RobotModel arm = test_arm();
  const SemanticModel semantic = read_srdf(planning_data("arm.srdf"), arm);
  expect_same(parse_srdf(written(arm, semantic), arm), semantic);

  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "copy.srdf";
  write_srdf(file, arm, semantic);
  expect_same(read_srdf(file, arm), semantic);

  // Names that XML must escape, values of many digits, joints of many variables, a pair without a reason.
  const RobotModel mobile = mobile_robot();
  SemanticModel made = parse_semantic(R"(<group name="a"><group name="b"/><link name="hand"/></group>
    <group name="b"><joint name="p"/><chain base_link="floor" tip_link="tip"/></group>)");
  made.groups[0].name = "\"a\" & <b>";
  made.group_states = {{"s 'one'", 1, {{4, 0.1}, {0, 1.0 / 3.0}, {1, -1e-300}, {2, 3.0}}}, {"s 'one'", 0, {}}};
  made.disabled_pairs = {{5, 1, "by > hand"}, {0, 2, ""}, {0, 3, " \t\n\r\r\n "}};
  expect_same(parse_srdf(written(mobile, made), mobile), made);
}

TEST(SrdfFile, IsWrittenAsPeopleWriteIt) {
  const RobotModel mobile = mobile_robot();
  SemanticModel semantic = parse_semantic("<group name=\"g\"><chain base_link=\"lift\" tip_link=\"tip\"/></group>");
  semantic.group_states = {{"up", 0, {{4, 0.5}}}};
  semantic.disabled_pairs = {{1, 2, kAdjacentReason}};
  EXPECT_EQ(written(mobile, semantic), R"(<?xml version="1.0"?>
<robot name="mobile">
    <group name="g">
        <chain base_link="lift" tip_link="tip"/>
    </group>
    <group_state name="up" group="g">
        <joint name="u" value="0.5"/>
    </group_state>
    <disable_collisions link1="base" link2="lift" reason="Adjacent"/>
</robot>
)");
}

TEST(SrdfFile, RefusesToWriteWhatHasNoName) {
  const RobotModel mobile = mobile_robot();
  const auto write_error = [&](const SemanticModel& semantic) {
    return error_of<InvalidInput>([&] { return written(mobile, semantic); });
  };
  SemanticModel semantic;
  semantic.name = "mobile";
  EXPECT_EQ(write_error(semantic), "no error");
  semantic.disabled_pairs = {{0, 7, ""}};
  EXPECT_EQ(write_error(semantic), "link: must be the index of one of 7, got 7");
  semantic.disabled_pairs.clear();
  semantic.group_states = {{"s", 0, {}}};
  EXPECT_EQ(write_error(semantic), "group: must be the index of one of 0, got 0");
  semantic.groups = {{"g", {}, {}, {}, {}, {}, {}}};
  semantic.group_states = {{"s", 0, {{99, 0.0}}}};
  EXPECT_EQ(write_error(semantic), "variable: must be the index of one of 6, got 99");
  semantic.group_states = {{"s", 0, {{0, 0.0}, {2, 0.0}}}};
  EXPECT_EQ(write_error(semantic),
            "group state \"s\": must have all values of the joint \"p\" or none, in the order of its variables");
  semantic.group_states = {{"s", 0, {{1, 0.0}}}};
  EXPECT_NE(write_error(semantic), "no error");
  semantic.group_states.clear();
  semantic.groups[0].name = std::string("g\0h", 3);
  EXPECT_EQ(write_error(semantic), "<group>: name must not hold a zero byte");
  semantic.groups[0].joints = {6};
  EXPECT_EQ(write_error(semantic), "joint: must be the index of one of 6, got 6");
  const TempFolder folder;
  const auto file = folder.path() / "none" / "x.srdf";
  semantic.groups.clear();
  EXPECT_EQ(error_of<FileError>([&] {
              write_srdf(file, mobile, semantic);
              return 0;
            }),
            file.string() + ": cannot be opened for writing: its folder does not exist");
}

TEST(SrdfFile, SaysWhatIsWrongWithAGroup) {
  EXPECT_EQ(error_of<InvalidInput>([] { return parse_srdf("<scene/>", mobile_robot()); }),
            "<scene> (line 1): must be <robot>");
  EXPECT_EQ(semantic_error("<group/>"), "<group> (line 2): must have the attribute name");
  EXPECT_EQ(semantic_error("<group name=\"g\"/>\n<group name=\"g\"/>"),
            "group \"g\", <group> (line 3): is given twice");
  EXPECT_EQ(semantic_error("<group name=\"g\"><joint name=\"w\"/></group>"),
            "group \"g\", <joint> (line 2): \"w\" is not a joint of the robot");
  EXPECT_EQ(semantic_error("<group name=\"g\">\n<link name=\"w\"/></group>"),
            "group \"g\", <link> (line 3): \"w\" is not a link of the robot");
  EXPECT_EQ(semantic_error("<group name=\"g\"><group name=\"w\"/></group>"),
            "group \"g\", <group> (line 2): \"w\" is not a group of the file");
  EXPECT_EQ(semantic_error("<group name=\"g\"><group name=\"g\"/></group>"),
            "group \"g\", <group> (line 2): is a part of itself");
  EXPECT_EQ(
      semantic_error("<group name=\"g\"><group name=\"h\"/></group>\n<group name=\"h\"><group name=\"g\"/></group>"),
      "group \"g\", <group> (line 2): is a part of itself");
  EXPECT_EQ(semantic_error("<group name=\"g\"><chain base_link=\"lift\"/></group>"),
            "group \"g\", <chain> (line 2): must have the attribute tip_link");
  EXPECT_EQ(semantic_error("<group name=\"g\"><chain base_link=\"lift\" tip_link=\"w\"/></group>"),
            "group \"g\", <chain> (line 2): \"w\" is not a link of the robot");
  for (const char* tip : {"hand", "base", "floor", "upper"}) {
    EXPECT_EQ(
        semantic_error("<group name=\"g\"><chain base_link=\"upper\" tip_link=\"" + std::string(tip) + "\"/></group>"),
        "group \"g\", <chain> (line 2): tip_link \"" + std::string(tip) + "\" must be below base_link \"upper\"");
  }
}

TEST(SrdfFile, GroupsMayBePartsOfEachOtherWithoutEnd) {
  constexpr int kGroups = 50'000;
  const auto chain_text = [](const std::string& last) {
    std::string text;
    for (int i = 0; i < kGroups; ++i) {
      text += "<group name=\"" + std::to_string(i) + "\"><group name=\"" + std::to_string(i + 1) + "\"/></group>";
    }
    return text + "<group name=\"" + std::to_string(kGroups) + "\">" + last + "</group>";
  };
  const SemanticModel semantic = parse_semantic(chain_text("<joint name=\"u\"/>"));
  EXPECT_EQ(semantic.groups.front().all_joints, std::vector<std::size_t>{2});
  EXPECT_NE(semantic_error(chain_text("<group name=\"100\"/>")).find("is a part of itself"), std::string::npos);
  // The group that the error names is in the cycle, not only above it.
  EXPECT_EQ(
      semantic_error("<group name=\"a\"><group name=\"b\"/></group>\n<group name=\"b\"><group name=\"b\"/></group>"),
      "group \"b\", <group> (line 3): is a part of itself");
}

TEST(SrdfFile, SaysWhatIsWrongWithAStateOrAPair) {
  const std::string group = "<group name=\"g\"><joint name=\"p\"/><joint name=\"u\"/></group>\n";
  const auto state_error = [&](const std::string& content) {
    return semantic_error(group + "<group_state name=\"s\" group=\"g\">" + content + "</group_state>");
  };
  EXPECT_EQ(semantic_error("<group_state group=\"g\"/>"), "<group_state> (line 2): must have the attribute name");
  EXPECT_EQ(semantic_error("<group_state name=\"s\" group=\"g\"/>"),
            "group state \"s\", <group_state> (line 2): \"g\" is not a group of the file");
  EXPECT_EQ(semantic_error(group + "<group_state name=\"s\" group=\"g\"/><group_state name=\"s\" group=\"g\"/>"),
            "group state \"s\", <group_state> (line 3): is given twice for the group \"g\"");
  EXPECT_EQ(state_error("<joint name=\"w\" value=\"1\"/>"),
            "group state \"s\", <joint> (line 3): \"w\" is not a joint of the robot");
  EXPECT_EQ(state_error("<joint name=\"u\"/>"), "group state \"s\", <joint> (line 3): must have the attribute value");
  EXPECT_EQ(state_error("<joint name=\"u\" value=\"up\"/>"),
            "group state \"s\", <joint> (line 3): value must be of finite numbers, got \"up\"");
  EXPECT_EQ(state_error("<joint name=\"u\" value=\"1 2\"/>"),
            "group state \"s\", <joint> (line 3): value must be 1 number, got \"1 2\"");
  EXPECT_EQ(state_error("<joint name=\"p\" value=\"1\"/>"),
            "group state \"s\", <joint> (line 3): value must be 3 numbers, got \"1\"");
  EXPECT_EQ(state_error("<joint name=\"u\" value=\"1\"/><joint name=\"u\" value=\"2\"/>"),
            "group state \"s\", <joint> (line 3): \"u\" has a value already");
  EXPECT_EQ(semantic_error("<disable_collisions link1=\"lift\"/>"),
            "<disable_collisions> (line 2): must have the attribute link2");
}

TEST(SrdfFile, ErrorsOfAFileBeginWithItsName) {
  const TempFolder folder;
  const auto file = folder.write("robot.srdf", srdf("<group name=\"g\"><joint name=\"w\"/></group>"));
  EXPECT_EQ(error_of<FileError>([&] { return read_srdf(file, mobile_robot()); }),
            file.string() + ": group \"g\", <joint> (line 2): \"w\" is not a joint of the robot");
  const auto broken = folder.write("broken.srdf", "<robot name=\"r\">\n<group>\n");
  EXPECT_EQ(
      error_of<FileError>([&] { return read_srdf(broken, mobile_robot()); }).rfind(broken.string() + ": line ", 0), 0u);
  const auto none = folder.path() / "none.srdf";
  EXPECT_EQ(error_of<FileError>([&] { return read_srdf(none, mobile_robot()); }), none.string() + ": does not exist");
}

}  // namespace
}  // namespace abut

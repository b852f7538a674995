// Frames made for speed against the plain recursion over joints.
#include <abut/planning/kinematics.h>
#include <gtest/gtest.h>
#include <planning/arm.h>
#include <support/random.h>

#include <numeric>

namespace abut {
namespace {

std::vector<std::size_t> all_variables(const RobotModel& robot) {
  std::vector<std::size_t> result(robot.variables().size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

void expect_links_where_the_robot_has_them(const RobotModel& robot, const std::vector<std::size_t>& variables,
                                           std::uint64_t seed, double range) {
  samples::Random random(seed);
  std::vector<double> values(robot.variables().size());
  for (double& value : values) value = random.uniform(-range, range);
  const detail::Kinematics kinematics(robot, variables, values);
  std::vector<Pose> frames(kinematics.frame_count());
  for (int i = 0; i < 20; ++i) {
    std::vector<double> configuration;
    for (const std::size_t variable : variables) {
      values[variable] = random.uniform(-range, range);
      configuration.push_back(values[variable]);
    }
    kinematics.poses(configuration, frames);
    const std::vector<Pose> expected = robot.link_poses(values);
    for (std::size_t link = 0; link < expected.size(); ++link) {
      const detail::LinkPlace& place = kinematics.place(link);
      const Pose pose = frames[place.frame] * place.frame_from_link;
      const double size = 1.0 + expected[link].translation().norm();
      EXPECT_LE((pose.translation() - expected[link].translation()).norm(), 1e-13 * size) << robot.links()[link].name;
      EXPECT_LE((pose.rotation() - expected[link].rotation()).norm(), 1e-13) << robot.links()[link].name;
    }
  }
}

RobotModel robot_of_every_joint() {
  std::vector<RobotLink> links(8);
  for (std::size_t i = 0; i < links.size(); ++i) links[i].name = "link " + std::to_string(i);
  samples::Random random(3);
  std::vector<RobotJoint> joints;
  const JointKind kinds[] = {JointKind::floating,   JointKind::revolute, JointKind::planar,  JointKind::prismatic,
                             JointKind::continuous, JointKind::fixed,    JointKind::revolute};
  for (std::size_t i = 0; i < 7; ++i) {
    RobotJoint joint;
    joint.name = "joint " + std::to_string(i);
    joint.kind = kinds[i];
    joint.parent_link = i < 4 ? i : 2;  // a branch
    joint.child_link = i + 1;
    joint.parent_from_joint = random.pose(0.5);
    joint.axis = random.direction();
    joint.lower = -2.0;
    joint.upper = 2.0;
    joints.push_back(joint);
  }
  joints[6].mimic = JointMimic{1, -0.5, 0.25};
  return RobotModel("every joint", std::move(links), std::move(joints));
}

TEST(Kinematics, PutsTheLinksWhereTheRobotHasThem) {
  expect_links_where_the_robot_has_them(test::test_arm(), all_variables(test::test_arm()), 1, 3.0);
}

TEST(Kinematics, KnowsEveryKindOfJoint) {
  const RobotModel robot = robot_of_every_joint();
  expect_links_where_the_robot_has_them(robot, all_variables(robot), 2, 2.0);
}

TEST(Kinematics, PutsFramesAgainstOneThatCarriesThem) {
  const RobotModel robot = robot_of_every_joint();
  samples::Random random(5);
  const detail::Kinematics kinematics(robot, all_variables(robot), robot.default_values());
  std::vector<Pose> from_root(kinematics.frame_count());
  std::vector<Pose> from_carrier(kinematics.frame_count());
  std::vector<double> configuration(kinematics.dimension());
  for (double& value : configuration) value = random.uniform(-2.0, 2.0);
  kinematics.poses(configuration, from_root);
  for (std::uint32_t frame = 0; frame < kinematics.frame_count(); ++frame) {
    for (std::uint32_t carrier = frame;; carrier = kinematics.frames()[carrier].parent) {
      kinematics.poses_between(carrier, frame, configuration, from_carrier);
      for (std::uint32_t f = frame;; f = kinematics.frames()[f].parent) {
        const Pose expected = Pose::relative(from_root[carrier], from_root[f]);
        EXPECT_LE((from_carrier[f].translation() - expected.translation()).norm(), 1e-13);
        EXPECT_LE((from_carrier[f].rotation() - expected.rotation()).norm(), 1e-13);
        if (f == carrier) break;
      }
      if (carrier == 0) break;
    }
  }
}

TEST(Kinematics, KeepsTheVariablesThatAConfigurationDoesNotGive) {
  const RobotModel robot = robot_of_every_joint();
  expect_links_where_the_robot_has_them(robot, {7, 2, 10}, 3, 2.0);
  expect_links_where_the_robot_has_them(robot, {}, 4, 2.0);
}

TEST(Kinematics, TakesAnglesOfAnySize) {
  expect_links_where_the_robot_has_them(test::test_arm(), all_variables(test::test_arm()), 5, 1e7);
}

TEST(Kinematics, TakesChainsOfAnyLength) {
  constexpr std::size_t kJoints = 150;
  std::vector<RobotLink> links(kJoints + 1);
  std::vector<RobotJoint> joints(kJoints);
  samples::Random random(6);
  for (std::size_t i = 0; i <= kJoints; ++i) links[i].name = "link " + std::to_string(i);
  for (std::size_t i = 0; i < kJoints; ++i) {
    joints[i].name = "joint " + std::to_string(i);
    joints[i].kind = i % 3 == 0 ? JointKind::prismatic : JointKind::continuous;
    joints[i].parent_link = i;
    joints[i].child_link = i + 1;
    joints[i].parent_from_joint = random.pose(0.01);
    joints[i].axis = random.direction();
    joints[i].lower = -0.01;
    joints[i].upper = 0.01;
  }
  const RobotModel robot("snake", std::move(links), std::move(joints));
  expect_links_where_the_robot_has_them(robot, all_variables(robot), 7, 0.01);
}

TEST(Kinematics, FindsTheFrameThatCarriesTwo) {
  const RobotModel robot = robot_of_every_joint();
  const detail::Kinematics kinematics(robot, all_variables(robot), robot.default_values());
  const std::uint32_t trunk = kinematics.place(2).frame;
  const std::uint32_t branch = kinematics.place(4).frame;
  const std::uint32_t other = kinematics.place(5).frame;
  EXPECT_EQ(kinematics.common_frame(branch, other), trunk);
  EXPECT_EQ(kinematics.common_frame(trunk, branch), trunk);
  EXPECT_EQ(kinematics.place(6).frame, trunk) << "a fixed joint makes no frame";
}

}  // namespace
}  // namespace abut

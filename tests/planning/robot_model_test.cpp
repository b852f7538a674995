// RobotModel: the tree and its errors, the variables of every kind of joint, and poses worked out by hand.
#include <abut/core/error.h>
#include <abut/planning/robot_model.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::error_text;
using std::numbers::pi;

constexpr double kRounding = 1e-12;

RobotLink link(const std::string& name) {
  return {.name = name, .geometry = {}};
}

RobotJoint joint(const std::string& name, JointKind kind, std::size_t parent, std::size_t child,
                 const Vector3d& axis = Vector3d::UnitZ()) {
  RobotJoint result;
  result.name = name;
  result.kind = kind;
  result.parent_link = parent;
  result.child_link = child;
  result.axis = axis;
  if (kind == JointKind::revolute || kind == JointKind::prismatic) {
    result.lower = -2.0;
    result.upper = 3.0;
  }
  return result;
}

// Two links and one joint, whose frame is at (1, 2, 3), turned by a quarter about z: its x axis is the parent's y.
RobotModel single(JointKind kind, const Vector3d& axis) {
  RobotJoint only = joint("j", kind, 0, 1, axis);
  only.parent_from_joint = Pose({1.0, 2.0, 3.0}, Quaterniond(Eigen::AngleAxisd(pi / 2.0, Vector3d::UnitZ())));
  return RobotModel("r", {link("a"), link("b")}, {only});
}

void expect_pose(const Pose& pose, const Vector3d& translation, const Matrix3d& rotation) {
  EXPECT_LT((pose.translation() - translation).norm(), kRounding) << pose.translation().transpose();
  EXPECT_LT((pose.rotation() - rotation).norm(), kRounding) << pose.rotation();
}

Matrix3d columns(const Vector3d& x, const Vector3d& y, const Vector3d& z) {
  Matrix3d matrix;
  matrix << x, y, z;
  return matrix;
}

std::string model_error(std::vector<RobotLink> links, std::vector<RobotJoint> joints) {
  return error_text([&] { RobotModel("r", std::move(links), std::move(joints)); });
}

const Vector3d kX = Vector3d::UnitX();
const Vector3d kY = Vector3d::UnitY();
const Vector3d kZ = Vector3d::UnitZ();

TEST(RobotModel, AFixedJointHasItsOwnPoseAndNoVariables) {
  const RobotModel robot = single(JointKind::fixed, kZ);
  EXPECT_TRUE(robot.variables().empty());
  EXPECT_FALSE(robot.first_variable(0));
  expect_pose(robot.link_poses({})[1], {1.0, 2.0, 3.0}, columns(kY, -kX, kZ));
}

TEST(RobotModel, RevoluteAndContinuousJointsTurnAboutTheirAxis) {
  for (const JointKind kind : {JointKind::revolute, JointKind::continuous}) {
    // About the joint's x, which is the root's y: z goes to x.
    const RobotModel robot = single(kind, 5.0 * kX);
    const std::vector<double> values = {pi / 2.0};
    expect_pose(robot.link_poses(values)[1], {1.0, 2.0, 3.0}, columns(kY, kZ, kX));
    EXPECT_EQ(robot.link_poses(values)[0], Pose());
  }
}

TEST(RobotModel, APrismaticJointSlidesAlongItsAxis) {
  const RobotModel robot = single(JointKind::prismatic, {0.0, 3.0, 4.0});  // the joint's y is the root's -x
  const std::vector<double> values = {0.5};
  expect_pose(robot.link_poses(values)[1], {1.0 - 0.3, 2.0, 3.4}, columns(kY, -kX, kZ));
}

TEST(RobotModel, APlanarJointSlidesAcrossItsAxisAndTurnsAboutIt) {
  const RobotModel robot = single(JointKind::planar, kZ);
  ASSERT_EQ(robot.variables().size(), 3u);
  EXPECT_EQ(robot.variables()[0].name, "j/x");
  EXPECT_EQ(robot.variables()[1].name, "j/y");
  EXPECT_EQ(robot.variables()[2].name, "j/theta");
  EXPECT_FALSE(robot.variables()[0].is_angle);
  EXPECT_TRUE(robot.variables()[2].is_angle);
  const std::vector<double> values = {0.25, 0.5, pi / 2.0};
  // The joint's x is the root's y, its y the root's -x; two quarters make a half turn.
  expect_pose(robot.link_poses(values)[1], {0.5, 2.25, 3.0}, columns(-kX, -kY, kZ));
}

TEST(RobotModel, AFloatingJointTurnsByRollPitchYawAboutFixedAxes) {
  RobotJoint only = joint("j", JointKind::floating, 0, 1);
  const RobotModel robot("r", {link("a"), link("b")}, {only});
  ASSERT_EQ(robot.variables().size(), 6u);
  const char* const names[] = {"j/x", "j/y", "j/z", "j/roll", "j/pitch", "j/yaw"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(robot.variables()[i].name, names[i]);
    EXPECT_EQ(robot.variables()[i].is_angle, i >= 3);
    EXPECT_FALSE(robot.variables()[i].has_limits);
    EXPECT_EQ(robot.variables()[i].upper, i >= 3 ? pi : std::numeric_limits<double>::infinity());
    EXPECT_EQ(robot.variables()[i].lower, -robot.variables()[i].upper);
  }
  // Roll by a quarter: y to z, z to -y. Then yaw by a quarter: x to y, y to -x.
  const std::vector<double> quarter = {1.0, 2.0, 3.0, pi / 2.0, 0.0, pi / 2.0};
  expect_pose(robot.link_poses(quarter)[1], {1.0, 2.0, 3.0}, columns(kY, kZ, kX));
  const std::vector<double> values = {0.0, 0.0, 0.0, 0.3, -0.4, 0.5};
  const Matrix3d expected =
      (Eigen::AngleAxisd(0.5, kZ) * Eigen::AngleAxisd(-0.4, kY) * Eigen::AngleAxisd(0.3, kX)).toRotationMatrix();
  expect_pose(robot.link_poses(values)[1], Vector3d::Zero(), expected);
}

TEST(RobotModel, PosesMultiplyAlongTheTreeWhateverTheOrderOfTheJoints) {
  // c hangs on b, b on a; the joint of c comes first.
  RobotJoint upper = joint("upper", JointKind::revolute, 1, 2);
  upper.parent_from_joint = Pose({1.0, 0.0, 0.0});
  RobotJoint lower = joint("lower", JointKind::prismatic, 0, 1, kX);
  lower.parent_from_joint = Pose({0.0, 0.0, 1.0});
  const RobotModel robot("r", {link("a"), link("b"), link("c")}, {upper, lower});
  EXPECT_EQ(robot.joints_from_root(), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(robot.variables()[0].name, "upper");
  const std::vector<double> values = {pi / 2.0, 0.5};
  const std::vector<Pose> poses = robot.link_poses(values);
  expect_pose(poses[1], {0.5, 0.0, 1.0}, Matrix3d::Identity());
  expect_pose(poses[2], {1.5, 0.0, 1.0}, columns(kY, -kX, kZ));
}

TEST(RobotModel, AMimicJointFollowsItsLeaderAndHasNoVariable) {
  RobotJoint follower = joint("follower", JointKind::prismatic, 0, 2, kY);
  follower.mimic = JointMimic{1, -2.0, 0.5};
  const RobotModel robot("r", {link("a"), link("b"), link("c")},
                         {follower, joint("leader", JointKind::revolute, 0, 1)});
  ASSERT_EQ(robot.variables().size(), 1u);
  EXPECT_EQ(robot.variables()[0].name, "leader");
  EXPECT_FALSE(robot.first_variable(0));
  EXPECT_EQ(robot.first_variable(1), 0u);
  const std::vector<double> values = {0.1};
  expect_pose(robot.link_poses(values)[2], {0.0, 0.3, 0.0}, Matrix3d::Identity());
}

TEST(RobotModel, VariablesHaveTheLimitsOfTheirJointsAndDefaultsWithinThem) {
  RobotJoint above = joint("above", JointKind::revolute, 0, 1);
  above.lower = 0.5;
  RobotJoint below = joint("below", JointKind::prismatic, 0, 2);
  below.upper = -0.25;
  const RobotModel robot("r", {link("a"), link("b"), link("c"), link("d")},
                         {above, below, joint("round", JointKind::continuous, 0, 3)});
  ASSERT_EQ(robot.variables().size(), 3u);
  EXPECT_EQ(robot.default_values(), (std::vector<double>{0.5, -0.25, 0.0}));
  EXPECT_TRUE(robot.variables()[0].has_limits);
  EXPECT_TRUE(robot.variables()[0].is_angle);
  EXPECT_FALSE(robot.variables()[1].is_angle);
  EXPECT_EQ(robot.variables()[1].lower, -2.0);
  EXPECT_FALSE(robot.variables()[2].has_limits);
  EXPECT_EQ(robot.variables()[2].lower, -pi);
}

TEST(RobotModel, FindsNamesAndNeighbours) {
  const RobotModel robot("r", {link("a"), link("b"), link("c")},
                         {joint("p", JointKind::planar, 0, 1), joint("q", JointKind::fixed, 1, 2)});
  EXPECT_EQ(robot.name(), "r");
  EXPECT_EQ(robot.root_link(), 0u);
  EXPECT_EQ(robot.find_link("c"), 2u);
  EXPECT_EQ(robot.find_joint("q"), 1u);
  EXPECT_EQ(robot.find_variable("p/theta"), 2u);
  EXPECT_FALSE(robot.find_link("p"));
  EXPECT_FALSE(robot.find_joint("a"));
  EXPECT_FALSE(robot.find_variable("p"));
  EXPECT_FALSE(robot.parent_joint(0));
  EXPECT_EQ(robot.parent_joint(2), 1u);
  EXPECT_TRUE(robot.adjacent(0, 1));
  EXPECT_TRUE(robot.adjacent(2, 1));
  EXPECT_FALSE(robot.adjacent(0, 2));
  EXPECT_FALSE(robot.adjacent(1, 1));
}

TEST(RobotModel, ALinkAloneIsARobot) {
  const RobotModel robot("r", {link("a")}, {});
  EXPECT_EQ(robot.link_poses({}), std::vector<Pose>{Pose()});
}

TEST(RobotModel, RefusesWhatIsNoTree) {
  const auto fixed = [](const std::string& name, std::size_t parent, std::size_t child) {
    return joint(name, JointKind::fixed, parent, child);
  };
  EXPECT_EQ(model_error({}, {}), "links: must hold at least one link");
  EXPECT_EQ(model_error({link("a"), link("")}, {}), "link[1].name: must not be empty");
  EXPECT_EQ(model_error({link("a"), link("a")}, {}), "link \"a\": is the name of an earlier link");
  EXPECT_EQ(model_error({link("a"), link("b"), link("c")}, {fixed("j", 0, 1), fixed("j", 0, 2)}),
            "joint \"j\": is the name of an earlier joint");
  EXPECT_EQ(model_error({link("a"), link("b")}, {}),
            "link \"b\": is a second root beside link \"a\": no joint has either as its child");
  EXPECT_EQ(model_error({link("a"), link("b")}, {fixed("j", 0, 2)}),
            "joint \"j\".child_link: must be the index of one of 2 links, got 2");
  EXPECT_EQ(model_error({link("a"), link("b"), link("c")}, {fixed("j", 0, 2), fixed("k", 1, 2)}),
            "link \"c\": must be the child of one joint, but is that of joint \"j\" and of joint \"k\"");
  EXPECT_EQ(model_error({link("a"), link("b")}, {fixed("j", 0, 1), fixed("k", 1, 0)}),
            "link \"a\": is below itself: the joints are a cycle, and no link is a root");
  EXPECT_EQ(model_error({link("a"), link("b"), link("c")}, {fixed("j", 1, 2), fixed("k", 2, 1)}),
            "link \"b\": is not below the root link \"a\": the joints above it are a cycle");
  EXPECT_EQ(model_error({link("a"), link("b"), link("c")},
                        {joint("j", JointKind::planar, 0, 1), joint("j/x", JointKind::continuous, 0, 2)}),
            "variable \"j/x\": is the name of an earlier variable");
}

TEST(RobotModel, RefusesAxesAndLimitsThatMeanNothing) {
  const auto error_with = [](const auto& change) {
    RobotJoint changed = joint("j", JointKind::revolute, 0, 1);
    change(changed);
    return model_error({link("a"), link("b")}, {changed});
  };
  EXPECT_EQ(error_with([](RobotJoint& j) { j.axis.setZero(); }),
            "joint \"j\".axis: must be longer than 0 and of finite length, got 0");
  EXPECT_EQ(error_with([](RobotJoint& j) { j.axis.y() = std::nan(""); }),
            "joint \"j\".axis[1]: must be finite, got nan");
  EXPECT_EQ(error_with([](RobotJoint& j) { j.lower = std::nan(""); }), "joint \"j\".lower: must be finite, got nan");
  EXPECT_EQ(error_with([](RobotJoint& j) { j.upper = std::numeric_limits<double>::infinity(); }),
            "joint \"j\".upper: must be finite, got inf");
  EXPECT_EQ(error_with([](RobotJoint& j) { j.lower = 4.0; }), "joint \"j\".lower: must be <= upper (3.000000), got 4");
  // Of no meaning, so not looked at.
  EXPECT_EQ(error_with([](RobotJoint& j) {
              j.kind = JointKind::fixed;
              j.axis.setZero();
            }),
            "no error");
}

TEST(RobotModel, RefusesPosesAndKindsThatMeanNothing) {
  const Pose nowhere = Pose::unchecked(Vector3d(0.0, std::nan(""), 0.0), Matrix3d::Identity());
  RobotJoint lost = joint("j", JointKind::fixed, 0, 1);
  lost.parent_from_joint = nowhere;
  EXPECT_EQ(model_error({link("a"), link("b")}, {lost}).find("joint \"j\".parent_from_joint"), 0u);
  const RobotLink empty{"b", {{"", Sphere(0.1), Pose()}, {"", Sphere(0.1), nowhere}}};
  EXPECT_EQ(model_error({link("a"), empty}, {joint("j", JointKind::fixed, 0, 1)})
                .find("link \"b\".geometry[1].link_from_shape"),
            0u);
  EXPECT_EQ(model_error({link("a"), link("b")}, {joint("j", static_cast<JointKind>(99), 0, 1)}),
            "joint \"j\".kind: is none of JointKind, got 99");
}

TEST(RobotModel, RefusesMimicsOfWhatHasNotOneValue) {
  const auto error_with = [](std::size_t leader, JointKind leader_kind, JointKind follower_kind, double multiplier) {
    RobotJoint follower = joint("f", follower_kind, 0, 1);
    follower.mimic = JointMimic{leader, multiplier, 0.0};
    return model_error({link("a"), link("b"), link("c")}, {follower, joint("l", leader_kind, 0, 2)});
  };
  EXPECT_EQ(error_with(1, JointKind::revolute, JointKind::prismatic, 1.0), "no error");
  EXPECT_EQ(error_with(0, JointKind::revolute, JointKind::prismatic, 1.0),
            "joint \"f\".mimic.joint: must be another joint");
  EXPECT_EQ(error_with(7, JointKind::revolute, JointKind::prismatic, 1.0),
            "joint \"f\".mimic.joint: must be the index of one of 2 joints, got 7");
  EXPECT_EQ(error_with(1, JointKind::planar, JointKind::prismatic, 1.0),
            "joint \"f\".mimic.joint: joint \"l\" is not revolute, continuous or prismatic");
  EXPECT_EQ(error_with(1, JointKind::revolute, JointKind::fixed, 1.0),
            "joint \"f\".mimic: only revolute, continuous and prismatic joints can mimic another");
  EXPECT_EQ(error_with(1, JointKind::revolute, JointKind::prismatic, std::nan("")),
            "joint \"f\".mimic.multiplier: must be finite, got nan");

  RobotJoint first = joint("f", JointKind::prismatic, 0, 1);
  first.mimic = JointMimic{1, 1.0, 0.0};
  RobotJoint second = joint("s", JointKind::prismatic, 0, 2);
  second.mimic = JointMimic{0, 1.0, 0.0};
  EXPECT_EQ(model_error({link("a"), link("b"), link("c")}, {first, second}),
            "joint \"f\".mimic.joint: joint \"s\" mimics a joint itself");
}

TEST(RobotModel, RefusesConfigurationsOfTheWrongSizeOrWithoutMeaning) {
  const RobotModel robot = single(JointKind::revolute, kZ);
  const auto error_of_values = [&](const std::vector<double>& values) {
    return error_text([&] { static_cast<void>(robot.link_poses(values)); });
  };
  EXPECT_EQ(error_of_values({}), "values: must be one a variable, 1, got 0");
  EXPECT_EQ(error_of_values({0.0, 0.0}), "values: must be one a variable, 1, got 2");
  EXPECT_EQ(error_of_values({std::nan("")}), "j: must be finite, got nan");
}

TEST(RobotModel, PlanarAxesAreRightHandedWithEveryAxis) {
  EXPECT_EQ(planar_axes(kZ).x, kX);
  EXPECT_EQ(planar_axes(kZ).y, kY);
  samples::Random random(1);
  std::vector<Vector3d> all = {kX, -kX, kY, -kY, kZ, -kZ, Vector3d(1e-9, 0.0, -1.0).normalized()};
  for (int i = 0; i < 200; ++i) all.push_back(random.direction());
  for (const Vector3d& axis : all) {
    SCOPED_TRACE(testing::Message() << axis.transpose());
    const PlanarAxes axes = planar_axes(axis);
    EXPECT_LT((columns(axes.x, axes.y, axis).transpose() * columns(axes.x, axes.y, axis) - Matrix3d::Identity()).norm(),
              kRounding);
    EXPECT_LT((axes.x.cross(axes.y) - axis).norm(), kRounding);
  }
}

TEST(LinkPairs, AreUnordered) {
  LinkPairs pairs(3);
  EXPECT_FALSE(pairs.contains(0, 2));
  pairs.insert(2, 0);
  EXPECT_TRUE(pairs.contains(0, 2));
  EXPECT_TRUE(pairs.contains(2, 0));
  EXPECT_FALSE(pairs.contains(1, 2));
  pairs.erase(0, 2);
  EXPECT_EQ(pairs, LinkPairs(3));
  EXPECT_EQ(error_text([&] { pairs.insert(0, 3); }), "link: must be the index of one of 3 links, got 3");
}

}  // namespace
}  // namespace abut

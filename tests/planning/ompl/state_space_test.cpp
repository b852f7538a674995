// The space: its bounds, its names, what it refuses, and configurations in and out of it.
#include <abut/planning/ompl/state_space.h>
#include <gtest/gtest.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <support/error_text.h>

#include <numbers>
#include <string>
#include <vector>

#include "arm_space.h"

namespace abut {
namespace {

using samples::error_text;

RobotJoint joint_of(const std::string& name, JointKind kind, double lower = 0.0, double upper = 0.0) {
  RobotJoint joint;
  joint.name = name;
  joint.kind = kind;
  joint.child_link = 1;
  joint.lower = lower;
  joint.upper = upper;
  return joint;
}

ValidityChecker checker_of(const RobotJoint& joint) {
  return ValidityChecker(RobotModel("robot", {{"base", {}}, {"moving", {{"", Sphere(0.1), Pose()}}}}, {joint}));
}

const ompl::base::RealVectorStateSpace& real(const ompl::base::StateSpacePtr& space) {
  return *space->as<ompl::base::RealVectorStateSpace>();
}

TEST(OmplStateSpace, HasTheVariablesOfTheCheckerWithTheirLimits) {
  const ValidityChecker checker = test::arm_checker({});
  const ompl::base::StateSpacePtr space = make_state_space(checker);
  ASSERT_EQ(space->getDimension(), 7u);
  EXPECT_EQ(space->getName(), "test_arm");
  for (unsigned i = 0; i < 7; ++i) {
    const RobotVariable& variable = checker.robot().variables()[checker.variables()[i]];
    EXPECT_EQ(real(space).getDimensionName(i), variable.name);
    EXPECT_EQ(real(space).getBounds().low[i], variable.lower);
    EXPECT_EQ(real(space).getBounds().high[i], variable.upper);
  }
}

TEST(OmplStateSpace, BoundsAnAngleWithoutLimitsByAHalfTurnToEitherSide) {
  const ValidityChecker checker = checker_of(joint_of("wheel", JointKind::continuous));
  const ompl::base::StateSpacePtr space = make_state_space(checker);
  EXPECT_EQ(real(space).getBounds().low[0], -std::numbers::pi);
  EXPECT_EQ(real(space).getBounds().high[0], std::numbers::pi);
}

TEST(OmplStateSpace, TakesBoundsInThePlaceOfLimits) {
  const ValidityChecker checker = checker_of(joint_of("cart", JointKind::planar));
  const std::vector<VariableBounds> bounds = {{"cart/y", -2.0, 3.0}, {"cart/x", -1.0, 1.0}};
  const ompl::base::StateSpacePtr space = make_state_space(checker, bounds);
  EXPECT_EQ(real(space).getBounds().high[0], 1.0);
  EXPECT_EQ(real(space).getBounds().high[1], 3.0);
  EXPECT_EQ(real(space).getBounds().high[2], std::numbers::pi);
}

TEST(OmplStateSpace, NamesAVariableThatCannotBeBounded) {
  const ValidityChecker cart = checker_of(joint_of("cart", JointKind::planar));
  EXPECT_EQ(error_text([&] { static_cast<void>(make_state_space(cart)); }),
            "cart/x: has no limits: bounds must be given to plan with it");
  const auto with = [](const ValidityChecker& checker, std::vector<VariableBounds> bounds) {
    return error_text([&] { static_cast<void>(make_state_space(checker, bounds)); });
  };
  EXPECT_EQ(with(cart, {{"cart/x", -1.0, 1.0}}).substr(0, 8), "cart/y: ");
  EXPECT_EQ(with(cart, {{"cart/x", 1.0, 1.0}}), "cart/x: must have finite bounds, the lower less than the upper");
  EXPECT_EQ(with(cart, {{"cart/z", -1.0, 1.0}}), "bounds: must be of the checker's variables, got \"cart/z\"");
  EXPECT_EQ(with(cart, {{"cart/x", -1.0, 1.0}, {"cart/x", -1.0, 2.0}}),
            "bounds: must name a variable once, got \"cart/x\" twice");
  const ValidityChecker stuck = checker_of(joint_of("stuck", JointKind::revolute, 0.5, 0.5));
  EXPECT_EQ(error_text([&] { static_cast<void>(make_state_space(stuck)); }),
            "stuck: has no room between its limits: must not be one of the checker's variables");
}

TEST(OmplStateSpace, HoldsConfigurations) {
  test::ArmSpace arm;
  const std::vector<double> configuration = test::left_of_the_wall();
  ompl::base::State* state = arm.states.add(configuration);
  EXPECT_EQ(configuration_of(state, *arm.space), configuration);
  EXPECT_EQ(error_text([&] { set_configuration(*arm.space, std::vector<double>(3), state); }),
            "configuration: must have 7 numbers, got 3");
}

}  // namespace
}  // namespace abut

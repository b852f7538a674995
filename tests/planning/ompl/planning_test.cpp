// OMPL's planners on the adaptor: paths of the arm around a wall, every motion of which is certified.
#include <abut/planning/ompl/clearance_objective.h>
#include <abut/planning/ompl/motion_validity.h>
#include <abut/planning/ompl/state_validity.h>
#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/terminationconditions/IterationTerminationCondition.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/geometric/planners/rrt/RRTstar.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "arm_space.h"
#include "slider.h"

namespace abut {
namespace {

using test::ArmSpace;

ompl::geometric::SimpleSetup arm_problem(ArmSpace& arm) {
  ompl::RNG::setSeed(1);
  ompl::geometric::SimpleSetup setup(arm.information);
  setup.setStateValidityChecker(std::make_shared<CheckerStateValidity>(arm.information, arm.checker));
  arm.information->setMotionValidator(std::make_shared<CheckerMotionValidity>(arm.information, arm.checker));
  setup.setStartAndGoalStates({arm.space, arm.states.add(test::left_of_the_wall())},
                              {arm.space, arm.states.add(test::right_of_the_wall())});
  return setup;
}

void expect_certified_path(const ArmSpace& arm, const ompl::geometric::PathGeometric& path) {
  ASSERT_GE(path.getStateCount(), 3u) << "the straight motion meets the wall";
  EXPECT_EQ(configuration_of(path.getState(0), *arm.space), test::left_of_the_wall());
  EXPECT_EQ(configuration_of(path.getState(static_cast<unsigned>(path.getStateCount() - 1)), *arm.space),
            test::right_of_the_wall());
  ValidityChecker::State scratch(arm.checker);
  for (std::size_t i = 0; i + 1 < path.getStateCount(); ++i) {
    EXPECT_TRUE(arm.checker.is_motion_valid(configuration_of(path.getState(static_cast<unsigned>(i)), 7),
                                            configuration_of(path.getState(static_cast<unsigned>(i + 1)), 7), scratch))
        << "motion " << i;
  }
}

TEST(OmplPlanning, FindsACertifiedPathAroundTheWall) {
  ArmSpace arm;
  ompl::geometric::SimpleSetup setup = arm_problem(arm);
  setup.setPlanner(std::make_shared<ompl::geometric::RRTConnect>(arm.information));
  ompl::base::IterationTerminationCondition enough(100'000);
  ASSERT_EQ(setup.solve(enough), ompl::base::PlannerStatus::EXACT_SOLUTION);
  expect_certified_path(arm, setup.getSolutionPath());
  const double length = setup.getSolutionPath().length();
  setup.getPathSimplifier()->simplifyMax(setup.getSolutionPath());
  expect_certified_path(arm, setup.getSolutionPath());
  EXPECT_LE(setup.getSolutionPath().length(), length);
  EXPECT_GT(arm.information->getMotionValidator()->getCheckedMotionCount(), 10u);
}

// The smallest clearance of a path around the ball, of a planner that improves on it for a while.
double clearance_of_path(bool prefer_clearance) {
  ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
  test::Slider slider;
  ompl::RNG::setSeed(1);
  slider.space->setLongestValidSegmentFraction(0.05);
  slider.space->setup();
  ompl::geometric::SimpleSetup setup(slider.information);
  slider.information->setMotionValidator(std::make_shared<CheckerMotionValidity>(slider.information, slider.checker));
  const auto objective = std::make_shared<ClearanceObjective>(slider.information, slider.checker,
                                                              ClearanceObjectiveOptions{.ample_clearance = 0.3});
  if (prefer_clearance) setup.setOptimizationObjective(objective);
  setup.setStartAndGoalStates({slider.space, slider.at(-1.0, 0.1)}, {slider.space, slider.at(1.0, 0.1)});
  setup.setPlanner(std::make_shared<ompl::geometric::RRTstar>(slider.information));
  ompl::base::IterationTerminationCondition enough(800);
  EXPECT_EQ(setup.solve(enough), ompl::base::PlannerStatus::EXACT_SOLUTION);
  ompl::geometric::PathGeometric& path = setup.getSolutionPath();
  EXPECT_GE(path.cost(objective).value(), path.length() * (1.0 - 1e-12));
  EXPECT_TRUE(path.check());
  path.interpolate(200);
  double least = 1.0;
  const ompl::base::StateValidityCheckerPtr& validity = slider.information->getStateValidityChecker();
  for (const ompl::base::State* state : path.getStates()) least = std::min(least, validity->clearance(state));
  return least;
}

TEST(OmplPlanning, AnOptimisingPlannerKeepsClearWithTheClearanceObjective) {
  const double of_short_path = clearance_of_path(/*prefer_clearance=*/false);
  const double of_clear_path = clearance_of_path(/*prefer_clearance=*/true);
  EXPECT_GT(of_short_path, 0.0);
  EXPECT_GT(of_clear_path, 2.0 * of_short_path);
  EXPECT_GT(of_clear_path, 0.1);
}

}  // namespace
}  // namespace abut

// What states, motions and paths cost under the clearance objective.
#include <abut/planning/ompl/clearance_objective.h>
#include <abut/planning/ompl/state_validity.h>
#include <gtest/gtest.h>
#include <ompl/geometric/PathGeometric.h>
#include <support/error_text.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "arm_space.h"
#include "slider.h"

namespace abut {
namespace {

using test::ArmSpace;
using test::Slider;

TEST(OmplClearanceObjective, AStateCostsTheMoreTheNearerItIs) {
  Slider slider;
  const ClearanceObjective objective(slider.information, slider.checker,
                                     {.ample_clearance = 0.2, .least_clearance = 0.01});
  EXPECT_DOUBLE_EQ(objective.stateCost(slider.at(1.0, 0.0)).value(), 1.0);
  EXPECT_NEAR(objective.stateCost(slider.at(0.4, 0.0)).value(), 2.0, 1e-9);
  EXPECT_NEAR(objective.stateCost(slider.at(0.0, 0.35)).value(), 4.0, 1e-9);
  EXPECT_DOUBLE_EQ(objective.stateCost(slider.at(0.305, 0.0)).value(), 20.0);
  EXPECT_DOUBLE_EQ(objective.stateCost(slider.at(0.1, 0.0)).value(), 20.0) << "in collision";
}

TEST(OmplClearanceObjective, PrefersTheFartherOfTwoPaths) {
  Slider slider;
  const auto objective = std::make_shared<ClearanceObjective>(slider.information, slider.checker);
  const auto path_at = [&](double y) {
    ompl::geometric::PathGeometric path(slider.information);
    for (const double x : {-1.0, 0.0, 1.0}) path.append(slider.at(x, y));
    return path;
  };
  const ompl::geometric::PathGeometric near = path_at(0.31);
  const ompl::geometric::PathGeometric far = path_at(0.39);
  const ompl::geometric::PathGeometric open = path_at(1.0);
  EXPECT_NEAR(near.length(), far.length(), 1e-12);
  EXPECT_TRUE(objective->isCostBetterThan(far.cost(objective), near.cost(objective)));
  EXPECT_TRUE(objective->isCostBetterThan(open.cost(objective), far.cost(objective)));
  EXPECT_NEAR(open.cost(objective).value(), open.length(), 1e-9) << "its length where there is ample room";
}

TEST(OmplClearanceObjective, AMotionCostsNoLessThanTheHeuristicSaysAndTheSameBackwards) {
  ArmSpace arm;
  arm.information->setStateValidityChecker(std::make_shared<CheckerStateValidity>(arm.information, arm.checker));
  arm.information->setup();
  const ClearanceObjective objective(arm.information, arm.checker);
  samples::Random random(4);
  double most = 0.0;
  for (int i = 0; i < 40; ++i) {
    const ompl::base::State* s1 = arm.states.add(arm.random_configuration(random));
    const ompl::base::State* s2 = arm.states.add(arm.random_configuration(random));
    const double cost = objective.motionCost(s1, s2).value();
    const double heuristic = objective.motionCostHeuristic(s1, s2).value();
    EXPECT_GE(cost, heuristic * (1.0 - 1e-12));
    EXPECT_LE(cost, 20.0 * heuristic * (1.0 + 1e-12));
    EXPECT_NEAR(cost, objective.motionCost(s2, s1).value(), 1e-6 * cost);
    most = std::max(most, cost / heuristic);
  }
  EXPECT_GT(most, 2.0);
}

TEST(OmplClearanceObjective, RefusesOptionsThatMakeNoSense) {
  Slider slider;
  const auto text = [&](const ClearanceObjectiveOptions& options) {
    return samples::error_text([&] { ClearanceObjective(slider.information, slider.checker, options); });
  };
  EXPECT_EQ(text({.ample_clearance = -1.0}).substr(0, 17), "ample_clearance: ");
  EXPECT_EQ(text({.least_clearance = 0.0}).substr(0, 17), "least_clearance: ");
  EXPECT_EQ(text({.least_clearance = 0.1}), "least_clearance: must be less than ample_clearance, got 0.1");
}

}  // namespace
}  // namespace abut

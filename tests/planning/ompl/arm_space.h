// The test arm between a wall and a pole, as OMPL sees it.
#pragma once

#include <abut/planning/ompl/state_space.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateSpace.h>
#include <ompl/util/Console.h>
#include <support/random.h>

#include <memory>
#include <span>
#include <vector>

#include "../arm.h"

namespace abut::test {

/// What a State has seen before shows in the last digits of distances and fractions.
inline constexpr double kRounding = 1e-9;

/// The arm's seven joints; the gripper stays closed.
inline ValidityChecker arm_checker(std::vector<Obstacle> obstacles) {
  const RobotModel robot = test_arm();
  const SemanticModel semantic = read_srdf(planning_data("arm.srdf"), robot);
  ValidityOptions options;
  for (int joint = 1; joint <= 7; ++joint) options.variables.push_back("joint_" + std::to_string(joint));
  options.disabled_pairs = link_pairs(semantic.disabled_pairs, robot.links().size());
  return ValidityChecker(robot, std::move(obstacles), options);
}

/// A low wall ahead of the arm, from its foot outwards, and a pole behind it.
inline std::vector<Obstacle> wall_and_pole() {
  return {{"wall", Box({0.3, 0.02, 0.25}), Pose({0.6, 0.0, 0.25})},
          {"pole", Cylinder(0.04, 0.5), Pose({-0.35, 0.1, 0.5})}};
}

/// On the two sides of the wall, the hand low.
inline std::vector<double> left_of_the_wall() {
  return {0.6, 0.9, 0.0, -1.3, 0.0, 0.8, 0.0};
}
inline std::vector<double> right_of_the_wall() {
  return {-0.6, 0.9, 0.0, -1.3, 0.0, 0.8, 0.0};
}

/// States of a space that free themselves.
class States {
 public:
  explicit States(ompl::base::StateSpacePtr space) : space_(std::move(space)) {}
  ~States() {
    for (ompl::base::State* state : states_) space_->freeState(state);
  }
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  ompl::base::State* add(std::span<const double> configuration) {
    states_.push_back(space_->allocState());
    set_configuration(*space_, configuration, states_.back());
    return states_.back();
  }

 private:
  ompl::base::StateSpacePtr space_;
  std::vector<ompl::base::State*> states_;
};

struct ArmSpace {
  explicit ArmSpace(std::vector<Obstacle> obstacles = wall_and_pole())
      : checker(arm_checker(std::move(obstacles))),
        space(make_state_space(checker)),
        information(std::make_shared<ompl::base::SpaceInformation>(space)),
        states(space) {
    ompl::msg::setLogLevel(ompl::msg::LOG_NONE);
    space->setup();
  }

  /// Within the limits.
  [[nodiscard]] std::vector<double> random_configuration(samples::Random& random) const {
    std::vector<double> values;
    for (const std::size_t variable : checker.variables()) {
      const RobotVariable& limits = checker.robot().variables()[variable];
      values.push_back(random.uniform(limits.lower, limits.upper));
    }
    return values;
  }

  ValidityChecker checker;
  ompl::base::StateSpacePtr space;
  ompl::base::SpaceInformationPtr information;
  States states;
};

}  // namespace abut::test

#include "rrt_connect.h"

#include "measured.h"

#include <ompl/base/MotionValidator.h>
#include <ompl/base/StateValidityChecker.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <utility>

namespace abut::bench {
namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

constexpr double kStep = 0.07;

std::span<const double> values_of(const ob::State* state, std::size_t dimension) {
  return {state->as<ob::RealVectorStateSpace::StateType>()->values, dimension};
}

class CheckedStates final : public ob::StateValidityChecker {
 public:
  CheckedStates(const ob::SpaceInformationPtr& space, PlanningPeer& peer)
      : ob::StateValidityChecker(space), peer_(peer), dimension_(space->getStateDimension()) {}
  bool isValid(const ob::State* state) const override { return peer_.is_valid(values_of(state, dimension_)); }

 private:
  PlanningPeer& peer_;
  std::size_t dimension_;
};

class CertifiedMotions final : public ob::MotionValidator {
 public:
  CertifiedMotions(const ob::SpaceInformationPtr& space, PlanningPeer& peer)
      : ob::MotionValidator(space), peer_(peer), dimension_(space->getStateDimension()) {}

  bool checkMotion(const ob::State* from, const ob::State* to) const override {
    const auto from_values = values_of(from, dimension_);
    const auto to_values = values_of(to, dimension_);
    motion_.from.assign(from_values.begin(), from_values.end());
    motion_.to.assign(to_values.begin(), to_values.end());
    const bool is_valid = peer_.is_motion_certified(motion_);
    ++(is_valid ? valid_ : invalid_);
    return is_valid;
  }
  // RRT-Connect does not ask how far; the start is far enough for those who do.
  bool checkMotion(const ob::State* from, const ob::State* to,
                   std::pair<ob::State*, double>& last_valid) const override {
    if (checkMotion(from, to)) return true;
    if (last_valid.first != nullptr) si_->copyState(last_valid.first, from);
    last_valid.second = 0.0;
    return false;
  }

 private:
  PlanningPeer& peer_;
  std::size_t dimension_;
  mutable Motion motion_;
};

}  // namespace

PlannerRun run_rrt_connect(const PlanningRobot& robot, const PlanningProblem& problem, PlanningPeer& peer,
                           Certainty certainty, std::uint32_t seed, double limit_seconds) {
  ompl::msg::noOutputHandler();
  ompl::RNG::setSeed(seed);
  const std::size_t dimension = robot.lower.size();
  ob::RealVectorBounds bounds(static_cast<unsigned>(dimension));
  bounds.low = robot.lower;
  bounds.high = robot.upper;
  auto space = std::make_shared<ob::RealVectorStateSpace>(static_cast<unsigned>(dimension));
  space->setBounds(bounds);
  og::SimpleSetup setup(space);
  const ob::SpaceInformationPtr& information = setup.getSpaceInformation();
  setup.setStateValidityChecker(std::make_shared<CheckedStates>(information, peer));
  setup.getSpaceInformation()->setStateValidityCheckingResolution(kStep / space->getMaximumExtent());
  if (certainty == Certainty::certified) {
    information->setMotionValidator(std::make_shared<CertifiedMotions>(information, peer));
  }
  ob::ScopedState<> start(space);
  ob::ScopedState<> goal(space);
  for (std::size_t i = 0; i < dimension; ++i) {
    start[static_cast<unsigned>(i)] = problem.start[i];
    goal[static_cast<unsigned>(i)] = problem.goal[i];
  }
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<og::RRTConnect>(information));
  setup.setup();

  const double begin = cpu_seconds();
  const ob::PlannerTerminationCondition give_up([end = begin + limit_seconds] { return cpu_seconds() > end; });
  const bool is_solved = setup.getPlanner()->solve(give_up) == ob::PlannerStatus::EXACT_SOLUTION;
  return {is_solved, cpu_seconds() - begin};
}

}  // namespace abut::bench

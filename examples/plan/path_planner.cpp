// The adaptor's classes put together; times and counts are taken around each stage.
#include "path_planner.h"

#include <abut/planning/ompl/clearance_objective.h>
#include <abut/planning/ompl/motion_validity.h>
#include <abut/planning/ompl/state_space.h>
#include <abut/planning/ompl/state_validity.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/informedtrees/BITstar.h>
#include <ompl/geometric/planners/kpiece/LBKPIECE1.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <ompl/util/RandomNumbers.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

namespace abut::plan {
namespace {

constexpr int kMostRounds = 20;                // of simplification
constexpr double kWorthwhile = 0.99;           // of the length: a round that leaves more was the last one
constexpr std::size_t kClearancePlaces = 500;  // along the path, where the clearance is measured

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double distance_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (b[i] - a[i]) * (b[i] - a[i]);
  return std::sqrt(sum);
}

ompl::base::PlannerPtr make_planner(Planner planner, const ompl::base::SpaceInformationPtr& information) {
  switch (planner) {
    case Planner::rrt_connect:
      return std::make_shared<ompl::geometric::RRTConnect>(information);
    case Planner::lbkpiece:
      return std::make_shared<ompl::geometric::LBKPIECE1>(information);
    case Planner::bit_star:
    case Planner::bit_star_clearance:
      break;
  }
  return std::make_shared<ompl::geometric::BITstar>(information);
}

// The simplifier tries shortcuts at random: again as long as that helps.
void shorten(ompl::geometric::PathSimplifier& simplifier, ompl::geometric::PathGeometric& path) {
  for (int round = 0; round < kMostRounds; ++round) {
    const double before = path.length();
    simplifier.simplifyMax(path);
    if (!(path.length() < kWorthwhile * before)) break;
  }
}

void certify(const PlanningTask& task, PlannedPath& path) {
  const auto start = std::chrono::steady_clock::now();
  ValidityChecker::State state(task.checker);
  for (std::size_t i = 0; i + 1 < path.states.size() && path.collision.empty(); ++i) {
    const MotionCheck check = task.checker.check_motion(path.states[i], path.states[i + 1], state);
    ++path.certifying.motions;
    // Within the tolerance of contact a proof may succeed one way and not the other; either is one.
    if (check.is_valid || task.checker.is_motion_valid(path.states[i], path.states[i + 1], state) ||
        task.checker.is_motion_valid(path.states[i + 1], path.states[i], state)) {
      continue;
    }
    path.collision = "motion " + std::to_string(i + 1) + ": " + std::string(check.pair.link) + " meets " +
                     std::string(check.pair.other);
  }
  path.certifying.seconds = seconds_since(start);
}

void measure_clearance(const PlanningTask& task, PlannedPath& path) {
  ValidityChecker::State state(task.checker);
  path.least_clearance = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& configuration : spread_along(path.states, kClearancePlaces)) {
    const Clearance clearance = task.checker.clearance(configuration, state);
    if (!(clearance.distance < path.least_clearance)) continue;
    path.least_clearance = clearance.distance;
    path.nearest = std::string(clearance.pair.link) + " and " + std::string(clearance.pair.other);
  }
}

}  // namespace

PlannedPath plan_path(const PlanningTask& task, const PlannerOptions& options) {
  ompl::msg::setLogLevel(ompl::msg::LOG_ERROR);
  ompl::RNG::setSeed(options.seed);
  const ompl::base::StateSpacePtr space = make_state_space(task.checker);
  const auto information = std::make_shared<ompl::base::SpaceInformation>(space);
  information->setStateValidityChecker(std::make_shared<CheckerStateValidity>(information, task.checker));
  const auto motions = std::make_shared<CheckerMotionValidity>(information, task.checker,
                                                               MotionValidityOptions{.resolution = options.resolution});
  information->setMotionValidator(motions);

  ompl::geometric::SimpleSetup setup(information);
  ompl::base::ScopedState<> start(space);
  ompl::base::ScopedState<> goal(space);
  set_configuration(*space, task.start, start.get());
  set_configuration(*space, task.goal, goal.get());
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(make_planner(options.planner, information));
  if (options.planner == Planner::bit_star_clearance) {
    setup.setOptimizationObjective(std::make_shared<ClearanceObjective>(information, task.checker));
  }

  PlannedPath path;
  auto began = std::chrono::steady_clock::now();
  const bool is_found = setup.solve(options.time_limit) == ompl::base::PlannerStatus::EXACT_SOLUTION;
  path.planning = {seconds_since(began), motions->getCheckedMotionCount()};
  if (!is_found) return path;

  ompl::geometric::PathGeometric& found = setup.getSolutionPath();
  path.first_length = found.length();
  // Shortcuts would give away the clearance.
  if (options.planner != Planner::bit_star_clearance) {
    began = std::chrono::steady_clock::now();
    shorten(*setup.getPathSimplifier(), found);
    path.simplifying = {seconds_since(began), motions->getCheckedMotionCount() - path.planning.motions};
  }
  path.length = found.length();
  for (const ompl::base::State* state : found.getStates()) path.states.push_back(configuration_of(state, *space));
  certify(task, path);
  measure_clearance(task, path);
  return path;
}

std::vector<std::vector<double>> spread_along(const std::vector<std::vector<double>>& path, std::size_t count) {
  std::vector<double> places = {0.0};  // of the states, along the path
  for (std::size_t i = 1; i < path.size(); ++i) places.push_back(places.back() + distance_of(path[i - 1], path[i]));
  std::vector<std::vector<double>> spread;
  std::size_t next = 1;
  for (std::size_t k = 0; k + 1 < count; ++k) {
    const double place = places.back() * static_cast<double>(k) / static_cast<double>(count - 1);
    while (next + 1 < path.size() && places[next] <= place) ++next;
    if (next >= path.size() || !(places[next] > places[next - 1])) {
      spread.push_back(path.front());
      continue;
    }
    const double share = (place - places[next - 1]) / (places[next] - places[next - 1]);
    std::vector<double> configuration = path[next - 1];
    for (std::size_t i = 0; i < configuration.size(); ++i) {
      configuration[i] += share * (path[next][i] - configuration[i]);
    }
    spread.push_back(std::move(configuration));
  }
  spread.push_back(path.back());
  return spread;
}

}  // namespace abut::plan

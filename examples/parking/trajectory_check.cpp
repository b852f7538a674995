// Violations from the problem itself, distances from a finer drive and another solver of the library.
#include "trajectory_check.h"

#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace abut::parking {
namespace {

// How far values lie outside their bounds at most; infinite where one is not a number.
double largest_excess(const Eigen::VectorXd& values, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  if (!values.allFinite()) return std::numeric_limits<double>::infinity();
  return std::max({0.0, (lower - values).maxCoeff(), (values - upper).maxCoeff()});
}

}  // namespace

double TrajectoryCheck::largest_violation() const {
  return std::max({dynamics_violation, collision_violation, limit_violation});
}

TrajectoryCheck check(TrajectoryProblem& problem, const Eigen::VectorXd& variables, int substeps) {
  const ParkingTask& task = problem.task();
  TrajectoryCheck result;

  const Bounds limits = problem.variable_bounds();
  result.limit_violation = largest_excess(variables, limits.lower, limits.upper);
  const Eigen::VectorXd constraints = problem.constraints(variables);
  const Bounds bounds = problem.constraint_bounds();
  const Eigen::Index phi_count = task.knots - 2;
  const Eigen::Index gap_count = constraints.size() - phi_count;
  result.dynamics_violation =
      largest_excess(constraints.head(gap_count), bounds.lower.head(gap_count), bounds.upper.head(gap_count));
  result.collision_violation =
      largest_excess(constraints.tail(phi_count), bounds.lower.tail(phi_count), bounds.upper.tail(phi_count));

  result.driven.push_back(task.start);
  for (const Control& control : problem.trajectory(variables).controls) {
    for (int i = 0; i < substeps; ++i) {
      result.driven.push_back(step(task.car, result.driven.back(), control, task.interval() / substeps));
    }
  }
  result.smallest_distance = std::numeric_limits<double>::infinity();
  for (const State& state : result.driven) {
    const double gap =
        distance(task.car_shape, pose_of(task.car, state), task.parked_shape, task.world_from_parked()).distance;
    result.smallest_distance = std::min(result.smallest_distance, gap);
  }
  const State end = result.driven.back() - task.goal;
  result.goal_error = end.head<2>().norm();
  result.goal_heading_error = std::abs(std::remainder(end[kHeading], 2.0 * std::numbers::pi));
  return result;
}

}  // namespace abut::parking

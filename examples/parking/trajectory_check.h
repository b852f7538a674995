// An independent look at a finished trajectory: the constraints, and a drive by the controls alone.
#pragma once

#include <Eigen/Core>

#include <vector>

#include "trajectory_problem.h"

namespace abut::parking {

struct TrajectoryCheck {
  double dynamics_violation = 0.0;   ///< Largest gap between a step and the next knot, any component of the state.
  double collision_violation = 0.0;  ///< Largest shortfall of φ at a knot, clearance included, m².
  double limit_violation = 0.0;      ///< Largest excess over a limit of speed, steering or control.

  // Of a drive from the start by the controls alone, each interval in small steps.
  double smallest_distance = 0.0;   ///< Metres to the parked car, by abut::distance() and without the clearance.
  double goal_error = 0.0;          ///< Metres between where the car came and the goal.
  double goal_heading_error = 0.0;  ///< Radians.
  std::vector<State> driven;        ///< The states after all small steps, start included.

  [[nodiscard]] double largest_violation() const;
};

/// @param substeps  Small steps an interval, > 0.
[[nodiscard]] TrajectoryCheck check(TrajectoryProblem& problem, const Eigen::VectorXd& variables, int substeps = 20);

}  // namespace abut::parking

// The trajectory as a nonlinear program, free of any solver: variables, objective, constraints, their derivatives.
// Source: Tracy et al., "DiffPills", section V, transcribed by multiple shooting: the states at the knots are variables
// and a step of Runge-Kutta has to lead from each to the next.
//
// Variables: state and control of every knot in turn, the last knot without a control.
// Minimise   the control effort, sum of interval * (acceleration² + weight * steering_rate²)
// subject to state[k + 1] - step(state[k], control[k]) = 0   for every interval,
//            φ(state[k]) >= 0                                for every knot but the first and the last,
//            limits on speed, steering and controls; the first and the last state are given.
#pragma once

#include <Eigen/Core>

#include <vector>

#include "car.h"
#include "collision_constraint.h"
#include "parking_task.h"

namespace abut::parking {

struct Bounds {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
};

/// One number of a sparse matrix.
struct Entry {
  int row = 0;
  int column = 0;
  double value = 0.0;
};

struct Trajectory {
  std::vector<State> states;      ///< One a knot.
  std::vector<Control> controls;  ///< One an interval.
};

class TrajectoryProblem {
 public:
  /// @throws InvalidInput  naming the field of the task: fewer than three knots, a clearance or duration that is not
  ///                       finite or negative, a start or goal that lies closer to the parked car than the clearance.
  TrajectoryProblem(const ParkingTask& task, GradientMethod method);

  [[nodiscard]] const ParkingTask& task() const { return task_; }
  [[nodiscard]] int variable_count() const;
  [[nodiscard]] int constraint_count() const;
  [[nodiscard]] Bounds variable_bounds() const;
  [[nodiscard]] Bounds constraint_bounds() const;

  /// Two straight lines past the parked car at constant speed. They do not obey the dynamics. A guess through the
  /// parked car would be a bad one: where the cores of two capsules cross, φ is flat and tells no way out.
  [[nodiscard]] Eigen::VectorXd initial_guess() const;

  [[nodiscard]] double objective(const Eigen::VectorXd& variables) const;
  [[nodiscard]] Eigen::VectorXd objective_gradient(const Eigen::VectorXd& variables) const;
  [[nodiscard]] Eigen::VectorXd constraints(const Eigen::VectorXd& variables);
  /// The derivatives of constraints(): always the same rows and columns in the same order.
  [[nodiscard]] std::vector<Entry> jacobian(const Eigen::VectorXd& variables);

  [[nodiscard]] Trajectory trajectory(const Eigen::VectorXd& variables) const;

  [[nodiscard]] const CollisionEffort& collision_effort() const { return collision_.effort(); }

 private:
  [[nodiscard]] int interval_count() const { return task_.knots - 1; }
  [[nodiscard]] std::vector<State> inner_states(const Eigen::VectorXd& variables) const;

  ParkingTask task_;
  CollisionConstraint collision_;
};

}  // namespace abut::parking

// The variables of a knot lie together, so that the Jacobian of the dynamics is a band.
#include "trajectory_problem.h"

#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::parking {
namespace {

constexpr int kKnotSize = kStateSize + kControlSize;

// Where the variables of a knot begin: its state, then its control. And where the dynamics of an interval do.
int state_at(int knot) {
  return kKnotSize * knot;
}
int control_at(int knot) {
  return state_at(knot) + kStateSize;
}
int dynamics_at(int interval) {
  return kStateSize * interval;
}

// What a steering rate of 1 rad/s costs beside an acceleration of 1 m/s².
constexpr double kSteeringRateWeight = 4.0;

// Limits of the variables of one knot; those that have none are infinite.
Eigen::Vector<double, kKnotSize> largest_knot(const ParkingTask& task) {
  Eigen::Vector<double, kKnotSize> result;
  result.setConstant(std::numeric_limits<double>::infinity());
  result[kSpeed] = task.max_speed;
  result[kSteering] = task.max_steering;
  result[kStateSize + kAcceleration] = task.max_acceleration;
  result[kStateSize + kSteeringRate] = task.max_steering_rate;
  return result;
}

// The planner's car carries the clearance as a margin, so that φ >= 0 keeps it.
CollisionConstraint collision_constraint(const ParkingTask& task, GradientMethod method) {
  require_not_negative("clearance", task.clearance);
  return {task.car, Shape(task.car_shape, task.clearance), task.parked_shape, task.world_from_parked(), method};
}

void require_clear(const char* field, const ParkingTask& task, const State& state) {
  const double gap =
      distance(task.car_shape, pose_of(task.car, state), task.parked_shape, task.world_from_parked()).distance;
  if (!(gap >= task.clearance)) throw InvalidInput(field, "must keep the clearance from the parked car, metres", gap);
}

}  // namespace

TrajectoryProblem::TrajectoryProblem(const ParkingTask& task, GradientMethod method)
    : task_(task), collision_(collision_constraint(task, method)) {
  if (task.knots < 3) throw InvalidInput("knots", "must be at least 3", task.knots);
  require_positive("duration", task.duration);
  require_clear("start", task, task.start);
  require_clear("goal", task, task.goal);
}

int TrajectoryProblem::variable_count() const {
  return kKnotSize * task_.knots - kControlSize;
}

int TrajectoryProblem::constraint_count() const {
  return kStateSize * interval_count() + task_.knots - 2;
}

Bounds TrajectoryProblem::variable_bounds() const {
  Bounds bounds;
  bounds.upper = largest_knot(task_).replicate(task_.knots, 1).topRows(variable_count());
  bounds.lower = -bounds.upper;
  for (Eigen::VectorXd* side : {&bounds.lower, &bounds.upper}) {
    side->head<kStateSize>() = task_.start;
    side->tail<kStateSize>() = task_.goal;
  }
  return bounds;
}

Bounds TrajectoryProblem::constraint_bounds() const {
  Bounds bounds;
  bounds.lower = Eigen::VectorXd::Zero(constraint_count());
  bounds.upper = Eigen::VectorXd::Zero(constraint_count());
  bounds.upper.tail(task_.knots - 2).setConstant(std::numeric_limits<double>::infinity());
  return bounds;
}

Eigen::VectorXd TrajectoryProblem::initial_guess() const {
  const Eigen::Vector2d start = task_.start.head<2>();
  const Eigen::Vector2d goal = task_.goal.head<2>();
  const Eigen::Vector2d way = (goal - start).normalized();
  const Eigen::Vector2d to_left(-way.y(), way.x());
  // Far enough to the side for the parked car in any heading.
  const double parked_reach = task_.parked_shape.half_length() + task_.parked_shape.radius();
  const double offset = parked_reach + task_.car_shape.radius() + task_.clearance;
  const Eigen::Vector2d beside =
      Eigen::Vector2d(task_.parked_x, task_.parked_y) + (task_.side == Side::left ? offset : -offset) * to_left;
  const double length = (beside - start).norm() + (goal - beside).norm();
  const double share_to_beside = (beside - start).norm() / length;

  Eigen::VectorXd guess = Eigen::VectorXd::Zero(variable_count());
  for (int k = 0; k < task_.knots; ++k) {
    const double share = static_cast<double>(k) / interval_count();
    const bool is_before = share < share_to_beside;
    const Eigen::Vector2d from = is_before ? start : beside;
    const Eigen::Vector2d to = is_before ? beside : goal;
    const double along = is_before ? share / share_to_beside : (share - share_to_beside) / (1.0 - share_to_beside);
    auto state = guess.segment<kStateSize>(state_at(k));
    state.head<2>() = from + along * (to - from);
    state[kHeading] = std::atan2(to.y() - from.y(), to.x() - from.x());
    state[kSpeed] = length / task_.duration;
  }
  guess.head<kStateSize>() = task_.start;
  guess.tail<kStateSize>() = task_.goal;
  return guess;
}

double TrajectoryProblem::objective(const Eigen::VectorXd& variables) const {
  double effort = 0.0;
  for (int k = 0; k < interval_count(); ++k) {
    const auto control = variables.segment<kControlSize>(control_at(k));
    effort += control[kAcceleration] * control[kAcceleration] +
              kSteeringRateWeight * control[kSteeringRate] * control[kSteeringRate];
  }
  return task_.interval() * effort;
}

Eigen::VectorXd TrajectoryProblem::objective_gradient(const Eigen::VectorXd& variables) const {
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(variable_count());
  for (int k = 0; k < interval_count(); ++k) {
    const int at = control_at(k);
    gradient[at + kAcceleration] = 2.0 * task_.interval() * variables[at + kAcceleration];
    gradient[at + kSteeringRate] = 2.0 * task_.interval() * kSteeringRateWeight * variables[at + kSteeringRate];
  }
  return gradient;
}

Eigen::VectorXd TrajectoryProblem::constraints(const Eigen::VectorXd& variables) {
  Eigen::VectorXd result(constraint_count());
  for (int k = 0; k < interval_count(); ++k) {
    const State state = variables.segment<kStateSize>(state_at(k));
    const Control control = variables.segment<kControlSize>(control_at(k));
    const State next = variables.segment<kStateSize>(state_at(k + 1));
    result.segment<kStateSize>(dynamics_at(k)) = next - step(task_.car, state, control, task_.interval());
  }
  const std::vector<double> phi = collision_.values(inner_states(variables));
  result.tail(task_.knots - 2) = Eigen::Map<const Eigen::VectorXd>(phi.data(), task_.knots - 2);
  return result;
}

std::vector<Entry> TrajectoryProblem::jacobian(const Eigen::VectorXd& variables) {
  std::vector<Entry> entries;
  for (int k = 0; k < interval_count(); ++k) {
    const State state = variables.segment<kStateSize>(state_at(k));
    const Control control = variables.segment<kControlSize>(control_at(k));
    StepJacobian by_knot;
    static_cast<void>(step(task_.car, state, control, task_.interval(), &by_knot));
    for (int i = 0; i < kStateSize; ++i) {
      const int row = dynamics_at(k) + i;
      for (int j = 0; j < kKnotSize; ++j) entries.push_back({row, state_at(k) + j, -by_knot(i, j)});
      entries.push_back({row, state_at(k + 1) + i, 1.0});
    }
  }
  int knot = 1;
  for (const CollisionConstraint::Gradient& gradient : collision_.gradients(inner_states(variables))) {
    const int row = dynamics_at(interval_count()) + knot - 1;
    for (const int i : {kX, kY, kHeading}) entries.push_back({row, state_at(knot) + i, gradient[i]});
    ++knot;
  }
  return entries;
}

Trajectory TrajectoryProblem::trajectory(const Eigen::VectorXd& variables) const {
  Trajectory result;
  for (int k = 0; k < task_.knots; ++k) {
    result.states.emplace_back(variables.segment<kStateSize>(state_at(k)));
    if (k < interval_count()) {
      result.controls.emplace_back(variables.segment<kControlSize>(control_at(k)));
    }
  }
  return result;
}

std::vector<State> TrajectoryProblem::inner_states(const Eigen::VectorXd& variables) const {
  std::vector<State> states;
  states.reserve(static_cast<std::size_t>(task_.knots) - 2);
  for (int k = 1; k < interval_count(); ++k) states.emplace_back(variables.segment<kStateSize>(state_at(k)));
  return states;
}

}  // namespace abut::parking

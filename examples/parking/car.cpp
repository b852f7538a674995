// The equations of motion, and their derivatives through a step of Runge-Kutta.
#include "car.h"

#include <cmath>
#include <numbers>

namespace abut::parking {
namespace {

// [A B], the derivatives of rate() by state and control.
StepJacobian rate_jacobian(const Car& car, const State& state) {
  const double heading = state[kHeading];
  const double speed = state[kSpeed];
  const double tangent = std::tan(state[kSteering]);
  StepJacobian jacobian = StepJacobian::Zero();
  jacobian(kX, kHeading) = -speed * std::sin(heading);
  jacobian(kX, kSpeed) = std::cos(heading);
  jacobian(kY, kHeading) = speed * std::cos(heading);
  jacobian(kY, kSpeed) = std::sin(heading);
  jacobian(kHeading, kSpeed) = tangent / car.wheelbase;
  jacobian(kHeading, kSteering) = speed * (1.0 + tangent * tangent) / car.wheelbase;
  jacobian(kSpeed, kStateSize + kAcceleration) = 1.0;
  jacobian(kSteering, kStateSize + kSteeringRate) = 1.0;
  return jacobian;
}

}  // namespace

State rate(const Car& car, const State& state, const Control& control) {
  const double heading = state[kHeading];
  const double speed = state[kSpeed];
  State result;
  result[kX] = speed * std::cos(heading);
  result[kY] = speed * std::sin(heading);
  result[kHeading] = speed * std::tan(state[kSteering]) / car.wheelbase;
  result[kSpeed] = control[kAcceleration];
  result[kSteering] = control[kSteeringRate];
  return result;
}

State step(const Car& car, const State& state, const Control& control, double seconds, StepJacobian* jacobian) {
  // The slopes k1 to k4 are taken at states that follow from one another.
  const State k1 = rate(car, state, control);
  const State state2 = state + 0.5 * seconds * k1;
  const State k2 = rate(car, state2, control);
  const State state3 = state + 0.5 * seconds * k2;
  const State k3 = rate(car, state3, control);
  const State state4 = state + seconds * k3;
  const State k4 = rate(car, state4, control);

  if (jacobian != nullptr) {
    // Chain rule: a slope k(x + c k', u) has the derivatives A (dx + c dk') + B du.
    StepJacobian identity = StepJacobian::Zero();
    identity.leftCols<kStateSize>().setIdentity();
    const auto slope_jacobian = [&](const State& at, const StepJacobian& at_jacobian) {
      const StepJacobian local = rate_jacobian(car, at);
      StepJacobian result = local.leftCols<kStateSize>() * at_jacobian;
      result.rightCols<kControlSize>() += local.rightCols<kControlSize>();
      return result;
    };
    const StepJacobian d1 = slope_jacobian(state, identity);
    const StepJacobian d2 = slope_jacobian(state2, identity + 0.5 * seconds * d1);
    const StepJacobian d3 = slope_jacobian(state3, identity + 0.5 * seconds * d2);
    const StepJacobian d4 = slope_jacobian(state4, identity + seconds * d3);
    *jacobian = identity + seconds / 6.0 * (d1 + 2.0 * d2 + 2.0 * d3 + d4);
  }
  return state + seconds / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
}

Pose pose_of(double x, double y, double heading) {
  const Eigen::AngleAxisd lying_along_x(0.5 * std::numbers::pi, Vector3d::UnitY());
  return Pose({x, y, 0.0}, Eigen::AngleAxisd(heading, Vector3d::UnitZ()) * lying_along_x);
}

Pose pose_of(const Car& car, const State& state) {
  const double heading = state[kHeading];
  return pose_of(state[kX] + car.middle_from_axle * std::cos(heading),
                 state[kY] + car.middle_from_axle * std::sin(heading), heading);
}

}  // namespace abut::parking

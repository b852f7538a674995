// The car: how it moves (kinematic bicycle) and where that puts its capsule.
// Source: Tracy et al., "DiffPills: Differentiable Collision Detection for Capsules and Padded Polygons", section V,
// eq. 38 and 39, with the turning rate that the paper does not print: heading' = speed tan(steering) / wheelbase.
#pragma once

#include <abut/core/pose.h>

#include <Eigen/Core>

namespace abut::parking {

/// (x, y) of the middle of the rear axle, heading against the world's x axis, speed, angle of the front wheels; metres,
/// radians, seconds.
using State = Eigen::Matrix<double, 5, 1>;
inline constexpr int kX = 0;
inline constexpr int kY = 1;
inline constexpr int kHeading = 2;
inline constexpr int kSpeed = 3;
inline constexpr int kSteering = 4;

/// Acceleration (m/s²) and rate of the steering angle (rad/s).
using Control = Eigen::Vector2d;
inline constexpr int kAcceleration = 0;
inline constexpr int kSteeringRate = 1;

inline constexpr int kStateSize = 5;
inline constexpr int kControlSize = 2;

/// By the state (columns 0 to 4) and the control (columns 5 and 6).
using StepJacobian = Eigen::Matrix<double, kStateSize, kStateSize + kControlSize>;

struct Car {
  double wheelbase = 2.0;         ///< Metres between the axles.
  double middle_from_axle = 1.0;  ///< Metres from the rear axle forward to the middle of the capsule.
};

/// Time derivative of the state.
[[nodiscard]] State rate(const Car& car, const State& state, const Control& control);

/// The state after `seconds` of a constant control: one step of the classical Runge-Kutta method of fourth order.
/// @param jacobian  Where given, the exact derivatives of that step.
[[nodiscard]] State step(const Car& car, const State& state, const Control& control, double seconds,
                         StepJacobian* jacobian = nullptr);

/// world_from_car of a capsule that lies in the plane: its z axis points along the heading.
[[nodiscard]] Pose pose_of(double x, double y, double heading);

/// world_from_car, in the middle of the capsule.
[[nodiscard]] Pose pose_of(const Car& car, const State& state);

}  // namespace abut::parking

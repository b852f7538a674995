// The motion of a body over a unit of time: a pivot goes straight ahead, and the body turns about it evenly.
#pragma once

#include <abut/core/pose.h>
#include <Eigen/Core>
#include <Eigen/Geometry>

namespace abut {

/// Radians that a coordinate of RigidMotion::angular may have: bounds on the motion square it, and squares must be
/// doubles. From 1e9 on, the rounding of a t near 1 alone turns a body by about the tolerance of a contact, so that
/// answers there mean little; the first turns, which come at a small t, are followed as exactly as any.
inline constexpr double kMaxTurn = 1e100;

/// For t in [0, 1]. The pivot moves at constant velocity, the body turns at constant rate about an axis through it that
/// keeps its direction.
struct RigidMotion {
  Pose start{};                        ///< world_from_body at t = 0.
  Vector3d linear = Vector3d::Zero();  ///< Way of the pivot from t = 0 to 1, metres, world frame, finite.
  /// Rotation vector, radians, world frame, coordinates of at most kMaxTurn; more than a turn is allowed.
  Vector3d angular = Vector3d::Zero();
  Vector3d pivot = Vector3d::Zero();  ///< Metres, body frame, finite.

  /// From one pose to another, by the shorter turn.
  /// @param pivot  Body frame: the point that moves on a straight line.
  [[nodiscard]] static RigidMotion between(const Pose& start, const Pose& end,
                                           const Vector3d& pivot = Vector3d::Zero());

  /// By how much the body turns, radians: the length of `angular`, also where its square is no double. 0 of a zero
  /// vector alone.
  [[nodiscard]] double angle() const { return angular.stableNorm(); }
  /// world_from_body.
  [[nodiscard]] Pose at(double t) const;
  /// The same motion of a part that is fixed to the body.
  [[nodiscard]] RigidMotion of_part(const Pose& body_from_part) const;
};

/// @throws InvalidInput  naming "start.translation" or "start.rotation", "linear", "angular" or "pivot"; nothing where
///                       all of them are finite and a pose on the way may not be.
void require_motion(const RigidMotion& motion);

}  // namespace abut

// Signed distance of two convex shapes of the plane.
#pragma once

#include <abut/narrowphase/planar/planar_shape.h>

namespace abut::planar {

/// Signed separation of two shapes; metres, world frame.
struct Separation {
  double distance = 0.0;                ///< > 0 apart, 0 touching, < 0: minus the penetration depth.
  Vector2d point_a = Vector2d::Zero();  ///< Witness point on the boundary of a.
  Vector2d point_b = Vector2d::Zero();
  Vector2d normal = Vector2d::UnitX();  ///< Unit, from a towards b; distance = (point_b - point_a).dot(normal).
};

/// Signed distance, witness points and normal, exact up to rounding: separating axes for the sign and the depth, then
/// the nearest features for a positive distance. No iteration; the cost grows with the product of the corner counts.
/// @param world_from_a, world_from_b  Finite.
[[nodiscard]] Separation distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b);

}  // namespace abut::planar

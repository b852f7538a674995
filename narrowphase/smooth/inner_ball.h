// Balls inside smooth bodies that touch them from within.
//
// Inside an ellipsoid W that touches a body at the support point of n (inner_ellipsoid.h), the largest ball that
// touches there too has the radius λ_min(W) / √(nᵀ W n). A smooth hull whose points do not come in opposite pairs has
// no such ellipsoid about its origin; but it has one that bounds its support function near n, and a ball about the
// origin bounds it elsewhere.
#pragma once

#include <abut/core/shape.h>

#include <algorithm>

namespace abut::detail {

/// A lower bound of the radius of the largest ball that lies inside the core and touches it at the support point of
/// `normal` (unit, body frame), metres; >= 0.
[[nodiscard]] double inner_ball_radius(const Superquadric& shape, const Vector3d& normal);
[[nodiscard]] double inner_ball_radius(const SmoothHull& shape, const Vector3d& normal);
[[nodiscard]] double inner_ball_radius(const SmoothRevolution& shape, const Vector3d& normal);

/// The core of a sphere is a point.
[[nodiscard]] inline double inner_ball_radius(const Sphere& /*shape*/, const Vector3d& /*normal*/) {
  return 0.0;
}

/// Exact. @param value  The support value at the normal.
[[nodiscard]] inline double inner_ball_radius(const Ellipsoid& shape, double value) {
  const double smallest = shape.radii().minCoeff();
  return smallest * smallest / value;
}
[[nodiscard]] inline double inner_ball_radius(const Ellipsoid& shape, const Vector3d& normal) {
  return inner_ball_radius(shape, shape.radii().cwiseProduct(normal).norm());
}

}  // namespace abut::detail

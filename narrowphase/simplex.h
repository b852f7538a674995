// The active set of GJK: up to four points of the Minkowski difference, and the point of their hull nearest the origin.
// Source: the projection step of GJK++, Alg. 4; the regions are decided by signed volumes, as in Montanari, Petrinic,
// Barbieri, "Improving the GJK algorithm for faster and more reliable distance queries" (ACM TOG 2017).
#pragma once

#include <abut/narrowphase/minkowski_difference.h>

#include <array>
#include <cstddef>

namespace abut::detail {

struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights;  ///< Convex: closest = Σ weights[i] points[i].difference.
  int size = 0;
  Vector3d closest = Vector3d::Zero();  ///< Nearest the origin; exactly along the face's normal when size is 3.

  [[nodiscard]] Vector3d witness_a() const;
  [[nodiscard]] Vector3d witness_b() const;
};

/// The simplex of one point.
[[nodiscard]] Simplex single_point(const DifferencePoint& point);

/// Adds a point and keeps the smallest subset of the points whose hull holds the point nearest the origin.
/// @param simplex  One to three points.
/// @return Four points exactly when the origin lies inside their tetrahedron; closest is then zero.
[[nodiscard]] Simplex extended(const Simplex& simplex, const DifferencePoint& point);

/// Weights of the point of a triangle (its own vertices, any frame) nearest the origin.
[[nodiscard]] std::array<double, 3> nearest_on_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r);

}  // namespace abut::detail

// The nearest points of two features of flat cores, faces, edges and corners, in closed form: the quadratic program
// with a given set of active rows as equations. Ends what the interior point begins, with all digits.
#pragma once

#include <abut/narrowphase/qp/pill_core.h>

#include <Eigen/Core>

namespace abut::detail {

/// One point on each core, from wherever the cores are measured.
struct CorePoints {
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();
  Vector3d gap = Vector3d::Zero();     ///< point_b - point_a, with its own digits.
  Vector3d across = Vector3d::Zero();  ///< Along the gap, from the features alone, or the gap: any length.
  bool is_unique = true;               ///< Of the flats.
};

/// The nearest points of the flats (planes, lines, points) that the features lie on.
/// @param held_b  A point of b: where the flats share a direction, the points stay as near to it as they can.
[[nodiscard]] CorePoints nearest_of_flats(const Feature& a, const Feature& b, const Vector3d& held_b);

/// Signed metres by which a flat's point leaves an edge.
[[nodiscard]] inline double outside_edge(const Feature& edge, const Vector3d& point) {
  const double along = edge.u.dot(point - edge.point);
  return std::max(edge.low - along, along - edge.high);
}

/// Sine of the angle by which the core of a feature rises towards n beyond it: <= 0 where the feature is farthest.
[[nodiscard]] inline double rise(const Feature& feature, const Vector3d& n) {
  double largest = 0.0;
  for (int i = 0; i < feature.inward_count; ++i) {
    largest = std::max(largest, feature.inward[static_cast<std::size_t>(i)].dot(n));
  }
  return largest;
}

}  // namespace abut::detail

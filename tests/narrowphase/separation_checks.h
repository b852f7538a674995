// Checks that an answer certifies itself, without a second solver: for any unit n, s(n) = -(h_A(n) + h_B(-n)) is a
// lower bound of the signed distance, so a normal with s(normal) = distance proves that the shapes are no nearer, and
// witness points at that distance prove that they are no farther apart.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

namespace abut::samples {

/// A convex shape or half-space at a pose, as its world support function.
class Placed {
 public:
  Placed(const Shape& shape, const Pose& world_from_body) : shape_(shape), pose_(world_from_body) {}

  [[nodiscard]] const HalfSpace* half_space() const { return shape_.get_if<HalfSpace>(); }
  /// World normal of a half-space.
  [[nodiscard]] Vector3d plane_normal() const { return pose_.rotate(half_space()->normal()); }
  /// The support value along a unit direction, relative to the body's origin; of a half-space along its normal.
  [[nodiscard]] double height(const Vector3d& direction) const {
    if (half_space() != nullptr) return half_space()->offset() + shape_.margin();
    return pose_.unrotate(direction).dot(support(shape_, pose_.unrotate(direction)));
  }
  [[nodiscard]] const Vector3d& origin() const { return pose_.translation(); }
  [[nodiscard]] double extent() const {
    if (half_space() != nullptr) return 0.0;
    double largest = 0.0;
    for (int i = 0; i < 3; ++i) {
      largest = std::max({largest, height(Vector3d::Unit(i)), height(-Vector3d::Unit(i))});
    }
    return largest;
  }
  /// How far a world point lies outside, seen along some directions.
  [[nodiscard]] double outside(const Vector3d& point, const std::vector<Vector3d>& directions) const {
    const Vector3d from_origin = point - origin();
    if (half_space() != nullptr) return plane_normal().dot(from_origin) - height(plane_normal());
    double largest = -1e300;
    for (const Vector3d& n : directions) largest = std::max(largest, n.dot(from_origin) - height(n));
    return largest;
  }

 private:
  const Shape& shape_;
  const Pose& pose_;
};

/// s(n), or -infinity where a half-space is not bounded along n.
inline double separation_along(const Placed& a, const Placed& b, const Vector3d& n) {
  if (a.half_space() != nullptr && (a.plane_normal() - n).norm() > 1e-9) return -INFINITY;
  if (b.half_space() != nullptr && (b.plane_normal() + n).norm() > 1e-9) return -INFINITY;
  return (b.origin() - a.origin()).dot(n) - a.height(n) - b.height(-n);
}

/// Evenly spread unit vectors (a Fibonacci spiral) and the axes.
inline std::vector<Vector3d> spread_directions(int count) {
  std::vector<Vector3d> directions;
  const double golden = std::numbers::pi * (3.0 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count;
    const double r = std::sqrt(1.0 - z * z);
    directions.emplace_back(r * std::cos(golden * i), r * std::sin(golden * i), z);
  }
  for (int axis = 0; axis < 3; ++axis) {
    directions.push_back(Vector3d::Unit(axis));
    directions.push_back(-Vector3d::Unit(axis));
  }
  return directions;
}

/// Empty when the separation of two convex shapes (or of one and a half-space) proves itself within `tolerance` metres
/// beyond its own error bound; otherwise what is wrong.
inline std::string certificate_violation(const Shape& shape_a, const Pose& pose_a, const Shape& shape_b,
                                         const Pose& pose_b, const Separation& s, double tolerance) {
  std::ostringstream wrong;
  wrong.precision(12);
  const Placed a(shape_a, pose_a);
  const Placed b(shape_b, pose_b);
  const double numbers = s.distance + s.distance_error + s.normal.sum() + s.point_a.sum() + s.point_b.sum();
  if (!std::isfinite(numbers)) return "not finite";
  if (std::abs(s.normal.norm() - 1.0) > 1e-9) wrong << "normal has length " << s.normal.norm() << "; ";
  const double extent = a.extent() + b.extent();
  const double coordinates = extent + a.origin().norm() + b.origin().norm();
  const double allowed = tolerance + s.distance_error + 1e-15 * coordinates;
  // A direction computed from a gap d between points of size E is off by rounding / d; that costs a lever of the
  // extent.
  const double turned = std::min(1e-6, 4e-15 * coordinates / std::max(std::abs(s.distance), 1e-300));
  const double bound = separation_along(a, b, s.normal);
  if (!(std::abs(bound - s.distance) <= allowed + extent * turned)) {
    wrong << "s(normal) = " << bound << " but distance = " << s.distance << "; ";
  }
  const Vector3d gap = s.point_b - s.point_a;
  if (!(std::abs(gap.dot(s.normal) - s.distance) <= allowed)) {
    wrong << "(point_b - point_a).normal = " << gap.dot(s.normal) << " but distance = " << s.distance << "; ";
  }
  if (!(std::abs(gap.norm() - std::abs(s.distance)) <= allowed + kRelativeTolerance * extent)) {
    wrong << "|point_b - point_a| = " << gap.norm() << " but distance = " << s.distance << "; ";
  }
  static const std::vector<Vector3d> directions = spread_directions(64);
  const double outside_a = a.outside(s.point_a, directions);
  const double outside_b = b.outside(s.point_b, directions);
  if (!(outside_a <= 2.0 * allowed)) wrong << "point_a lies outside a by " << outside_a << "; ";
  if (!(outside_b <= 2.0 * allowed)) wrong << "point_b lies outside b by " << outside_b << "; ";
  // No other direction separates better.
  if (a.half_space() == nullptr && b.half_space() == nullptr) {
    for (const Vector3d& n : directions) {
      const double better = separation_along(a, b, n);
      if (better > s.distance + allowed) {
        wrong << "s(" << n.transpose() << ") = " << better << " exceeds distance = " << s.distance << "; ";
        break;
      }
    }
  }
  return wrong.str();
}

}  // namespace abut::samples

// Lengths of the order of a core's radius: they scale tolerances and bounds on rounding.
#pragma once

#include <abut/core/shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace abut::detail {

/// The hull of up to eight points: a prism of a height field, as the solvers see it.
class PointSet {
 public:
  static constexpr std::size_t kMaxPoints = 8;

  /// @param points  1 to kMaxPoints.
  explicit PointSet(std::span<const Vector3d> points) : count_(std::min(points.size(), kMaxPoints)) {
    std::copy_n(points.begin(), count_, points_.begin());
  }

  [[nodiscard]] std::span<const Vector3d> points() const { return {points_.data(), count_}; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const {
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& point : points()) sum += point;
    return sum / static_cast<double>(count_);
  }
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    std::size_t best = 0;
    double farthest = points_[0].dot(direction);
    for (std::size_t i = 1; i < count_; ++i) {
      const double along = points_[i].dot(direction);
      best = along > farthest ? i : best;
      farthest = along > farthest ? along : farthest;
    }
    return points_[best];
  }

 private:
  std::array<Vector3d, kMaxPoints> points_;
  std::size_t count_;
};

inline double largest_distance(std::span<const Vector3d> points, const Vector3d& from) {
  double largest_sq = 0.0;
  for (const Vector3d& point : points) largest_sq = std::max(largest_sq, (point - from).squaredNorm());
  return std::sqrt(largest_sq);
}

inline double core_extent(const Sphere&) {
  return 0.0;
}
inline double core_extent(const Ellipsoid& shape) {
  return shape.radii().maxCoeff();
}
inline double core_extent(const Box& shape) {
  return shape.half_extents().sum();
}
inline double core_extent(const Capsule& shape) {
  return shape.half_length();
}
inline double core_extent(const Cylinder& shape) {
  return shape.radius() + shape.half_length();
}
inline double core_extent(const Cone& shape) {
  return shape.radius() + shape.half_length();
}
inline double core_extent(const ConvexHull& shape) {
  return shape.obb().half_extents.sum();
}
inline double core_extent(const Triangle& shape) {
  return largest_distance(shape.points(), shape.center());
}
inline double core_extent(const PointSet& shape) {
  return largest_distance(shape.points(), shape.center());
}
inline double core_extent(const Superquadric& shape) {
  return shape.radii().maxCoeff();
}
inline double core_extent(const SmoothHull& shape) {
  return shape.extent();
}
inline double core_extent(const SmoothRevolution& shape) {
  return shape.extent();
}
inline double core_extent(const PaddedPolygon& shape) {
  double largest_sq = 0.0;
  const Eigen::Vector2d center = shape.center().head<2>();
  for (const Eigen::Vector2d& point : shape.points()) largest_sq = std::max(largest_sq, (point - center).squaredNorm());
  return std::sqrt(largest_sq);
}

}  // namespace abut::detail

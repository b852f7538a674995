// Axis-aligned bounding box.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace abut {

using Eigen::Vector3d;

/// Closed box [lower, upper], metres, in whatever frame the context names. The default is empty and is the neutral
/// element of merge().
struct Aabb {
  Vector3d lower = Vector3d::Constant(std::numeric_limits<double>::infinity());
  Vector3d upper = Vector3d::Constant(-std::numeric_limits<double>::infinity());

  [[nodiscard]] static Aabb of_point(const Vector3d& point) { return {point, point}; }

  [[nodiscard]] bool is_empty() const { return (lower.array() > upper.array()).any(); }
  [[nodiscard]] Vector3d center() const { return 0.5 * (lower + upper); }
  [[nodiscard]] Vector3d half_extents() const { return 0.5 * (upper - lower); }

  /// Touching boxes overlap.
  [[nodiscard]] bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
  [[nodiscard]] bool contains(const Vector3d& point) const {
    return (lower.array() <= point.array()).all() && (point.array() <= upper.array()).all();
  }
  [[nodiscard]] bool contains(const Aabb& other) const {
    return (lower.array() <= other.lower.array()).all() && (other.upper.array() <= upper.array()).all();
  }

  void merge(const Vector3d& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void merge(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }

  /// The box grown by `margin` metres on every side.
  [[nodiscard]] Aabb expanded(double margin) const {
    return {lower - Vector3d::Constant(margin), upper + Vector3d::Constant(margin)};
  }

  /// Squared distance between two boxes, square metres; 0 when they overlap.
  [[nodiscard]] double distance_sq(const Aabb& other) const {
    return (lower - other.upper).cwiseMax(other.lower - upper).cwiseMax(0.0).squaredNorm();
  }
};

}  // namespace abut

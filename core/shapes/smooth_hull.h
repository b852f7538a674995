// Smooth hull of points, prescribed by its support function h(x) = (Σ max(pᵢ·x, 0)^β)^(1/β).
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework".
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

namespace abut {

using Eigen::Vector3d;

/// For β → ∞ the body tends to the hull of the points and the origin; it contains that hull for every β.
class SmoothHull {
 public:
  /// @param points     At least one, metres, finite.
  /// @param sharpness  β, finite and > 2.
  /// @throws InvalidInput
  SmoothHull(std::vector<Vector3d> points, double sharpness);

  [[nodiscard]] std::span<const Vector3d> points() const { return *points_; }
  [[nodiscard]] double sharpness() const { return sharpness_; }

  /// A length of the order of the body's radius, metres: half the diagonal of its box.
  [[nodiscard]] double extent() const { return extent_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// Middle of the body's box; inside by convexity up to the box's corners, which is what a first guess needs.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// Gradient of h: Σ (max(pᵢ·x, 0) / h)^(β-1) pᵢ; the origin where no point lies ahead.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

 private:
  std::shared_ptr<const std::vector<Vector3d>> points_;
  double sharpness_;
  Vector3d center_;
  double extent_ = 0.0;
};

}  // namespace abut

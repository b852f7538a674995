// Smooth solid of revolution around the body's z axis, prescribed by its support function
// h(x) = (Σ max(pᵢ·(w, x₃), 0)^β)^(1/β) with w = √(x₁² + x₂² + γ x₃²) and profile points pᵢ = (r, z).
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework".
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

namespace abut {

using Eigen::Vector3d;

class SmoothRevolution {
 public:
  /// @param profile    Points (r, z), at least one, metres, finite, r >= 0.
  /// @param sharpness  β, finite and > 2.
  /// @param flatness   γ, finite and > 0: the smaller, the flatter the ends.
  /// @throws InvalidInput
  SmoothRevolution(std::vector<Eigen::Vector2d> profile, double sharpness, double flatness);

  [[nodiscard]] std::span<const Eigen::Vector2d> profile() const { return *profile_; }
  [[nodiscard]] double sharpness() const { return sharpness_; }
  [[nodiscard]] double flatness() const { return flatness_; }

  /// A length of the order of the body's radius, metres: half the diagonal of its box.
  [[nodiscard]] double extent() const { return extent_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// On the axis, half way between the ends.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// Gradient of h; the origin where no profile point lies ahead.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

 private:
  std::shared_ptr<const std::vector<Eigen::Vector2d>> profile_;
  double sharpness_;
  double flatness_;
  Vector3d center_;
  double extent_ = 0.0;
};

}  // namespace abut

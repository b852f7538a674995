// Smooth solid of revolution around the body's z axis, prescribed by its support function
// h(x) = (Σ max(pᵢ·(w, x₃), 0)^β)^(1/β) with w = √(x₁² + x₂² + γ x₃²) and profile points pᵢ = (r, z).
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework",
// section IV-B.
#pragma once

#include <abut/core/shapes/support_expansion.h>
#include <Eigen/Core>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

using Eigen::Vector3d;

class SmoothRevolution {
 public:
  /// @param profile    Points (r, z), at least one, metres, finite, r >= 0.
  /// @param sharpness  β, > 2, at most kMaxSharpness.
  /// @param flatness   γ, from 1e-100 to 1e12: the smaller, the flatter the ends.
  /// @throws InvalidInput
  SmoothRevolution(std::vector<Eigen::Vector2d> profile, double sharpness, double flatness);

  [[nodiscard]] std::span<const Eigen::Vector2d> profile() const { return data_->profile; }
  [[nodiscard]] double sharpness() const { return data_->sharpness; }
  [[nodiscard]] double flatness() const { return data_->flatness; }

  /// A length of the order of the body's radius, metres: half the diagonal of its box.
  [[nodiscard]] double extent() const { return extent_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// On the axis, half way between the ends.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// Gradient of h; the origin where no profile point lies ahead.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

  /// h, its gradient and its Hessian at a direction of any length but zero; all zero where no profile point lies ahead.
  [[nodiscard]] SupportExpansion core_expansion(const Vector3d& direction) const;
  /// h > 0 in every direction, by more than 1e-9 of the extent: some point has r > 0, and h is positive both ways
  /// along z. If not, h vanishes in some directions and has a kink where it begins to.
  [[nodiscard]] bool is_twice_differentiable() const { return data_->is_twice_differentiable; }
  /// The profile is its own mirror image in z, exactly; hence h(-x) = h(x).
  [[nodiscard]] bool is_symmetric() const { return data_->is_symmetric; }

 private:
  struct Data {
    std::vector<Eigen::Vector2d> profile;
    std::vector<double> coordinates;  // r, then z of as many points as a register holds; the rest is zero
    double sharpness = 0.0;
    double flatness = 0.0;
    double least_ratio = 0.0;          // points less far ahead, as a fraction of the farthest, count nothing
    std::uint32_t whole_exponent = 0;  // β - 2 where that is a whole number, else 0
    bool is_twice_differentiable = false;
    bool is_symmetric = false;
  };

  template <class Power>
  static Vector3d support_of(const Data& data, const Vector3d& direction, const Power& power);
  template <class Power>
  static SupportExpansion expansion_of(const Data& data, const Vector3d& direction, const Power& power);
  [[nodiscard]] SupportExpansion expansion_of(const Vector3d& direction) const;

  std::shared_ptr<const Data> data_;
  Vector3d center_;
  double extent_ = 0.0;
};

}  // namespace abut

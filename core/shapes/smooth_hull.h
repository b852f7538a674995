// Smooth hull of points, prescribed by its support function h(x) = (Σ max(pᵢ·x, 0)^β)^(1/β).
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

/// For β → ∞ the body tends to the hull of the points and the origin; it contains that hull for every β.
class SmoothHull {
 public:
  /// @param points     At least one, metres, finite.
  /// @param sharpness  β, > 2, at most kMaxSharpness.
  /// @throws InvalidInput
  SmoothHull(std::vector<Vector3d> points, double sharpness);

  [[nodiscard]] std::span<const Vector3d> points() const { return data_->points; }
  [[nodiscard]] double sharpness() const { return data_->sharpness; }

  /// A length of the order of the body's radius, metres: half the diagonal of its box.
  [[nodiscard]] double extent() const { return extent_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// The mean of the body's six support points along the axes, which lies inside by convexity; the middle of its box
  /// need not.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// Gradient of h: Σ (max(pᵢ·x, 0) / h)^(β-1) pᵢ; the origin where no point lies ahead.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

  /// h, its gradient and its Hessian at a direction of any length but zero; all zero where no point lies ahead.
  [[nodiscard]] SupportExpansion core_expansion(const Vector3d& direction) const;
  /// The origin lies inside the hull of the points, by more than 1e-9 of the hull's size. If not, h vanishes in some
  /// directions and has a kink where it begins to. Where rounding leaves it open the answer is no.
  [[nodiscard]] bool is_twice_differentiable() const { return data_->inner_radius > 0.0; }
  /// Radius of a ball about the origin that lies inside the body, metres; 0 where the origin is not well inside.
  [[nodiscard]] double inner_radius() const { return data_->inner_radius; }
  /// Every point has its mirror image through the origin among the points, exactly; hence h(-x) = h(x).
  [[nodiscard]] bool is_centrally_symmetric() const { return data_->is_centrally_symmetric; }

 private:
  struct Data {
    std::vector<Vector3d> points;
    std::vector<double> coordinates;  // x, then y, then z of as many points as a register holds; the rest is zero
    double sharpness = 0.0;
    double least_ratio = 0.0;          // points less far ahead, as a fraction of the farthest, count nothing
    std::uint32_t whole_exponent = 0;  // β - 2 where that is a whole number, else 0
    double inner_radius = 0.0;
    bool is_centrally_symmetric = false;
  };

  template <class Power>
  static Vector3d support_of(const Data& data, const Vector3d& direction, const Power& power);
  template <class Power>
  static SupportExpansion expansion_of(const Data& data, const Vector3d& direction, const Power& power);
  [[nodiscard]] SupportExpansion expansion_of(const Vector3d& direction) const;

  std::shared_ptr<const Data> data_;
  Vector3d center_ = Vector3d::Zero();
  double extent_ = 0.0;
};

}  // namespace abut

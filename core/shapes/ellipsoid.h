// Ellipsoid with its axes along the body's: (x/a)² + (y/b)² + (z/c)² <= 1.
#pragma once

#include <abut/core/error.h>
#include <abut/core/shapes/support_expansion.h>
#include <Eigen/Core>

#include <cmath>

namespace abut {

using Eigen::Vector3d;

class Ellipsoid {
 public:
  /// @param radii  Semi-axes a, b, c, metres, each finite and > 0. @throws InvalidInput
  explicit Ellipsoid(const Vector3d& radii) : radii_(radii) { require_positive("radii", radii); }

  [[nodiscard]] const Vector3d& radii() const { return radii_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  /// Gradient of the support function h(x) = |R x|, R = diag(radii): R² x / |R x|.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    const Vector3d scaled = radii_.cwiseProduct(direction);
    const double length = scaled.norm();
    if (!(length > 0.0)) return Vector3d(0.0, 0.0, radii_.z());
    return radii_.cwiseProduct(scaled / length);
  }

  /// h, its gradient and its Hessian at a direction of any length but zero.
  [[nodiscard]] SupportExpansion core_expansion(const Vector3d& direction) const {
    const Vector3d scaled = radii_.cwiseProduct(direction);
    const double length_sq = scaled.squaredNorm();
    if (!detail::has_plain_length(length_sq)) [[unlikely]] {
      return detail::expand_rescaled(direction, [this](const Vector3d& x) { return expansion_of(x); });
    }
    return expansion_of(direction);
  }
  [[nodiscard]] bool is_twice_differentiable() const { return true; }

 private:
  // With n = R x / h, a unit vector: ∇h = R n, and ∇²h = R (I - n nᵀ) R / h, where 1 - n₀² is n₁² + n₂²: nothing
  // cancels.
  [[nodiscard]] SupportExpansion expansion_of(const Vector3d& direction) const {
    const Vector3d scaled = radii_.cwiseProduct(direction);
    SupportExpansion result;
    result.value = std::sqrt(scaled.squaredNorm());
    if (!(result.value > 0.0)) {
      result.point.z() = radii_.z();
      return result;
    }
    const double inverse = 1.0 / result.value;
    const Vector3d n = scaled * inverse;
    result.point = radii_.cwiseProduct(n);
    const Vector3d squares = n.cwiseAbs2();
    const Vector3d bends = radii_.cwiseAbs2() * inverse;
    const Vector3d slopes = result.point * inverse;
    result.hessian(0, 0) = bends[0] * (squares[1] + squares[2]);
    result.hessian(1, 1) = bends[1] * (squares[2] + squares[0]);
    result.hessian(2, 2) = bends[2] * (squares[0] + squares[1]);
    result.hessian(0, 1) = result.hessian(1, 0) = -slopes[0] * result.point[1];
    result.hessian(0, 2) = result.hessian(2, 0) = -slopes[0] * result.point[2];
    result.hessian(1, 2) = result.hessian(2, 1) = -slopes[1] * result.point[2];
    return result;
  }

  Vector3d radii_;
};

}  // namespace abut

// Ellipsoid with its axes along the body's: (x/a)² + (y/b)² + (z/c)² <= 1.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>

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

 private:
  Vector3d radii_;
};

}  // namespace abut

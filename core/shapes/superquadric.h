// Superquadric (superellipsoid): ((x/a)^(2/e2) + (y/b)^(2/e2))^(e2/e1) + (z/c)^(2/e1) <= 1, exponents in (0, 2):
// convex. Small exponents give a rounded box, 1 an ellipsoid, exponents near 2 an octahedron.
#pragma once

#include <Eigen/Core>

namespace abut {

using Eigen::Vector3d;

class Superquadric {
 public:
  /// @param radii      Semi-axes a, b, c, metres, each finite and > 0.
  /// @param exponents  e1 (along z) and e2 (around z), each in (0, 2).
  /// @throws InvalidInput
  Superquadric(const Vector3d& radii, const Eigen::Vector2d& exponents);

  [[nodiscard]] const Vector3d& radii() const { return radii_; }
  [[nodiscard]] const Eigen::Vector2d& exponents() const { return exponents_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  /// Gradient of the support function, which is a nested norm with the conjugate exponents 2 / (2 - e).
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

 private:
  Vector3d radii_;
  Eigen::Vector2d exponents_;
};

}  // namespace abut

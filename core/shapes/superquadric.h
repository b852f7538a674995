// Superquadric (superellipsoid): ((x/a)^(2/e2) + (y/b)^(2/e2))^(e2/e1) + (z/c)^(2/e1) <= 1, exponents in (0, 2):
// convex. Small exponents give a rounded box, 1 an ellipsoid, exponents near 2 an octahedron.
// Source of the support function: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian
// Optimization Framework", section IV-A.
#pragma once

#include <abut/core/shapes/support_expansion.h>
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

  /// h, its gradient and its Hessian at a direction of any length but zero; never NaN.
  ///
  /// An exponent below 1 makes the faces flat where the body meets its axes: there, in the planes of the coordinate
  /// axes of the direction, the second derivatives are infinite. They are then taken where the ratio of the two
  /// coordinates is 2^-52 instead, finite, and off those planes they are exact.
  ///
  /// At the two directions along z with e1 = 1 and e2 > 1 the second derivatives exist along every line, but are not
  /// those of one matrix; the Hessian there is the one that the lines along x and y give.
  [[nodiscard]] SupportExpansion core_expansion(const Vector3d& direction) const;
  /// Both exponents are at least 1: the Hessian is bounded, and continuous but for the case above.
  [[nodiscard]] bool is_twice_differentiable() const { return exponents_.minCoeff() >= 1.0; }

 private:
  [[nodiscard]] SupportExpansion expansion_of(const Vector3d& direction) const;

  Vector3d radii_;
  Eigen::Vector2d exponents_;
};

}  // namespace abut

// Ball at the origin.
#pragma once

#include <abut/core/error.h>
#include <abut/core/shapes/support_expansion.h>
#include <Eigen/Core>

namespace abut {

using Eigen::Vector3d;

/// Every convex shape is core ⊕ ball: a core set with a support function, grown by sweep_radius(). The solvers work on
/// cores and add the radii at the end, so that round bodies cost no iterations. Here the core is the centre.
class Sphere {
 public:
  /// @param radius  Metres, finite and > 0. @throws InvalidInput
  explicit Sphere(double radius) : radius_(radius) { require_positive("radius", radius); }

  [[nodiscard]] double radius() const { return radius_; }

  [[nodiscard]] double sweep_radius() const { return radius_; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  /// A point of the core that is farthest along `direction` (any length, body frame).
  [[nodiscard]] Vector3d core_support(const Vector3d& /*direction*/) const { return Vector3d::Zero(); }
  /// The support function of the core, a point at the origin, to second order: zero.
  [[nodiscard]] SupportExpansion core_expansion(const Vector3d& /*direction*/) const { return {}; }
  [[nodiscard]] bool is_twice_differentiable() const { return true; }

 private:
  double radius_;
};

}  // namespace abut

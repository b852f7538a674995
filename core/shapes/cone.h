// Cone around the body's z axis: base disc at z = -half_length, apex at z = +half_length.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <cmath>

namespace abut {

using Eigen::Vector3d;

class Cone {
 public:
  /// @param radius       Of the base, metres, finite and > 0.
  /// @param half_length  Half the height, metres, finite and >= 0 (0: a disc).
  /// @throws InvalidInput
  Cone(double radius, double half_length) : radius_(radius), half_length_(half_length) {
    require_positive("radius", radius);
    require_not_negative("half_length", half_length);
  }

  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double half_length() const { return half_length_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  /// On the axis, a quarter of the height above the base: the centroid.
  [[nodiscard]] Vector3d center() const { return {0.0, 0.0, -0.5 * half_length_}; }
  /// The apex or a point of the rim, whichever is farther along `direction`.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    const double length = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y());
    if (2.0 * half_length_ * direction.z() > radius_ * length) return {0.0, 0.0, half_length_};
    const double scale = length > 0.0 ? radius_ / length : 0.0;
    return {scale * direction.x(), scale * direction.y(), -half_length_};
  }

 private:
  double radius_;
  double half_length_;
};

}  // namespace abut

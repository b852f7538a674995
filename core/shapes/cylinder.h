// Cylinder around the body's z axis, from z = -half_length to +half_length.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <cmath>

namespace abut {

using Eigen::Vector3d;

class Cylinder {
 public:
  /// @param radius       Metres, finite and > 0.
  /// @param half_length  Metres, finite and >= 0 (0: a disc).
  /// @throws InvalidInput
  Cylinder(double radius, double half_length) : radius_(radius), half_length_(half_length) {
    require_positive("radius", radius);
    require_not_negative("half_length", half_length);
  }

  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double half_length() const { return half_length_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    const double length = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y());
    const double scale = length > 0.0 ? radius_ / length : 0.0;
    return {scale * direction.x(), scale * direction.y(), std::copysign(half_length_, direction.z())};
  }

 private:
  double radius_;
  double half_length_;
};

}  // namespace abut

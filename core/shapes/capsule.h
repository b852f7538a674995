// Capsule: all points within a radius of a segment along the body's z axis.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <cmath>

namespace abut {

using Eigen::Vector3d;

class Capsule {
 public:
  /// @param radius       Metres, finite and > 0.
  /// @param half_length  Half the length of the segment (0, 0, ±half_length), metres, finite and >= 0.
  /// @throws InvalidInput
  Capsule(double radius, double half_length) : radius_(radius), half_length_(half_length) {
    require_positive("radius", radius);
    require_not_negative("half_length", half_length);
  }

  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double half_length() const { return half_length_; }

  [[nodiscard]] double sweep_radius() const { return radius_; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  /// The core is the segment.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    return {0.0, 0.0, std::copysign(half_length_, direction.z())};
  }

 private:
  double radius_;
  double half_length_;
};

}  // namespace abut

// Axis-aligned box at the origin.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <cmath>

namespace abut {

using Eigen::Vector3d;

class Box {
 public:
  /// @param half_extents  Half the side lengths, metres, each finite and > 0. @throws InvalidInput
  explicit Box(const Vector3d& half_extents) : half_extents_(half_extents) {
    require_positive("half_extents", half_extents);
  }

  [[nodiscard]] const Vector3d& half_extents() const { return half_extents_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const { return Vector3d::Zero(); }
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    return {std::copysign(half_extents_.x(), direction.x()), std::copysign(half_extents_.y(), direction.y()),
            std::copysign(half_extents_.z(), direction.z())};
  }

 private:
  Vector3d half_extents_;
};

}  // namespace abut

// A flat triangle; it may be degenerate (a segment or a point).
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <array>
#include <string>

namespace abut {

using Eigen::Vector3d;

class Triangle {
 public:
  /// @param points  The corners, metres, finite. @throws InvalidInput  naming points[i].
  explicit Triangle(const std::array<Vector3d, 3>& points) : points_(points) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!points[i].allFinite()) require_finite("points[" + std::to_string(i) + "]", points[i]);
    }
  }

  [[nodiscard]] const std::array<Vector3d, 3>& points() const { return points_; }

  [[nodiscard]] double sweep_radius() const { return 0.0; }
  [[nodiscard]] Vector3d center() const { return (points_[0] + points_[1] + points_[2]) / 3.0; }
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    const double s0 = points_[0].dot(direction);
    const double s1 = points_[1].dot(direction);
    const double s2 = points_[2].dot(direction);
    if (s0 >= s1) return s0 >= s2 ? points_[0] : points_[2];
    return s1 >= s2 ? points_[1] : points_[2];
  }

 private:
  std::array<Vector3d, 3> points_;
};

}  // namespace abut

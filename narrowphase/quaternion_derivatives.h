// From derivatives by a small rotation to derivatives by the four components of a quaternion.
#pragma once

#include <abut/core/pose.h>

#include <Eigen/Core>

namespace abut {

/// ∂ω/∂q of the small world rotation ω (R ← exp([ω]ₓ) R) that a change of the quaternion q = (w, x, y, z) amounts to:
/// ω = 2 Im(dq q*) / |q|². A derivative by ω (any rows, 3 columns) times it is the derivative by q of the same quantity
/// as a function of the normalised quaternion; along q itself it vanishes.
/// @param q  Unit, or any other of a rotation, not zero.
/// @return 3 rows, columns w, x, y, z.
[[nodiscard]] inline Eigen::Matrix<double, 3, 4> rotation_by_quaternion(const Quaterniond& q) {
  const double scale = 2.0 / q.squaredNorm();
  const double w = scale * q.w();
  const double x = scale * q.x();
  const double y = scale * q.y();
  const double z = scale * q.z();
  Eigen::Matrix<double, 3, 4> by;
  by << -x, w, -z, y,  //
      -y, z, w, -x,    //
      -z, -y, x, w;
  return by;
}

}  // namespace abut

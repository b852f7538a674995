// A direction with a basis of the plane across it.
#pragma once

#include <Eigen/Core>

#include <cmath>

namespace abut::detail {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

/// A unit direction and two more that complete a right-handed orthonormal basis: the tangent plane of the sphere.
struct TangentFrame {
  Vector3d normal;
  Vector3d u;
  Vector3d v;
};

/// Without a branch or a root. Source: Duff et al., "Building an Orthonormal Basis, Revisited" (JCGT 2017).
inline TangentFrame tangent_frame(const Vector3d& normal) {
  const double sign = std::copysign(1.0, normal.z());
  const double a = -1.0 / (sign + normal.z());
  const double b = normal.x() * normal.y() * a;
  return {normal,
          {1.0 + sign * normal.x() * normal.x() * a, sign * b, -sign * normal.x()},
          {b, sign + normal.y() * normal.y() * a, -normal.y()}};
}

}  // namespace abut::detail

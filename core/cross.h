// The cross product in the plane.
#pragma once

#include <Eigen/Core>

namespace abut::detail {

/// Twice the signed area of the triangle 0, u, v: positive where v lies to the left of u.
inline double cross(const Eigen::Vector2d& u, const Eigen::Vector2d& v) {
  return u.x() * v.y() - u.y() * v.x();
}

/// Twice the signed area of the triangle p, q, r: positive where r lies to the left of the line from p to q.
inline double cross(const Eigen::Vector2d& p, const Eigen::Vector2d& q, const Eigen::Vector2d& r) {
  return cross(Eigen::Vector2d(q - p), Eigen::Vector2d(r - p));
}

}  // namespace abut::detail

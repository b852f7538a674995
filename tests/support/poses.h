// Poses and bodies that tests write again and again.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/convex_hull.h>

#include <cmath>
#include <vector>

namespace abut::samples {

/// Unturned.
inline Pose at(double x, double y, double z) {
  return Pose(Vector3d(x, y, z));
}

/// Turns one direction into another about the axis across both. Eigen's FromTwoVectors would have compilers read a
/// singular value decomposition.
inline Quaterniond turn_between(const Vector3d& from, const Vector3d& to) {
  const Vector3d axis = from.cross(to);
  const double angle = std::atan2(axis.norm(), from.dot(to));
  return Quaterniond(Eigen::AngleAxisd(angle, axis.norm() > 0.0 ? axis.normalized() : from.unitOrthogonal()));
}

/// A box as a hull of its eight corners.
inline ConvexHull box_hull(const Vector3d& half_extents, const Vector3d& center = Vector3d::Zero()) {
  std::vector<Vector3d> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back(center + half_extents.cwiseProduct(Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
  }
  return ConvexHull::from_points(corners);
}

}  // namespace abut::samples

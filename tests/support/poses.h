// Poses and bodies that tests write again and again.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/convex_hull.h>

#include <vector>

namespace abut::samples {

/// Unturned.
inline Pose at(double x, double y, double z) {
  return Pose(Vector3d(x, y, z));
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

// Depth and direction of two overlapping or touching planar cores: the side that separates them most.
//
// The Minkowski difference of two convex polygons has the sides of both. Going around one polygon, the corner of the
// other that lies deepest against its side goes around in the same sense, so all sides are measured in one walk each.
#pragma once

#include <abut/narrowphase/planar/planar_gjk.h>

namespace abut::planar::detail {

/// In the frame of a.
struct Axis {
  Vector2d normal = Vector2d::UnitX();  ///< Unit, from a to b.
  double gap = 0.0;                     ///< Separation of the cores along it, metres; <= 0 where they overlap.
  Vector2d point_a = Vector2d::Zero();  ///< On the boundary of a's core; point_b = point_a + gap * normal.
};

/// The largest separation over the sides of both cores, and over `hint`, which is any direction, not zero.
[[nodiscard]] Axis best_axis(const Difference& difference, const Vector2d& hint);

}  // namespace abut::planar::detail

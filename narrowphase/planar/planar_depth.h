// Depth and direction of two overlapping or touching planar cores: the side that separates them most.
//
// The Minkowski difference of two convex polygons has the sides of both. Going around one polygon, the corner of the
// other that lies deepest against its side goes around in the same sense, so all sides are measured in one walk each.
// Polygons of many sides are expanded towards the best one instead (planar_epa.h).
#pragma once

#include <abut/narrowphase/planar/boundary_walk.h>

namespace abut::planar::detail {

/// In the frame of a.
struct Axis {
  PlaneVector normal{1.0, 0.0};   ///< Unit, from a to b.
  double gap = 0.0;               ///< Separation of the cores along it, metres; <= 0 where they overlap.
  PlaneVector point_a{0.0, 0.0};  ///< On the boundary of a's core; point_b = point_a + gap * normal.
};

/// Corners within this fraction of the sizes of a side's line lie on it.
inline constexpr double kTie = 1e-12;

/// The point of a in the middle of what the cores turn to each other along a unit direction from a to b: of two
/// parallel sides the stretch that they share, else a corner. Frame of a.
[[nodiscard]] PlaneVector facing_middle(const CorePair& pair, PlaneVector normal);

/// The largest separation over the sides of both cores, and over `hint`, which is any direction or zero for none.
[[nodiscard]] Axis best_axis(const CorePair& pair, PlaneVector hint);

}  // namespace abut::planar::detail

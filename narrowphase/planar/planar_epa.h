// Depth of two overlapping planar polygons by expanding polytope: a polygon inside their Minkowski difference grows at
// its side nearest the origin until that side belongs to the difference.
//
// The distance of each side's line is a lower bound of the depth in the directions of its normal, also for a side that
// the origin lies beyond, whose distance is negative; so the first polygon need not hold the origin.
#pragma once

#include <abut/narrowphase/planar/boundary_walk.h>

namespace abut::planar::detail {

/// The direction of least depth.
struct DeepestSide {
  bool is_found = false;         ///< False where there were too many sides or a core is no polygon.
  PlaneVector normal{1.0, 0.0};  ///< Unit, from a to b, frame of a.
  double gap = 0.0;              ///< Separation along it, metres; <= 0 where the cores overlap.
};

/// Starts with the support points along and across the line between the centres.
[[nodiscard]] DeepestSide expand_polygon(const CorePair& pair);

}  // namespace abut::planar::detail

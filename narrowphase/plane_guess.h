// A plane that may carry the answer of a curved body and another one: a guess, until support values prove it
// (polytope_answer.h). What lies in the Minkowski difference D about the points that the plane touches says for which
// directions there is no less depth.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/support_ring.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {

/// A plane that may carry the answer, between a polytope or another body and one that is curved.
struct PlaneGuess {
  Vector3d out;         ///< Unit, out of the other body, into the curved one where they overlap; frame of a.
  double depth = 0.0;   ///< Along it; negative: apart.
  double margin = 0.0;  ///< To the nearest end of the features that carry it; negative: beyond it.
  double doubt = 0.0;   ///< How much less the depth may be along normals nearby, metres: where the two points are not
                        ///< quite along the normal.
  double reach = 0.0;   ///< In overlap: up to which angle from `out` they prove the depth; tangent of its half.
  Vector3d on_curved;
  Vector3d on_other;
};

/// The reach of a disc in D about the origin's projection. A ball in D that touches the plane there from inside and is
/// no smaller than the depth proves it for all directions.
/// @param radius  Of the disc, the next of the ball, metres; >= 0.
[[nodiscard]] inline double reach_of_disc(double depth, double radius, double ball = 0.0) {
  return ball < depth ? radius / depth : std::numeric_limits<double>::infinity();
}

/// The reach of a dome in D: of balls of one radius that touch the plane from inside, the part that is seen along the
/// normal within a disc about the origin's projection. From a ball no smaller than the depth d the dome proves angles t
/// up to where the ball touches planes beyond its rim, and from there on the points of its rim do.
/// @param roundness  Of the balls, the next of the disc, metres; >= 0.
[[nodiscard]] inline double reach_of_dome(double depth, double roundness, double width) {
  if (!(roundness >= depth)) return 0.0;
  const double w = std::min(width, roundness);
  const double drop = roundness - std::sqrt((roundness - w) * (roundness + w));
  return reach_of_points(w, drop, depth, std::numeric_limits<double>::infinity());
}

}  // namespace abut::detail

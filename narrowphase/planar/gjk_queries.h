// The three questions of planar_distance.h, answered by barycode GJK.
#pragma once

#include <abut/narrowphase/planar/boundary_walk.h>
#include <abut/narrowphase/planar/simplex_memory.h>

namespace abut::planar::detail {

/// Signed separation of two cores, frame of a.
struct CoreSeparation {
  double distance = 0.0;
  PlaneVector normal{1.0, 0.0};   ///< Unit, from a to b.
  PlaneVector point_a{0.0, 0.0};  ///< On the boundary of a's core; point_b = point_a + distance * normal.
  double error = 0.0;             ///< Bound on the error of distance but for rounding, metres.
  int iterations = 0;
};

/// Corners nearer to each other than this fraction of the sizes have a direction made of rounding.
inline constexpr double kNearCorners = 1e-3;

// Each: memory may be null.

/// Whether the cores come within `limit` of each other, metres, >= 0.
[[nodiscard]] bool collides_by_gjk(const CorePair& pair, double limit, SupportSearch search, SimplexMemory* memory);
/// Metres; 0 where the cores overlap.
[[nodiscard]] double distance_by_gjk(const CorePair& pair, SupportSearch search, SimplexMemory* memory);
/// @param rounding  Metres, of the poses and corners.
[[nodiscard]] CoreSeparation separation_by_gjk(const CorePair& pair, SupportSearch search, double rounding,
                                               SimplexMemory* memory);

}  // namespace abut::planar::detail

// Local minimum of the depth over directions: where the support function of the Minkowski difference is least.
//
// The depth along n is h(n), the support value of A - B; its gradient on the unit sphere is the tangential part of the
// support point. Two steps, neither of which lets the depth grow but by rounding: gradient steps of the length of
// Barzilai and Borwein, "Two-Point Step Size Gradient Methods" (IMA J. Numer. Anal. 1988), for smooth bodies; then b is
// moved out along n and GJK gives the nearest points, whose direction is the next n, which settles on faces and edges.
// They polish what the expanding polytope has bounded: in deep overlap of smooth bodies the bound closes slowly, while
// the minimum is found in a few steps.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>

namespace abut::detail {

struct DepthMinimum {
  double depth = 0.0;  ///< h(normal), metres: an upper bound of the penetration depth, whatever the normal.
  Vector3d normal = Vector3d::UnitX();  ///< Unit.
  Vector3d on_a = Vector3d::Zero();     ///< Witness points; on_a - on_b = depth * normal at the minimum.
  Vector3d on_b = Vector3d::Zero();
  int iterations = 0;
};

/// Gradient steps, then settled().
/// @param start      Unit direction.
/// @param tolerance  Stop when the next step promises less than this, metres.
[[nodiscard]] DepthMinimum descend(const AnyDifference& difference, const Vector3d& start, double tolerance);

/// Repairs witness points whose difference is not along the normal, where the nearest support point is not the nearest
/// point (faces, edges): by moving b out and asking GJK. Returns `minimum` when they agree already, as far as a depth
/// within `tolerance` lets them: surfaces of curvature radius R part by t²/2R at a distance t from their nearest
/// points.
[[nodiscard]] DepthMinimum settled(const AnyDifference& difference, const DepthMinimum& minimum, double tolerance);

}  // namespace abut::detail

// Lower bounds of the distance of two bodies from boxes around them, less what rounding may have added.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/obb.h>
#include <abut/core/pose.h>
#include <abut/core/shape.h>

namespace abut::detail {

/// Of the coordinates that a gap is computed from; more than solvers and boxes lose.
inline constexpr double kGapRounding = 1e-14;

/// What a distance of two bodies may be off by, metres.
/// @param a, b      Around the bodies, body frames; finite.
/// @param a_from_b  The poses of the bodies.
[[nodiscard]] inline double gap_rounding(const Obb& a, const Obb& b, const Pose& a_from_b) {
  return kGapRounding * (a.half_extents.lpNorm<1>() + a.center.lpNorm<1>() + b.half_extents.lpNorm<1>() +
                         b.center.lpNorm<1>() + a_from_b.translation().lpNorm<1>());
}

/// The two are at least so far apart, metres. The frame of a is used, not the world: far from the origin the world's
/// coordinates would cost digits.
[[nodiscard]] inline double box_gap(const Obb& a, const Obb& b, const Pose& a_from_b) {
  return separation_bound(a, a_from_b * b) - gap_rounding(a, b, a_from_b);
}

/// world_box(), wider by what the coordinates of the body in the world may be off by: bodies that touch have such boxes
/// that do.
[[nodiscard]] Aabb wide_world_box(const Shape& shape, const Pose& world_from_body);

}  // namespace abut::detail

// Lower bounds of the distance of two bodies from boxes around them, less what rounding may have added.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/obb.h>
#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/world/detail/body_table.h>

namespace abut::detail {

/// Of the coordinates that a gap is computed from; more than solvers and boxes lose.
inline constexpr double kGapRounding = 1e-14;

/// What a distance of two bodies may be off by, metres.
/// @param size_a, size_b  Their Body::size, finite.
/// @param a_from_b        The poses of the bodies.
[[nodiscard]] inline double gap_rounding(double size_a, double size_b, const Pose& a_from_b) {
  return kGapRounding * (size_a + size_b + a_from_b.translation().lpNorm<1>());
}

/// The two, which are bounded, are at least so far apart, metres. The frame of a is used, not the world: far from the
/// origin the world's coordinates would cost digits.
/// @param enough  A gap larger than this, metres, is enough.
[[nodiscard]] inline double box_gap(const Body& a, const Body& b, const Pose& a_from_b, double enough) {
  const double rounding = gap_rounding(a.size, b.size, a_from_b);
  return separation_bound(a.obb, a_from_b * b.obb, enough + rounding) - rounding;
}

/// world_box(), wider by what the coordinates of the body in the world may be off by: bodies that touch have such boxes
/// that do.
[[nodiscard]] Aabb wide_world_box(const Shape& shape, const Pose& world_from_body);

}  // namespace abut::detail

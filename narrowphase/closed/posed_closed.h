// Closed forms of two whole shapes by their poses in the world, where one of them can be placed (placed.h): making the
// pose of one to the other would take longer than the answer. A yes or no of spheres, capsules and boxes compares
// squares: no root, no normal, no witness points.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/closed/closed_form.h>

namespace abut::detail {

/// How a pair of kinds is answered. Both functions are null for pairs that have no such form.
struct PosedClosed {
  /// World frame; otherwise as the closed forms: no iteration, no allocation, exact to rounding.
  Separation (*separate)(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b);
  /// Whether the distance is at most `max_distance` (metres, >= 0); where rounding leaves it in doubt, yes.
  bool (*collides)(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                   double max_distance);
};

/// By the kinds of both, in either order.
[[nodiscard]] const PosedClosed& posed_closed(const Shape& a, const Shape& b);

}  // namespace abut::detail

// How far bodies have come: what says that a pair that was apart still is, without solving it.
//
// A point p of a body moves from R0 p + t0 to R1 p + t1. With c the centre of a ball of radius r around the body,
// |R1 p + t1 - R0 p - t0| <= |R1 c + t1 - R0 c - t0| + |R1 - R0| r, where the norm of a difference of two rotations is
// its Frobenius norm over √2 (its singular values are s, s and 0). The sum over all motions of a body only grows, by
// each at least, and the distance of two bodies changes by no more than what both sums have grown by (Mirtich,
// "Impulse-based Dynamic Simulation" (1996), section 2.3, has the idea for conservative advancement).
#pragma once

#include <abut/core/obb.h>
#include <abut/core/pose.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace abut::detail {

struct BodyMotion {
  double travel = 0.0;         ///< Metres: no point of the body has come farther, all ways added up.
  double last_travel = 0.0;    ///< Of the last motion alone.
  std::uint64_t moved_in = 0;  ///< The step that saw its last change first.

  /// Of a body that went from one pose to another.
  /// @param box   Around it, body frame. @param step  The next one.
  void move(const Obb& box, const Pose& from, const Pose& to, std::uint64_t step) {
    const double radius = box.half_extents.norm();
    const double shift = (to * box.center - from * box.center).norm();
    const double turn = std::sqrt(0.5) * (to.rotation() - from.rotation()).norm();
    if (moved_in != step) last_travel = 0.0;
    const double way = shift + turn * radius;  // NaN or infinite for an unbounded body: nothing is known then
    last_travel += way;
    // Rounded up: what is less than the last place of a large sum counts as well, however often it comes.
    travel = (travel + way) * (1.0 + std::numeric_limits<double>::epsilon());
    moved_in = step;
  }

  /// For a body whose pairs start without what they know: nothing is known of how far an unbounded one before it came.
  void drop_unbounded() {
    if (!std::isfinite(travel)) travel = 0.0;
    if (!std::isfinite(last_travel)) last_travel = 0.0;
  }
};

}  // namespace abut::detail

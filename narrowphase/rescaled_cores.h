// Pairs of any size: the iterative solvers multiply up to six lengths, which overflows or vanishes far from metres. A
// pair outside the plain sizes is solved scaled by a power of two, which rounds nothing, and its answer scaled back.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/separate.h>

namespace abut::detail {

/// Whether no product of six lengths of about this size overflows or loses digits. False for 0 and for what is not
/// finite.
[[nodiscard]] inline bool is_plain_size(double size) {
  constexpr double kSmallest = 0x1p-128;  // metres
  constexpr double kLargest = 0x1p128;
  return size > kSmallest && size < kLargest;
}

/// separate_cores for a pair whose sizes and offsets add up to `size`, which is not plain. Where not even they are
/// finite, nothing is known: iteration_limit, with an infinite distance_error.
[[nodiscard]] Separation separate_rescaled(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, double size,
                                           const PairQuery& query, PairCache* cache);

/// collide_cores likewise; where nothing is known, true.
[[nodiscard]] bool collide_rescaled(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, double size,
                                    const PairQuery& query, PairCache* cache);

}  // namespace abut::detail

// Whether a local minimum of the depth is the global one, where no tangent ball says so; and the global one if not.
//
// An inner polytope of D grows as in EPA: the least offset of its planes bounds the depth from below. Near a minimum
// that is known this would take ever smaller faces; but there the surface of D is known to be flat enough
// (curvature_bound.h): on a cap of directions around n, h_D >= d. A vertex at the apex d n / cos(angle of the cap)
// stands for that: it raises the polytope's support function to d and above on the cap and nowhere else, so that the
// polytope with such vertices contains the ball of radius d exactly when h_D >= d everywhere.
#pragma once

#include <abut/narrowphase/smooth/smooth_difference.h>
#include <abut/narrowphase/smooth/trust_region.h>

namespace abut::detail {

struct DepthProof {
  DifferenceExpansion minimum;  ///< The best found; apart after all where its height is negative.
  /// Of the depth, metres; at most minimum.height. It holds up to `gradient`.
  double lower_bound = 0.0;
  double gradient = 0.0;  ///< The longest tangential gradient among the minima with a cap, metres.
  int iterations = 0;
};

/// @param minimum     A stationary point with height > 0.
/// @param options     For further minima; `options.rounding` too.
/// @param tolerance   The proof ends when lower_bound >= height - tolerance, metres.
/// @param max_iterations  Planes tried; memory allows 200.
[[nodiscard]] DepthProof prove_depth(const AnySmoothDifference& difference, const DifferenceExpansion& minimum,
                                     const TrustRegionOptions& options, double tolerance, int max_iterations);

}  // namespace abut::detail

// How far a smooth hull and a convex hull are apart as sets, proven over all directions.
// Source: the Hausdorff distance of convex bodies is the largest difference of their support functions (Schneider,
// Convex Bodies: The Brunn-Minkowski Theory, 2014, lemma 1.8.14).
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/smooth_hull.h>

#include <vector>

namespace abut {

/// Distances in metres. The bounds hold over all directions, up to the rounding of the support functions.
struct SupportDeviation {
  double outside = 0.0;  ///< No point of the smooth hull is farther outside of the hull; 0: it lies inside.
  double inside = 0.0;   ///< No point of the hull is farther outside of the smooth hull; 0: the smooth hull covers it.
  /// The largest deviation found. The larger bound exceeds it by 1 % or 1e-9 of the size; of fits that are nearly exact
  /// at a sharpness above 1e4 or so, where the search ends before, by some 1e-5 of the size.
  double seen = 0.0;
  double rms = 0.0;  ///< Root of the mean squared difference of the support values over the directions.

  /// Bound on the Hausdorff distance of both bodies.
  [[nodiscard]] double largest() const { return outside > inside ? outside : inside; }
};

/// @param center  Origin of the smooth hull in the frame of the hull, metres; both frames have the same axes.
[[nodiscard]] SupportDeviation support_deviation(const SmoothHull& shape, const ConvexHull& hull,
                                                 const Vector3d& center);

struct CoveringScale {
  double scale = 0.0;                ///< Proven: the smooth hull scaled by it about its origin covers the hull.
  std::vector<Vector3d> shortfalls;  ///< Unit directions of ratios above 1, the largest first, 3 degrees apart.
};

/// The largest ratio of the support values of the hull and the smooth hull, as an upper bound that exceeds the largest
/// ratio found by `precision` of its distance from 1, and 1e-9. Infinite where the smooth hull's origin, or the hull's
/// `center`, does not lie strictly inside.
/// @param precision  > 0; may be infinite, where it is only asked whether the scale is finite.
[[nodiscard]] CoveringScale covering_scale(const SmoothHull& shape, const ConvexHull& hull, const Vector3d& center,
                                           double precision);

/// Volume of a smooth hull whose origin lies inside, cubic metres: that of an inscribed polyhedron of about twenty
/// thousand triangles, to about one part in a thousand.
[[nodiscard]] double approximate_volume(const SmoothHull& shape);

}  // namespace abut

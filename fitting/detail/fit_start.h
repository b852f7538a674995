// Points from which a fit starts.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <abut/fitting/detail/support_samples.h>

#include <vector>

namespace abut::detail {

/// Vertices of the hull one after the other, each where the support function of those before it, and of the origin,
/// falls short of the hull's the most over the sampled directions. Where none falls short any more (a hull with fewer
/// vertices than `count`) vertices come again, drawn near the centre, where they hardly count: within reach of the fit,
/// but not in its way.
/// @return Coordinates, three a point, about `center` and in units of `size`.
[[nodiscard]] std::vector<double> greedy_points(const ConvexHull& hull, const Vector3d& center, double size,
                                                const SupportSamples& samples, int count);

/// The hull's support points in evenly spread directions; units and frame as above.
[[nodiscard]] std::vector<double> even_points(const ConvexHull& hull, const Vector3d& center, double size, int count);

/// Scales the points about the centre so that their smooth hull meets the samples best in the weighted mean.
void scale_to_samples(std::vector<double>& points, double sharpness, const SupportSamples& samples);

}  // namespace abut::detail

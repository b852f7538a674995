// Fits a smooth hull to a convex hull: few points and a sharpness in place of many vertices.
// Source of the shape: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization
// Framework", section V-C, eq. 17. The fit is abut's own.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/sharpness.h>
#include <abut/core/shapes/smooth_hull.h>
#include <abut/fitting/support_deviation.h>

#include <optional>

namespace abut {

inline constexpr int kFewestFitVertices = 4;  ///< Fewer points do not surround the origin.
inline constexpr int kMostFitVertices = 200;  ///< The time grows with the third power.

/// Where the sharpness is chosen, it lies in this range.
inline constexpr double kLeastFitSharpness = 2.05;
inline constexpr double kLargestFitSharpness = 200.0;

inline constexpr double kLargestGivenSharpness = kMaxSharpness;

/// Distance from the hull's centre to its farthest vertex, metres: beyond, products of lengths leave the range of
/// double.
inline constexpr double kLeastFitSize = 1e-60;
inline constexpr double kLargestFitSize = 1e60;

struct FitOptions {
  int vertices = 20;                     ///< Points of the smooth hull.
  std::optional<double> sharpness = {};  ///< 2 < β <= 1e12; empty: chosen with the points, whole from 4 on.
  bool conservative = false;             ///< The smooth hull must cover the hull.
};

struct FitResult {
  SmoothHull shape;            ///< In a frame of its own, whose axes are those of the hull.
  Pose hull_from_shape;        ///< Where the fit lies; the identity where the hull's own origin serves as centre.
  SupportDeviation deviation;  ///< Metres, proven.
  double size = 0.0;           ///< Distance from the centre to the hull's farthest vertex, metres.
  double volume_ratio = 0.0;   ///< Volume of the smooth hull by that of the hull, to about one part in a thousand.
  double cover_scale = 1.0;    ///< Conservative: by how much the fitted points were scaled at last to cover the hull.
};

/// Least squares on the support values over evenly spread directions and the face normals, by the points and, unless it
/// is given, the sharpness; the best of several starts. A smooth hull contains its origin, so the fit is made about the
/// hull's own origin where that lies deep enough inside, else about the centre of mass. The origin of the result lies
/// strictly inside its points, which makes its support function twice differentiable with curved level sets.
///
/// Conservative: shortfalls count more than excess, as much more as gives the least mean deviation once the points are
/// scaled by the largest ratio of the support values, which is proven (covering_scale).
/// @throws InvalidInput  naming vertices, sharpness, or the hull where it is flat or nearly so (thinner than a
///                       thousandth of its size), smaller or larger than the range above, or where no fit with so few
///                       vertices surrounds the centre.
/// @note Deterministic; thread-safe. With 20 points one to three seconds for hulls of up to some thousand vertices,
///       beyond in proportion to the vertices: 5 s for 20 000, 23 s for 100 000, more than 200 s for a million.
[[nodiscard]] FitResult fit_smooth_hull(const ConvexHull& hull, const FitOptions& options = {});

}  // namespace abut

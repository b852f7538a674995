// Checked corners of a convex polygon, for the padded polygon in space and the polygons of the plane.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace abut {

/// @param points  Corners in order around a convex polygon, either sense, metres. Repeated and collinear corners are
///                dropped.
/// @return At least three corners, counter-clockwise, no three of them collinear.
/// @throws InvalidInput  naming "points": not finite, fewer than three distinct corners, no area, not convex, or going
///                       around more than once.
[[nodiscard]] std::vector<Eigen::Vector2d> convex_polygon(std::span<const Eigen::Vector2d> points);

/// The corners of the convex hull of points in any order.
/// @param points  Metres, in the polygon's frame.
/// @return As above.
/// @throws InvalidInput  naming "points": not finite, fewer than three distinct ones, or all on one line up to
/// rounding.
[[nodiscard]] std::vector<Eigen::Vector2d> convex_hull_polygon(std::span<const Eigen::Vector2d> points);

}  // namespace abut

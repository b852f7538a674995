// The convex hull of points in the plane: Andrew, "Another efficient algorithm for convex hulls in two dimensions"
// (1979), the monotone chain.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace abut::detail {

/// Sorts finite points by x, those of one x by y, and drops those that come again.
void sort_distinct(std::vector<Eigen::Vector2d>& points);

/// The corners of the hull, counter-clockwise, none between two others; of points on one line the two ends, of one
/// point that point.
/// @param points  As sort_distinct() leaves them.
[[nodiscard]] std::vector<Eigen::Vector2d> planar_hull(std::span<const Eigen::Vector2d> points);

}  // namespace abut::detail

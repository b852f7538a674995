// Which of some points are the corners of their convex hull, and what joins them.
// Source: Barber, Dobkin, Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (ACM TOMS 1996), by qhull. Added here:
// the points are first mapped to a frame in which they are about as wide as they are thick. Hulls commute with affine
// maps, and so plates and needles lose no more to qhull's tolerances than round bodies do.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

/// Corners, triangles and edges of a hull, as positions in the list of points.
struct HullTopology {
  using Index = std::uint32_t;

  int dimension = 0;            ///< Affine dimension of the points: 0 … 3.
  double size = 0.0;            ///< Scale of the rounding errors, metres: width and largest coordinate of the points.
  std::vector<bool> is_vertex;  ///< One a point.
  std::vector<std::array<Index, 3>> triangles;  ///< Counter-clockwise from outside; a flat hull has both sides.
  std::vector<std::pair<Index, Index>> edges;   ///< Each at least once, in any direction.
  bool is_complete = true;                      ///< The edges reach every vertex as those of a convex body do.
  double outside = 0.0;  ///< Metres: how far dropped points reach out of the triangles, of the order of rounding.
};

/// Hull of the points. Where qhull finds none to trust, every point counts as a vertex and is_complete is false.
/// @param points  At least one, all different, finite, metres.
/// @note Thread-safe; prints nothing.
[[nodiscard]] HullTopology hull_topology(std::span<const Eigen::Vector3d> points);

}  // namespace abut::detail

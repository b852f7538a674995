// The corners of a polygon that is given by its half-planes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace abut {

/// All points y of the plane with normal · y <= offset.
struct HalfPlane {
  Eigen::Vector2d normal = Eigen::Vector2d::UnitX();  ///< Outward: from the allowed side to the forbidden one.
  double offset = 0.0;                                ///< Metres where the normal is a unit vector.
};

/// @param half_planes  In any order, finite; normals of any length but not zero. Rows that bound nothing are dropped.
/// @return The corners of the points that all rows allow, counter-clockwise.
/// @throws InvalidInput  naming "normals[i]" or "offsets[i]"; naming "half_planes" where they allow no point, a set of
///                       no area, or one without bound.
[[nodiscard]] std::vector<Eigen::Vector2d> half_plane_polygon(std::span<const HalfPlane> half_planes);

}  // namespace abut

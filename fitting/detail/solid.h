// A solid convex hull: its volume, centre of mass and the depth of points inside it.
#pragma once

#include <abut/core/shapes/convex_hull.h>

namespace abut::detail {

struct SolidProperties {
  double volume = 0.0;                         ///< Cubic metres.
  Vector3d center_of_mass = Vector3d::Zero();  ///< Of uniform density, metres, frame of the hull.
};

/// @param hull  Of dimension 3.
[[nodiscard]] SolidProperties solid_properties(const ConvexHull& hull);

/// Distance from `point` to the nearest plane of a face, metres; negative outside.
[[nodiscard]] double depth_in(const ConvexHull& hull, const Vector3d& point);

/// Distance from `point` to the farthest vertex, metres.
[[nodiscard]] double reach_of(const ConvexHull& hull, const Vector3d& point);

}  // namespace abut::detail

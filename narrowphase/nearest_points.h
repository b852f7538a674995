// The pair of points of two cores that a simplex of their Minkowski difference holds.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/simplex.h>

namespace abut::detail {

/// Frame of a, metres.
struct NearestPoints {
  double distance = 0.0;
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();
};

/// Of the point of the simplex nearest the origin; any of its points when it encloses the origin.
[[nodiscard]] NearestPoints nearest_points(const Simplex<DifferencePoint>& simplex);

}  // namespace abut::detail

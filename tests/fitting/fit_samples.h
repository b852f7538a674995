// Hulls to fit, and the deviation of a fit by brute force.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/smooth_hull.h>
#include <abut/fitting/detail/support_samples.h>
#include <abut/fitting/fit_smooth_hull.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace abut::samples {

inline ConvexHull ellipsoid_hull(const Vector3d& radii, int count, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(radii.cwiseProduct(random.direction()));
  return ConvexHull::from_points(points);
}

/// Points on the surface of a smooth hull.
inline ConvexHull surface_hull(const SmoothHull& shape, int count) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(shape.core_support(detail::even_direction(i, count)));
  return ConvexHull::from_points(points);
}

/// Support values by a scan of all vertices, about `center`.
inline double scanned_support(const ConvexHull& hull, const Vector3d& center, const Vector3d& direction) {
  double value = -std::numeric_limits<double>::infinity();
  for (const Vector3d& vertex : hull.vertices()) value = std::max(value, (vertex - center).dot(direction));
  return value;
}

struct SampledDeviation {
  double outside = 0.0;  ///< Metres.
  double inside = 0.0;
  double largest_ratio = 0.0;  ///< Of the hull's support value by the smooth hull's.
};

/// Over random directions, and the face normals, where the deviation peaks.
inline SampledDeviation sampled_deviation(const SmoothHull& shape, const ConvexHull& hull, const Vector3d& center,
                                          int count, Random& random) {
  SampledDeviation result;
  const auto look = [&](const Vector3d& direction) {
    const double value = shape.core_support(direction).dot(direction);
    const double hull_value = scanned_support(hull, center, direction);
    result.outside = std::max(result.outside, value - hull_value);
    result.inside = std::max(result.inside, hull_value - value);
    result.largest_ratio = std::max(result.largest_ratio, hull_value / value);
  };
  for (int i = 0; i < count; ++i) look(random.direction());
  for (const detail::FaceNormal& face : detail::main_face_normals(hull, hull.triangles().size())) look(face.normal);
  return result;
}

}  // namespace abut::samples

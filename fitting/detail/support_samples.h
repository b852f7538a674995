// The directions in which a fit compares support functions.
#pragma once

#include <abut/core/shapes/convex_hull.h>

#include <vector>

namespace abut::detail {

/// Direction `index` of `count` that are spread evenly over the sphere: the spiral of the golden angle. Unit.
[[nodiscard]] Vector3d even_direction(int index, int count);

/// Unit normals of the hull's faces with their areas, the largest first; faces that look almost the same way are taken
/// together, and at most `limit` are kept.
struct FaceNormal {
  Vector3d normal;
  double area = 0.0;  ///< Square metres.
};
[[nodiscard]] std::vector<FaceNormal> main_face_normals(const ConvexHull& hull, std::size_t limit);

/// Support values of a hull about a centre, in units of `size`.
struct SupportSamples {
  std::vector<Vector3d> directions;  ///< Unit.
  std::vector<double> values;        ///< max (v - center)·direction over the vertices v, divided by size.
  std::vector<double> weights;       ///< Of the residuals; their squares sum to 1 + kFaceWeight.
};

/// Face normals together, against the even directions together. The deviation peaks at face normals, where the hull's
/// support function has its kinks, so they keep the largest deviation small; a larger weight costs in the mean.
inline constexpr double kFaceWeight = 0.25;

/// @param directions  Evenly spread ones; the main face normals, at most as many, come on top.
[[nodiscard]] SupportSamples sample_support(const ConvexHull& hull, const Vector3d& center, double size,
                                            int directions);

}  // namespace abut::detail

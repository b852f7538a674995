// Support faces of polytopes that are given by their vertices.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/padded_polygon.h>
#include <abut/narrowphase/sensitivity/support_face.h>

#include <span>

namespace abut::detail {

/// Of the hull of some points, of which those that are not neighbours of the highest ones may be left out.
/// @param points  1 to kMaxFacePoints.
[[nodiscard]] SupportFace face_of_points(std::span<const Vector3d> points, const Vector3d& outward,
                                         const Vector3d& point, const FaceTolerance& tolerance);

/// Faces of more corners than about this are not told from their edges: `turn` is then zero.
inline constexpr std::size_t kMaxFacePoints = 512;

[[nodiscard]] SupportFace face_of_hull(const ConvexHull& hull, const Vector3d& outward, const Vector3d& point,
                                       const FaceTolerance& tolerance);

[[nodiscard]] SupportFace face_of_polygon(const PaddedPolygon& polygon, const Vector3d& outward, const Vector3d& point,
                                          const FaceTolerance& tolerance);

}  // namespace abut::detail

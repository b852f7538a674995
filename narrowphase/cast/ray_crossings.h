// How a mesh winds around a point, counted along a ray.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <optional>

namespace abut::detail {

/// Points at most this far from the surface of a mesh lie on it to rounding, metres: a few units in the last place of
/// the coordinates. Scaled before they are added, so that it is finite for all finite ones.
[[nodiscard]] double surface_rounding(const TriangleMesh& mesh, const Vector3d& point);

/// What a ray from a point tells of a closed mesh.
struct RayCrossings {
  int winding = 0;             ///< Exits less entries, by the orientation of the triangles.
  bool is_on_surface = false;  ///< The ray starts on a triangle to rounding.
};

/// Nothing where the ray meets an edge or a corner exactly: another direction is then asked. Triangles without area as
/// the ray sees them leave no doubt: an edge of theirs that it meets is, or leads to, one of a triangle that it sees.
[[nodiscard]] std::optional<RayCrossings> ray_crossings(const TriangleMesh& mesh, const Vector3d& origin,
                                                        const Vector3d& direction);

}  // namespace abut::detail

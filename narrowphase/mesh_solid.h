// Closed meshes as solids: the nearest surface point, inside or outside, signed distance.
//
// distance() and collides() know meshes as surfaces; here is what tells a body inside one from a body outside.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace abut {

/// Where a mesh is nearest to a point; frame of the mesh, metres.
struct NearestOnMesh {
  double distance = 0.0;              ///< >= 0.
  Vector3d point = Vector3d::Zero();  ///< On the surface.
  std::uint32_t triangle = 0;         ///< Of equally near ones the one with the smallest index.
};

// All: `point` in the frame of the mesh, metres, finite. They throw InvalidInput naming point, or mesh where it has to
// be closed (TriangleMesh::is_closed()) and is not; they allocate nothing once is_closed() is known, and may run
// concurrently.

/// @param max_distance  >= 0. @throws InvalidInput  naming max_distance.
/// @return Nothing where no triangle is within max_distance. Any mesh.
[[nodiscard]] std::optional<NearestOnMesh> nearest_on_mesh(
    const TriangleMesh& mesh, const Vector3d& point, double max_distance = std::numeric_limits<double>::infinity());

/// Whether a point belongs to the solid that a closed mesh bounds: the surface winds around it, in either direction, or
/// it lies on the surface to rounding. The winding number is counted along a ray, exactly but for rounding of the
/// coordinates, and does not depend on which feature of the surface is nearest. Where a surface crosses itself, what it
/// winds around at least once is inside.
[[nodiscard]] bool contains(const TriangleMesh& mesh, const Vector3d& point);

/// The distance to the surface of a closed mesh, negative where contains() is true; 0 is never -0.
[[nodiscard]] double signed_distance(const TriangleMesh& mesh, const Vector3d& point);

/// Whether a body lies inside a closed mesh without touching its surface: what collides() calls free, because a mesh is
/// a surface to it. Every leaf of a compound has to; a mesh as the body is taken to be in one piece.
/// @param body  Bounded. @throws InvalidInput  naming mesh or body.
[[nodiscard]] bool lies_inside(const TriangleMesh& mesh, const Pose& world_from_mesh, const Shape& body,
                               const Pose& world_from_body);

}  // namespace abut

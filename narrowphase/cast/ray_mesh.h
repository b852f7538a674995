// Rays against triangle meshes: the nearest hit, any hit, all hits.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace abut {

/// Where origin + t direction meets a triangle.
struct MeshHit {
  double t = 0.0;              ///< In lengths of `direction`, >= 0.
  std::uint32_t triangle = 0;  ///< Its index in the mesh.
};

// All three: origin and direction in the frame of the mesh, metres; direction of any length but not zero;
// 0 <= t <= max_t, which may be infinite. Both sides of a triangle are hit, its edges and corners belong to it, and no
// ray passes between triangles that share an edge or a corner (watertight). A ray exactly in the plane of a triangle
// does not hit it; one in that plane to rounding may, at a point of the triangle. They throw InvalidInput naming
// origin, direction or max_t, allocate nothing (all_hits: but for `hits`), and may run concurrently.

/// The hit of smallest t; of equal ones that of the smallest triangle index.
[[nodiscard]] std::optional<MeshHit> first_hit(const TriangleMesh& mesh, const Vector3d& origin,
                                               const Vector3d& direction,
                                               double max_t = std::numeric_limits<double>::infinity());

/// Whether there is a hit: stops at the first that is found.
[[nodiscard]] bool any_hit(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction,
                           double max_t = std::numeric_limits<double>::infinity());

/// Every triangle that is hit, ordered by t, then by index; `hits` is cleared first.
void all_hits(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction, double max_t,
              std::vector<MeshHit>& hits);

}  // namespace abut

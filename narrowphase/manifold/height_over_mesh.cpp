#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/height_over_mesh.h>
#include <abut/narrowphase/manifold/surface_normals.h>
#include <abut/narrowphase/mesh_solid.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace abut::detail {
namespace {

// Of the angle between the normal and the way to the nearest point.
constexpr double kCosOffFace = 0.5;
constexpr double kCosOffBorder = 0.95;

bool is_on_border(const TriangleMesh& mesh, const NearestOnMesh& nearest) {
  constexpr double kOnEdge = 1e-9;
  const std::array<Vector3d, 3> corners = mesh.corners(nearest.triangle);
  for (std::size_t k = 0; k < 3; ++k) {
    if (mesh.adjacency().link(nearest.triangle, k).is_joined()) continue;
    const Vector3d along = corners[(k + 1) % 3] - corners[k];
    const double off_edge = along.cross(nearest.point - corners[k]).norm();  // times the edge's length
    if (off_edge <= kOnEdge * along.squaredNorm()) return true;
  }
  return false;
}

}  // namespace

std::optional<HeightOverMesh> height_over(const TriangleMesh& mesh, const Vector3d& point) {
  if (!point.allFinite()) return std::nullopt;
  const std::optional<NearestOnMesh> nearest = nearest_on_mesh(mesh, point);
  if (!nearest) return std::nullopt;
  const SurfaceLeaf face(mesh, nearest->triangle);
  if (!face.has_normal()) return std::nullopt;
  const double off = std::abs(face.normal().dot(point - nearest->point));
  const double least = is_on_border(mesh, *nearest) ? kCosOffBorder : kCosOffFace;
  if (!(off > least * nearest->distance)) return std::nullopt;
  return HeightOverMesh{nearest->triangle, face.normal(), face.normal().dot(point - face.corners()[0])};
}

}  // namespace abut::detail

// Triangle surface: checks, its tree and its oriented box.
#include <abut/core/error.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <limits>
#include <string>
#include <utility>

namespace abut {

TriangleMesh::TriangleMesh(std::vector<Vector3d> vertices, std::vector<Indices> triangles) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!vertices[i].allFinite()) require_finite("vertices[" + std::to_string(i) + "]", vertices[i]);
  }
  if (triangles.empty()) throw InvalidInput("triangles", "must have at least one triangle");
  if (triangles.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw InvalidInput("triangles", "must be fewer than 2^31", static_cast<double>(triangles.size()));
  }
  std::vector<Aabb> boxes(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t index = triangles[i][k];
      if (index >= vertices.size()) {
        throw InvalidInput("triangles[" + std::to_string(i) + "]", static_cast<std::ptrdiff_t>(k),
                           "must be the index of a vertex, below " + std::to_string(vertices.size()), index);
      }
      boxes[i].merge(vertices[index]);
    }
  }
  // Vertices that no triangle names are not part of the surface.
  Eigen::Matrix3Xd corners(3, static_cast<Eigen::Index>(3 * triangles.size()));
  Eigen::Index column = 0;
  for (const Indices& triangle : triangles) {
    for (const std::uint32_t index : triangle) corners.col(column++) = vertices[index];
  }
  data_ = std::make_shared<const Data>(
      Data{std::move(vertices), std::move(triangles), AabbTree(boxes), bounding_obb(corners)});
}

}  // namespace abut

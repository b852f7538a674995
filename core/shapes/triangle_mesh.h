// A surface of triangles with its bounding-volume tree. Not a solid: a body inside a closed mesh is apart from it.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/aabb_tree.h>
#include <abut/core/obb.h>
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

/// Immutable and shared: copies refer to the same data.
class TriangleMesh {
 public:
  using Indices = std::array<std::uint32_t, 3>;

  /// @param vertices   Metres, body frame, finite.
  /// @param triangles  At least one; indices into vertices. Degenerate triangles are kept.
  /// @throws InvalidInput  naming vertices[i] or triangles[i][k].
  TriangleMesh(std::vector<Vector3d> vertices, std::vector<Indices> triangles);

  [[nodiscard]] std::span<const Vector3d> vertices() const { return data_->vertices; }
  [[nodiscard]] std::span<const Indices> triangles() const { return data_->triangles; }
  [[nodiscard]] std::array<Vector3d, 3> corners(std::uint32_t triangle) const {
    const Indices& t = data_->triangles[triangle];
    return {data_->vertices[t[0]], data_->vertices[t[1]], data_->vertices[t[2]]};
  }
  /// Over the triangles; item i is triangle i.
  [[nodiscard]] const AabbTree& tree() const { return data_->tree; }
  [[nodiscard]] const Aabb& aabb() const { return data_->tree.bounds(); }
  [[nodiscard]] const Obb& obb() const { return data_->obb; }

 private:
  struct Data {
    std::vector<Vector3d> vertices;
    std::vector<Indices> triangles;
    AabbTree tree;
    Obb obb;
  };
  std::shared_ptr<const Data> data_;
};

}  // namespace abut

// A surface of triangles with its bounding-volume tree. Not a solid: a body inside a closed mesh is apart from it.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/obb.h>
#include <abut/core/trees/tree_kind.h>
#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

class MeshAdjacency;

/// What a surface bounds; frame of its vertices.
struct MeshVolume {
  double signed_size;  ///< Cubic metres; negative where the triangles run clockwise seen from outside.
  Vector3d centroid;   ///< Metres; where there is no volume, some finite point.
};

/// Immutable and shared: copies refer to the same data.
class TriangleMesh {
 public:
  using Indices = std::array<std::uint32_t, 3>;

  /// @param vertices   Metres, body frame, finite.
  /// @param triangles  At least one; indices into vertices. Degenerate triangles are kept.
  /// @param tree       Boxes of the tree.
  /// @throws InvalidInput  naming vertices[i], triangles[i][k] or tree.
  TriangleMesh(std::vector<Vector3d> vertices, std::vector<Indices> triangles, TreeKind tree = TreeKind::automatic);

  /// The same triangles with other vertices, for a surface that deforms: the tree keeps its structure, only its boxes
  /// are made anew. Cheaper than a new mesh; the tree is as good as one while neighbours stay neighbours. Of the first
  /// vertices a copy is kept, which all meshes made of each other share. Neighbours stay those of the first vertices:
  /// edges that lay at one place there stay joined, triangles that had no area and were covered by others stay so.
  /// @param vertices  As many as there are. @throws InvalidInput  naming vertices or vertices[i].
  [[nodiscard]] TriangleMesh with_vertices(std::vector<Vector3d> vertices) const;

  [[nodiscard]] std::span<const Vector3d> vertices() const { return data_->vertices; }
  [[nodiscard]] std::span<const Indices> triangles() const { return *data_->triangles; }
  [[nodiscard]] std::array<Vector3d, 3> corners(std::uint32_t triangle) const {
    const Indices& t = (*data_->triangles)[triangle];
    return {data_->vertices[t[0]], data_->vertices[t[1]], data_->vertices[t[2]]};
  }
  /// Those for which the tree got its structure: vertices() but for meshes of with_vertices(). first_vertices(),
  /// triangles() and tree_kind() make the first mesh again, and its with_vertices() this one, bit for bit.
  [[nodiscard]] std::span<const Vector3d> first_vertices() const;
  /// Over the triangles; item i is triangle i.
  [[nodiscard]] const BoxTree& tree() const { return *data_->tree; }
  /// As it was asked for.
  [[nodiscard]] TreeKind tree_kind() const { return data_->tree_kind; }
  /// Which triangles are neighbours; of the vertices as they first were, with_vertices() keeps it.
  [[nodiscard]] const MeshAdjacency& adjacency() const { return *data_->adjacency; }
  [[nodiscard]] const Aabb& aabb() const { return data_->aabb; }
  [[nodiscard]] const Obb& obb() const { return data_->obb; }

  /// Whether the surface bounds a solid: every edge belongs to exactly two triangles that run along it in opposite
  /// directions, by vertex index. Triangles that name a vertex twice do not count.
  /// @note Found when first asked for, in a pass over the triangles (a sort of all edges where vertices lie at one
  /// place or edges have four triangles), then remembered; thread-safe.
  [[nodiscard]] bool is_closed() const;

  /// Cubic metres that a closed surface bounds: negative where its triangles run clockwise seen from outside. Of an
  /// open surface, it tells nothing.
  [[nodiscard]] double volume() const { return data_->volume.signed_size; }

  /// The centre of that volume, metres, frame of the vertices; of an open surface it tells nothing, but it is finite.
  [[nodiscard]] const Vector3d& centroid() const { return data_->volume.centroid; }

  /// Bytes of vertices, first ones included, triangles, tree and adjacency; what with_vertices() shares is counted in
  /// each mesh.
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Shared;
  struct Data {
    std::vector<Vector3d> vertices;
    std::shared_ptr<const std::vector<Indices>> triangles;
    TreeKind tree_kind;
    std::shared_ptr<const BoxTree> tree;
    std::shared_ptr<const MeshAdjacency> adjacency;
    Aabb aabb;
    Obb obb;
    MeshVolume volume;
    std::shared_ptr<Shared> shared;  // of all meshes with these triangles
    bool is_first;                   // of them: not made by with_vertices()
  };

  explicit TriangleMesh(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  std::shared_ptr<const Data> data_;
};

}  // namespace abut

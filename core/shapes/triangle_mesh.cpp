// Triangle surface: checks, its tree, its neighbours, its oriented box, and whether it is closed.
#include <abut/core/error.h>
#include <abut/core/require_enum.h>
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace abut {
namespace {

using Indices = TriangleMesh::Indices;

void check(const std::vector<Vector3d>& vertices) {
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (!vertices[i].allFinite()) require_finite("vertices[" + std::to_string(i) + "]", vertices[i]);
  }
}

/// The boxes of triangles, in memory that the threads touch first that fill it.
class TriangleBoxes {
 public:
  TriangleBoxes(const std::vector<Vector3d>& vertices, const std::vector<Indices>& triangles)
      : boxes_(std::make_unique_for_overwrite<Storage[]>(triangles.size())), count_(triangles.size()) {
    constexpr std::size_t kPerTask = 4096;
    const auto fill = [&](const tbb::blocked_range<std::size_t>& range, Aabb bounds) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        Aabb box;
        for (const std::uint32_t index : triangles[i]) box.merge(vertices[index]);
        bounds.merge(*::new (boxes_.get() + i) Aabb(box));
      }
      return bounds;
    };
    const auto join = [](Aabb a, const Aabb& b) {
      a.merge(b);
      return a;
    };
    bounds_ = tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, count_, kPerTask), Aabb(), fill, join);
  }

  [[nodiscard]] std::span<const Aabb> all() const {
    return {std::launder(reinterpret_cast<const Aabb*>(boxes_.get())), count_};
  }
  /// Of all of them.
  [[nodiscard]] const Aabb& bounds() const { return bounds_; }

 private:
  struct alignas(Aabb) Storage {
    std::byte bytes[sizeof(Aabb)];
  };
  std::unique_ptr<Storage[]> boxes_;
  std::size_t count_;
  Aabb bounds_;
};

// Vertices that no triangle names are not part of the surface.
Obb obb_of(const std::vector<Vector3d>& vertices, const std::vector<Indices>& triangles) {
  std::vector<std::uint8_t> is_used(vertices.size(), 0);
  for (const Indices& triangle : triangles) {
    for (const std::uint32_t index : triangle) is_used[index] = 1;
  }
  const Eigen::Index used = std::count(is_used.begin(), is_used.end(), 1);
  if (static_cast<std::size_t>(used) == vertices.size()) {
    return bounding_obb(Eigen::Matrix3Xd::Map(vertices.front().data(), 3, used));
  }
  Eigen::Matrix3Xd points(3, used);
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (is_used[i] != 0) points.col(column++) = vertices[i];
  }
  return bounding_obb(points);
}

BoxTree::ItemPoints corners_for(TreeKind tree, const std::vector<Vector3d>& vertices,
                                const std::vector<Indices>& triangles) {
  if (tree == TreeKind::aabb) return nullptr;
  return [&vertices, &triangles](std::uint32_t item, std::span<Vector3d, 8> points) {
    for (std::size_t k = 0; k < 3; ++k) points[k] = vertices[triangles[item][k]];
    return std::size_t{3};
  };
}

// The tetrahedra from the middle to all triangles, each with its sign.
MeshVolume volume_of(const std::vector<Vector3d>& vertices, const std::vector<Indices>& triangles,
                     const Vector3d& middle) {
  double six_times = 0.0;
  Vector3d moment = Vector3d::Zero();
  for (const Indices& t : triangles) {
    const Vector3d a = vertices[t[0]] - middle;
    const Vector3d b = vertices[t[1]] - middle;
    const Vector3d c = vertices[t[2]] - middle;
    const double part = a.dot(b.cross(c));
    six_times += part;
    moment += part * (a + b + c);
  }
  const Vector3d center = middle + moment / (4.0 * six_times);
  return {six_times / 6.0, center.allFinite() ? center : middle};
}

bool is_flat(const Indices& t) {
  return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

// Every edge leads to one other triangle, which runs along it from the same vertices the other way. What fails may be
// closed all the same, where vertices lie at one place.
bool is_joined_all_over(const std::vector<Indices>& triangles, const MeshAdjacency& adjacency) {
  if (adjacency.has_crowded_edges()) return false;
  bool has_edges = false;
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    const Indices& t = triangles[i];
    if (is_flat(t)) continue;
    has_edges = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const MeshAdjacency::Link link = adjacency.link(i, k);
      if (!link.is_joined()) return false;
      const Indices& other = triangles[link.triangle()];
      if (other[link.edge()] != t[(k + 1) % 3] || other[(link.edge() + 1) % 3] != t[k]) return false;
    }
  }
  return has_edges;
}

// A sum over all directed edges in which an edge and its reverse cancel.
bool is_balanced(const std::vector<Indices>& triangles) {
  const auto hash = [](std::uint64_t from, std::uint64_t to) {
    std::uint64_t bits = (from << 32 | to) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ bits >> 32) * 0xff51afd7ed558ccdu;
    return bits ^ bits >> 29;
  };
  std::uint64_t sum = 0;
  for (const Indices& t : triangles) {
    if (is_flat(t)) continue;
    for (std::size_t k = 0; k < 3; ++k) sum += hash(t[k], t[(k + 1) % 3]) - hash(t[(k + 1) % 3], t[k]);
  }
  return sum == 0;
}

// Each directed edge occurs once, and so does its reverse. Most surfaces need no sorting to tell.
bool bounds_a_solid(const std::vector<Indices>& triangles, const MeshAdjacency& adjacency) {
  if (is_joined_all_over(triangles, adjacency)) return true;
  if (!is_balanced(triangles)) return false;
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * triangles.size());
  for (const Indices& t : triangles) {
    if (is_flat(t)) continue;
    for (std::size_t k = 0; k < 3; ++k) edges.push_back(std::uint64_t{t[k]} << 32 | t[(k + 1) % 3]);
  }
  if (edges.empty()) return false;
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](std::uint64_t edge) {
    return std::binary_search(edges.begin(), edges.end(), edge << 32 | edge >> 32);
  });
}

}  // namespace

// What is found when it is first needed.
struct TriangleMesh::Shared {
  std::once_flag is_closedness_known;
  bool is_closed = false;
  std::once_flag has_first_vertices;
  std::vector<Vector3d> first_vertices;
};

TriangleMesh::TriangleMesh(std::vector<Vector3d> vertices, std::vector<Indices> triangles, TreeKind tree) {
  detail::require_enum("tree", tree, TreeKind::obb);
  check(vertices);
  if (triangles.empty()) throw InvalidInput("triangles", "must have at least one triangle");
  if (triangles.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw InvalidInput("triangles", "must be fewer than 2^31", static_cast<double>(triangles.size()));
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t index = triangles[i][k];
      if (index >= vertices.size()) {
        throw InvalidInput("triangles[" + std::to_string(i) + "]", static_cast<std::ptrdiff_t>(k),
                           "must be the index of a vertex, below " + std::to_string(vertices.size()), index);
      }
    }
  }
  const TriangleBoxes boxes(vertices, triangles);
  std::shared_ptr<BoxTree> made;
  std::shared_ptr<const MeshAdjacency> adjacency;
  Obb obb;
  MeshVolume volume;
  tbb::parallel_invoke(
      [&] {
        made = std::make_shared<BoxTree>(boxes.all(), corners_for(tree, vertices, triangles));
        made->pack(triangles, vertices.size());
      },
      [&] { adjacency = std::make_shared<const MeshAdjacency>(vertices, triangles); },
      [&] { obb = obb_of(vertices, triangles); },
      [&] { volume = volume_of(vertices, triangles, boxes.bounds().center()); });
  data_ = std::make_shared<const Data>(
      Data{std::move(vertices), std::make_shared<const std::vector<Indices>>(std::move(triangles)), tree,
           std::move(made), std::move(adjacency), boxes.bounds(), obb, volume, std::make_shared<Shared>(), true});
}

TriangleMesh TriangleMesh::with_vertices(std::vector<Vector3d> vertices) const {
  if (vertices.size() != data_->vertices.size()) {
    throw InvalidInput("vertices", "must be as many as before, " + std::to_string(data_->vertices.size()),
                       static_cast<double>(vertices.size()));
  }
  check(vertices);
  const std::vector<Indices>& triangles = *data_->triangles;
  const TreeKind kind = data_->tree_kind;
  const TriangleBoxes boxes(vertices, triangles);
  std::shared_ptr<const BoxTree> made;
  Obb obb;
  MeshVolume volume;
  tbb::parallel_invoke(
      [&] {
        made = std::make_shared<const BoxTree>(tree().refitted(boxes.all(), corners_for(kind, vertices, triangles)));
      },
      [&] { obb = obb_of(vertices, triangles); },
      [&] { volume = volume_of(vertices, triangles, boxes.bounds().center()); });
  Shared& shared = *data_->shared;
  if (data_->is_first) {
    std::call_once(shared.has_first_vertices, [&] { shared.first_vertices = data_->vertices; });
  }
  return TriangleMesh(
      std::make_shared<const Data>(Data{std::move(vertices), data_->triangles, kind, std::move(made), data_->adjacency,
                                        boxes.bounds(), obb, volume, data_->shared, false}));
}

bool TriangleMesh::is_closed() const {
  Shared& shared = *data_->shared;
  std::call_once(shared.is_closedness_known,
                 [&] { shared.is_closed = bounds_a_solid(*data_->triangles, adjacency()); });
  return shared.is_closed;
}

std::span<const Vector3d> TriangleMesh::first_vertices() const {
  return data_->is_first ? vertices() : data_->shared->first_vertices;
}

std::size_t TriangleMesh::memory() const {
  const std::size_t first = data_->is_first ? 0 : data_->shared->first_vertices.capacity();
  return sizeof(Data) + (data_->vertices.capacity() + first) * sizeof(Vector3d) +
         data_->triangles->capacity() * sizeof(Indices) + tree().memory() + adjacency().memory();
}

}  // namespace abut

#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/height_over_mesh.h>
#include <abut/narrowphase/manifold/passed_vertices.h>
#include <abut/narrowphase/manifold/surface_normals.h>
#include <abut/narrowphase/mesh_solid.h>

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

namespace abut::detail {
namespace {

// What the flood asks for at most: more is cut off, and the bodies are pushed apart by less at first.
constexpr std::size_t kMostVertices = 4096;

/// A vertex that was asked for, and where the other mesh is nearest.
struct AskedVertex {
  Vector3d point;
  Vector3d normal = Vector3d::Zero();
  double depth = 0.0;  ///< Not positive: it has not passed.
  std::uint32_t face = 0;
  bool is_taken = false;
};

class PassedVertices {
 public:
  PassedVertices(const TriangleMesh& solid, double outside, const TriangleMesh& other, const SideScratch& sides,
                 double other_outside, const Pose& other_from_solid, double least_depth, double most_depth,
                 std::pmr::vector<PassedVertex>& passed)
      : solid_(solid),
        outside_(outside),
        other_(other),
        sides_(sides),
        is_other_closed_(other.is_closed()),
        is_other_solid_(other_outside != 0.0),
        other_from_solid_(other_from_solid),
        least_depth_(least_depth),
        most_depth_(most_depth),
        passed_(passed),
        asked_(passed.get_allocator().resource()),
        seen_(passed.get_allocator().resource()),
        open_(passed.get_allocator().resource()) {}

  void find(std::span<const std::uint32_t> seeds) {
    for (const std::uint32_t seed : seeds) reach(seed);
    for (std::size_t at = 0; at < open_.size() && asked_.size() < kMostVertices; ++at) visit(open_[at]);
  }

 private:
  void reach(std::uint32_t triangle) {
    if (seen_.insert(triangle).second) open_.push_back(triangle);
  }

  void visit(std::uint32_t triangle) {
    const SurfaceLeaf leaf(solid_, triangle);
    const Vector3d outward = outside_ * other_from_solid_.rotate(leaf.normal());
    bool has_passed = false;
    for (const std::uint32_t index : solid_.triangles()[triangle]) {
      AskedVertex& vertex = ask(index);
      if (!(vertex.depth > 0.0)) continue;
      has_passed = true;
      const bool is_against = leaf.has_normal() && vertex.normal.dot(outward) < -kCosMostTilt;
      if (vertex.is_taken || !is_against || vertex.depth <= least_depth_ || vertex.depth > most_depth_) continue;
      vertex.is_taken = true;
      passed_.push_back({index, triangle, vertex.face, vertex.point, vertex.point + vertex.depth * vertex.normal,
                         vertex.normal, vertex.depth});
    }
    if (!has_passed) return;
    for (std::size_t k = 0; k < 3; ++k) {
      const MeshAdjacency::Link link = solid_.adjacency().link(triangle, k);
      if (link.is_joined()) reach(link.triangle());
    }
  }

  AskedVertex& ask(std::uint32_t index) {
    const auto [at, is_new] = asked_.try_emplace(index);
    AskedVertex& vertex = at->second;
    if (!is_new) return vertex;
    vertex.point = other_from_solid_ * solid_.vertices()[index];
    const auto over = height_over(other_, vertex.point);
    if (!over) return vertex;
    const double side = side_of_triangle(sides_, over->triangle);
    vertex.face = over->triangle;
    vertex.normal = side * over->normal;
    const bool is_behind = side * over->height < 0.0;
    if (is_behind && (!is_other_closed_ || contains(other_, vertex.point) == is_other_solid_)) {
      vertex.depth = -side * over->height;
    }
    return vertex;
  }

  const TriangleMesh& solid_;
  double outside_;
  const TriangleMesh& other_;
  const SideScratch& sides_;
  bool is_other_closed_;
  bool is_other_solid_;
  const Pose& other_from_solid_;
  double least_depth_;
  double most_depth_;
  std::pmr::vector<PassedVertex>& passed_;
  std::pmr::unordered_map<std::uint32_t, AskedVertex> asked_;  // by vertex
  std::pmr::unordered_set<std::uint32_t> seen_;                // triangles
  std::pmr::vector<std::uint32_t> open_;                       // triangles, the nearest to the seeds first
};

}  // namespace

void find_passed_vertices(const TriangleMesh& solid, double outside, std::span<const std::uint32_t> seeds,
                          const TriangleMesh& other, const SideScratch& sides, double other_outside,
                          const Pose& other_from_solid, double least_depth, double most_depth,
                          std::pmr::vector<PassedVertex>& passed) {
  PassedVertices(solid, outside, other, sides, other_outside, other_from_solid, least_depth, most_depth, passed)
      .find(seeds);
}

}  // namespace abut::detail

#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/height_over_mesh.h>
#include <abut/narrowphase/manifold/passed_vertices.h>
#include <abut/narrowphase/manifold/spread_senses.h>
#include <abut/narrowphase/manifold/surface_normals.h>
#include <abut/narrowphase/mesh_solid.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace abut::detail {
namespace {

// What the flood asks for at most: more is cut off, and the bodies are pushed apart by less at first.
constexpr std::size_t kMostVertices = 4096;

/// What a point is behind.
struct Behind {
  std::uint32_t face = 0;
  Vector3d normal = Vector3d::Zero();  ///< Unit, out of the body.
  double depth = 0.0;                  ///< Not positive: it has not passed.
};

class MeshSurface {
 public:
  MeshSurface(const TriangleMesh& mesh, const SideScratch& sides, double outside, std::pmr::memory_resource* memory)
      : mesh_(mesh), sides_(sides), outside_(outside), is_closed_(mesh.is_closed()) {
    if (outside == 0.0) {
      senses_.emplace(*sides.triangles.front().leaf, sides.triangles, MetTriangle::kNoPiece, memory);
    }
  }

  [[nodiscard]] Behind behind(const Vector3d& point) {
    const auto over = height_over(mesh_, point);
    if (!over) return {};
    const double side = side_of(over->triangle);
    if (side == 0.0) return {};
    const double depth = -side * over->height;
    const bool has_passed = depth > 0.0 && (!is_closed_ || contains(mesh_, point) == (outside_ != 0.0));
    return {over->triangle, side * over->normal, has_passed ? depth : 0.0};
  }

 private:
  // From where a triangle is met: 1 front, -1 back; 0: it is of no piece that was met.
  double side_of(std::uint32_t triangle) {
    if (!senses_) return outside_;
    const SpreadSenses::Found found = senses_->find(triangle);
    return found.piece == MetTriangle::kNoPiece ? 0.0 : found.sense * sides_.pieces[found.piece].side;
  }

  const TriangleMesh& mesh_;
  const SideScratch& sides_;
  double outside_;
  bool is_closed_;
  std::optional<SpreadSenses> senses_;  // of what is no solid
};

class FieldSurface {
 public:
  explicit FieldSurface(const HeightField& field) : field_(field) {}

  [[nodiscard]] Behind behind(const Vector3d& point) const {
    const Eigen::Vector2d cells = point.head<2>().cwiseQuotient(field_.spacing());
    const auto columns = static_cast<double>(field_.heights().cols() - 1);
    const auto rows = static_cast<double>(field_.heights().rows() - 1);
    const bool is_under = cells.x() >= 0.0 && cells.x() <= columns && cells.y() >= 0.0 && cells.y() <= rows;
    if (!is_under || !(point.z() > field_.base())) return {};
    const double column = std::min(std::floor(cells.x()), columns - 1.0);
    const double row = std::min(std::floor(cells.y()), rows - 1.0);
    const bool is_upper = cells.y() - row > cells.x() - column;
    const auto prism = static_cast<std::uint32_t>(2.0 * (row * columns + column)) + (is_upper ? 1u : 0u);
    const SurfaceLeaf face(field_, prism);
    if (!face.has_normal()) return {};
    return {prism, face.normal(), face.normal().dot(face.corners()[0] - point)};
  }

 private:
  const HeightField& field_;
};

/// @tparam Surface  MeshSurface or FieldSurface.
template <class Surface>
class PassedVertices {
 public:
  PassedVertices(const TriangleMesh& solid, double outside, Surface& other, const Pose& other_from_solid,
                 double least_depth, double most_depth, std::pmr::vector<PassedVertex>& passed)
      : solid_(solid),
        outside_(outside),
        other_(other),
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
  /// A vertex that was asked for.
  struct AskedVertex {
    Vector3d point;
    Behind behind;
    bool is_taken = false;
  };

  void reach(std::uint32_t triangle) {
    if (seen_.insert(triangle).second) open_.push_back(triangle);
  }

  void visit(std::uint32_t triangle) {
    const SurfaceLeaf leaf(solid_, triangle);
    const Vector3d outward = outside_ * other_from_solid_.rotate(leaf.normal());
    bool has_passed = false;
    for (const std::uint32_t index : solid_.triangles()[triangle]) {
      AskedVertex& vertex = ask(index);
      const Behind& behind = vertex.behind;
      if (!(behind.depth > 0.0)) continue;
      has_passed = true;
      const bool is_against = leaf.has_normal() && behind.normal.dot(outward) < -kCosMostTilt;
      if (vertex.is_taken || !is_against || behind.depth <= least_depth_ || behind.depth > most_depth_) continue;
      vertex.is_taken = true;
      passed_.push_back({index, triangle, behind.face, vertex.point, vertex.point + behind.depth * behind.normal,
                         behind.normal, behind.depth});
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
    vertex.behind = other_.behind(vertex.point);
    return vertex;
  }

  const TriangleMesh& solid_;
  double outside_;
  Surface& other_;
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
  MeshSurface surface(other, sides, other_outside, passed.get_allocator().resource());
  PassedVertices(solid, outside, surface, other_from_solid, least_depth, most_depth, passed).find(seeds);
}

void find_passed_vertices(const TriangleMesh& solid, double outside, std::span<const std::uint32_t> seeds,
                          const HeightField& other, const Pose& other_from_solid, double least_depth, double most_depth,
                          std::pmr::vector<PassedVertex>& passed) {
  FieldSurface surface(other);
  PassedVertices(solid, outside, surface, other_from_solid, least_depth, most_depth, passed).find(seeds);
}

}  // namespace abut::detail

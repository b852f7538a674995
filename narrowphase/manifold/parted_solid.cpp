#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/height_over_mesh.h>
#include <abut/narrowphase/manifold/parted_solid.h>
#include <abut/narrowphase/manifold/surface_normals.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace abut::detail {
namespace {

constexpr std::size_t kMostAsked = 4096;

class PartedSolid {
 public:
  PartedSolid(const TriangleMesh& solid, const TriangleMesh& surface, std::uint32_t crossed,
              const std::function<double(std::uint32_t)>& sense, const Pose& surface_from_solid,
              std::pmr::memory_resource* memory)
      : solid_(solid),
        surface_(surface),
        crossed_(surface, crossed),
        sense_of_crossed_(sense(crossed)),
        sense_(sense),
        surface_from_solid_(surface_from_solid),
        heights_(memory),
        parts_{Part(memory), Part(memory)} {}

  double larger(std::span<const std::uint32_t> seeds) {
    for (Part& part : parts_) {
      for (const std::uint32_t seed : seeds) part.reach(seed);
    }
    // The one that reaches less far so far goes on, until it has no more to go to.
    while (heights_.size() < kMostAsked) {
      const std::size_t behind = parts_[0].extent <= parts_[1].extent ? 0 : 1;
      Part& part = parts_[behind];
      if (part.is_done()) {
        if (part.extent < parts_[1 - behind].extent) return behind == 0 ? 1.0 : -1.0;
        if (parts_[1 - behind].is_done()) return 0.0;
        visit(1 - behind);
      } else {
        visit(behind);
      }
    }
    return 0.0;
  }

 private:
  /// The triangles of the solid with a vertex behind the surface, or in front of it.
  struct Part {
    explicit Part(std::pmr::memory_resource* memory) : seen(memory), open(memory) {}

    void reach(std::uint32_t triangle) {
      if (seen.insert(triangle).second) open.push_back(triangle);
    }
    [[nodiscard]] bool is_done() const { return at == open.size(); }

    std::pmr::unordered_set<std::uint32_t> seen;
    std::pmr::vector<std::uint32_t> open;
    std::size_t at = 0;
    double extent = 0.0;  ///< Metres: of its vertex that is farthest from the surface.
  };

  void visit(std::size_t side) {
    Part& part = parts_[side];
    const std::uint32_t triangle = part.open[part.at++];
    std::array<bool, 3> is_of_part{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double above = height_of(solid_.triangles()[triangle][k]);
      const double height = side == 0 ? -above : above;
      is_of_part[k] = height > 0.0;
      part.extent = std::max(part.extent, height);
    }
    // Not round a corner that is beside the surface.
    for (std::size_t k = 0; k < 3; ++k) {
      if (!is_of_part[k] && !is_of_part[(k + 1) % 3]) continue;
      const MeshAdjacency::Link link = solid_.adjacency().link(triangle, k);
      if (link.is_joined()) part.reach(link.triangle());
    }
  }

  // Metres in front of the surface; 0 where the vertex is beside it. What is nearer to another sheet of the mesh is
  // seen from the plane of the crossed triangle.
  double height_of(std::uint32_t vertex) {
    const auto [at, is_new] = heights_.try_emplace(vertex, 0.0);
    if (!is_new) return at->second;
    const Vector3d point = surface_from_solid_ * solid_.vertices()[vertex];
    if (const auto over = height_over(surface_, point)) {
      const double sense = sense_(over->triangle);
      at->second = sense != 0.0 ? sense * over->height
                                : sense_of_crossed_ * crossed_.normal().dot(point - crossed_.corners()[0]);
    }
    return at->second;
  }

  const TriangleMesh& solid_;
  const TriangleMesh& surface_;
  SurfaceLeaf crossed_;
  double sense_of_crossed_;
  const std::function<double(std::uint32_t)>& sense_;
  const Pose& surface_from_solid_;
  std::pmr::unordered_map<std::uint32_t, double> heights_;
  std::array<Part, 2> parts_;  // behind the surface, in front of it
};

}  // namespace

double side_of_larger_part(const TriangleMesh& solid, std::span<const std::uint32_t> seeds, const TriangleMesh& surface,
                           std::uint32_t crossed, const std::function<double(std::uint32_t triangle)>& sense,
                           const Pose& surface_from_solid, std::pmr::memory_resource* memory) {
  return PartedSolid(solid, surface, crossed, sense, surface_from_solid, memory).larger(seeds);
}

}  // namespace abut::detail

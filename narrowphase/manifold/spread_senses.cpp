#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/narrowphase/manifold/spread_senses.h>

#include <array>

namespace abut::detail {
namespace {

constexpr std::size_t kMostReached = 4096;

}  // namespace

double sense_across(const TriangleMesh& mesh, std::uint32_t triangle, std::size_t edge) {
  const auto along = [&mesh](std::uint32_t item, std::size_t k) {
    const std::array<Vector3d, 3> corners = mesh.corners(item);
    return Vector3d(corners[(k + 1) % 3] - corners[k]);
  };
  const MeshAdjacency::Link link = mesh.adjacency().link(triangle, edge);
  return along(triangle, edge).dot(along(link.triangle(), link.edge())) > 0.0 ? -1.0 : 1.0;
}

SpreadSenses::SpreadSenses(const PatchLeaf& owner, std::span<const MetTriangle> met, std::uint32_t piece,
                           std::pmr::memory_resource* memory)
    : mesh_(*owner.shape->get_if<TriangleMesh>()), reached_(memory), open_(memory) {
  const bool is_whole = owner.owner_path == 0;
  for (const MetTriangle& triangle : met) {
    const PatchLeaf& leaf = *triangle.leaf;
    if (leaf.owner_path != owner.owner_path || !(is_whole || leaf.outer_item == owner.outer_item)) continue;
    if (piece != MetTriangle::kNoPiece && triangle.piece != piece) continue;
    const Found found{triangle.piece, triangle.sense};
    if (open_.empty()) first_ = found;
    reach(leaf.item, found);
  }
}

SpreadSenses::Found SpreadSenses::find(std::uint32_t triangle) {
  for (;;) {
    const auto found = reached_.find(triangle);
    if (found != reached_.end()) return found->second;
    if (at_ == open_.size()) return {};
    if (at_ >= kMostReached) return first_;
    visit(open_[at_++]);
  }
}

void SpreadSenses::reach(std::uint32_t triangle, const Found& found) {
  if (reached_.try_emplace(triangle, found).second) open_.push_back(triangle);
}

void SpreadSenses::visit(std::uint32_t triangle) {
  const Found from = reached_.at(triangle);
  for (std::size_t k = 0; k < 3; ++k) {
    const MeshAdjacency::Link link = mesh_.adjacency().link(triangle, k);
    if (link.is_joined()) reach(link.triangle(), {from.piece, sense_across(mesh_, triangle, k) * from.sense});
  }
}

}  // namespace abut::detail

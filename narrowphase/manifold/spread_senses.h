// Which way the triangles of a mesh run, also of those that no pair has met: what is passed through is far from the
// surface, and the triangle that is nearest to it then may be of a part that is wound the other way, or of another
// sheet.
//
// A flood over the neighbours of the triangles that were met, as far as it is asked for.
#pragma once

#include <abut/core/shapes/triangle_mesh.h>
#include <abut/narrowphase/manifold/contact_normals.h>

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

namespace abut::detail {

/// 1 where the triangle beyond a joined edge runs as this one, -1 where it is wound the other way.
[[nodiscard]] double sense_across(const TriangleMesh& mesh, std::uint32_t triangle, std::size_t edge);

class SpreadSenses {
 public:
  /// @param owner  A leaf of the mesh. @param met  The triangles that were met on its side, with their pieces.
  /// @param piece  The flood begins at its triangles; kNoPiece: at all that were met.
  SpreadSenses(const PatchLeaf& owner, std::span<const MetTriangle> met, std::uint32_t piece,
               std::pmr::memory_resource* memory);

  struct Found {
    std::uint32_t piece = MetTriangle::kNoPiece;
    double sense = 0.0;  ///< As MetTriangle::sense; 0: the surface does not lead there.
  };
  /// @return What the flood has brought there; where it has gone over thousands of triangles without reaching this one,
  /// what it began with.
  [[nodiscard]] Found find(std::uint32_t triangle);

 private:
  void reach(std::uint32_t triangle, const Found& found);
  void visit(std::uint32_t triangle);

  const TriangleMesh& mesh_;
  Found first_;                                            // what the flood began with
  std::pmr::unordered_map<std::uint32_t, Found> reached_;  // by triangle
  std::pmr::vector<std::uint32_t> open_;                   // triangles, the nearest to those that were met first
  std::size_t at_ = 0;                                     // those before it have been visited
};

}  // namespace abut::detail

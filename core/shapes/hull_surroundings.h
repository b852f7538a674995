// Around each vertex of a hull: the vertices that may be nearly as high as it along a direction in which it is the
// highest. Scanned bodies rest on many small faces that are nearly one, and contact patches want the corners of all.
#pragma once

#include <abut/core/prefetch.h>
#include <abut/core/shapes/hull_faces.h>
#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace abut::detail {

class HullSurroundings {
 public:
  using Index = HullFaces::Index;

  /// Radians. A vertex is nearly as high as the highest one where the way between them slopes by no more than this.
  static constexpr double kMaxTilt = 0.1;
  /// So many are listed of each vertex, the nearest by edges.
  static constexpr std::size_t kMost = 23;
  /// Hulls with more have no lists: a number takes 16 bits.
  static constexpr std::size_t kMaxVertices = std::numeric_limits<std::uint16_t>::max();

  /// No lists.
  HullSurroundings() = default;

  /// @param vertices         Metres; no more than kMaxVertices, or there will be no lists.
  /// @param neighbour_begin  Compressed rows, with the next: the vertices that share an edge with each.
  HullSurroundings(std::span<const Vector3d> vertices, std::span<const Index> neighbour_begin,
                   std::span<const Index> neighbours, const HullFaces& faces);

  [[nodiscard]] bool has_lists() const { return !lists_.empty(); }
  /// Of a vertex; it is not among them. Only where has_lists().
  [[nodiscard]] std::span<const std::uint16_t> around(Index vertex) const {
    const List& list = lists_[vertex];
    return std::span(list.vertices).first(list.count);
  }

  /// Fetches the list of a vertex into the caches. Only where has_lists().
  void prefetch(Index vertex) const { detail::prefetch(&lists_[vertex]); }

 private:
  // 48 bytes: in one line of the cache or in two.
  struct alignas(16) List {
    std::array<std::uint16_t, kMost> vertices;
    std::uint16_t count;
  };
  std::vector<List> lists_;
};

}  // namespace abut::detail

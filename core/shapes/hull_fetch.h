// What many queries of hulls will read, fetched into the caches ahead of them.
//
// Hulls of scanned bodies are larger together than the caches of a core, and what a query reads of one hangs together:
// a list, then the vertices that it names. Query after query, each waits for several such steps; here each step is
// asked for of all queries at once, and the next when it has come.
#pragma once

#include <abut/core/assert.h>
#include <abut/core/shapes/convex_hull.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// A hull of fewer vertices stays in the caches by itself.
inline constexpr std::size_t kFetchedVertices = 128;

/// Ahead of ConvexHull::support_vertex.
class SupportFetch {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// @param hull       Outlives fetch(). @param direction  Of any length, body frame.
  /// @note No more than kCapacity before fetch().
  void add(const ConvexHull& hull, const Vector3d& direction) {
    const SupportMap& map = hull.support_map();
    ABUT_ASSERT(count_ < kCapacity);
    if (map.empty()) return;
    const SupportMap::Place place = map.place(direction);
    __builtin_prefetch(place.list);
    queries_[count_++] = {&hull, place};
  }

  /// The rest of all that were added, which are forgotten.
  void fetch() {
    for (std::size_t i = 0; i < count_; ++i) {
      const Query& query = queries_[i];
      const std::span<const Vector3d> vertices = query.hull->vertices();
      for (const std::uint16_t vertex : query.hull->support_map().cell(query.place).vertices) {
        __builtin_prefetch(&vertices[vertex]);
      }
    }
    count_ = 0;
  }

 private:
  struct Query {
    const ConvexHull* hull;
    SupportMap::Place place;
  };
  std::array<Query, kCapacity> queries_;
  std::size_t count_ = 0;
};

/// Ahead of what lies around a vertex: its faces with their normals and corners, its neighbours, and the vertices that
/// may be nearly as high.
class SurroundingsFetch {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// @param hull  Outlives fetch(). @param vertex  Nothing is fetched where the hull has none of that number.
  /// @note No more than kCapacity before fetch().
  void add(const ConvexHull& hull, std::uint32_t vertex) {
    ABUT_ASSERT(count_ < kCapacity);
    if (vertex >= hull.vertices().size() || !hull.surroundings().has_lists()) return;
    hull.prefetch_rows(vertex);
    queries_[count_++] = {&hull, vertex};
  }

  /// The rest of all that were added, which are forgotten.
  void fetch() {
    for_each([](const ConvexHull& hull, std::uint32_t vertex) {
      __builtin_prefetch(hull.faces().faces_at(vertex).data());
      __builtin_prefetch(hull.neighbours(vertex).data());
    });
    for_each([](const ConvexHull& hull, std::uint32_t vertex) {
      const std::span<const Vector3d> vertices = hull.vertices();
      for (const std::uint32_t face : hull.faces().faces_at(vertex)) hull.faces().prefetch(face);
      for (const std::uint32_t neighbour : hull.neighbours(vertex)) __builtin_prefetch(&vertices[neighbour]);
      for (const std::uint16_t level : hull.surroundings().around(vertex)) __builtin_prefetch(&vertices[level]);
    });
    for_each([](const ConvexHull& hull, std::uint32_t vertex) {
      for (const std::uint32_t face : hull.faces().faces_at(vertex)) {
        __builtin_prefetch(hull.faces().corners(face).data());
      }
    });
    count_ = 0;
  }

 private:
  struct Query {
    const ConvexHull* hull;
    std::uint32_t vertex;
  };
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(*queries_[i].hull, queries_[i].vertex);
  }

  std::array<Query, kCapacity> queries_;
  std::size_t count_ = 0;
};

}  // namespace abut::detail

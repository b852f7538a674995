// What many queries of hulls will read, fetched into the caches ahead of them.
//
// Hulls of scanned bodies are larger together than the caches of a core, and what a query reads of one hangs together:
// a list, then the vertices that it names. Query after query, each waits for several such steps; here each step is
// asked for of all queries at once, and the next when it has come.
#pragma once

#include <abut/core/assert.h>
#include <abut/core/prefetch.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_top.h>

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
    prefetch(place.list);
    queries_[count_++] = {&hull, place};
  }

  /// The rest of all that were added, which are forgotten.
  void fetch() {
    for (std::size_t i = 0; i < count_; ++i) {
      const Query& query = queries_[i];
      const std::span<const Vector3d> vertices = query.hull->vertices();
      for (const std::uint16_t vertex : query.hull->support_map().cell(query.place).vertices) {
        prefetch(&vertices[vertex]);
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

/// Finds the tops of many hulls step by step, and fetches what a contact patch reads of them then: the corners of the
/// face, and the vertices that may be nearly as high as the top.
class HullTops {
 public:
  static constexpr std::size_t kCapacity = 64;

  /// @param hull       Outlives find(). @param direction  Unit, body frame.
  /// @param top        find() writes hull_top() of the two there, where the hull has a map of directions; else nothing
  ///                   is written.
  /// @note No more than kCapacity before find().
  void add(const ConvexHull& hull, const Vector3d& direction, HullTop& top) {
    ABUT_ASSERT(count_ < kCapacity);
    if (hull.support_map().empty()) return;
    const SupportMap::Place place = hull.support_map().place(direction);
    prefetch(place.list);
    queries_[count_++] = {&hull, direction, place, &top};
  }

  /// All that were added, which are forgotten.
  /// @param min_rise  Of faces that are turned less to their direction nothing is fetched: a cosine.
  void find(double min_rise) {
    for_each([](const Query& query, HullTop& /*top*/) {
      const std::span<const Vector3d> vertices = query.hull->vertices();
      for (const std::uint16_t vertex : query.hull->support_map().cell(query.place).vertices) {
        prefetch(&vertices[vertex]);
      }
    });
    for_each([](const Query& query, HullTop& top) {
      top.vertex = query.hull->support_vertex(query.direction, query.place);
      query.hull->prefetch_rows(top.vertex);
    });
    for_each([](const Query& query, HullTop& top) {
      prefetch(query.hull->faces().faces_at(top.vertex).data());
      prefetch(query.hull->neighbours(top.vertex).data());
    });
    for_each([](const Query& query, HullTop& top) {
      const std::span<const Vector3d> vertices = query.hull->vertices();
      for (const std::uint32_t face : query.hull->faces().faces_at(top.vertex)) query.hull->faces().prefetch(face);
      for (const std::uint32_t neighbour : query.hull->neighbours(top.vertex)) prefetch(&vertices[neighbour]);
    });
    for_each([min_rise](const Query& query, HullTop& top) {
      top.face = top_face(*query.hull, top.vertex, query.direction);
      if (top.face.rise < min_rise) return;
      const std::span<const Vector3d> vertices = query.hull->vertices();
      const HullSurroundings& surroundings = query.hull->surroundings();
      prefetch(query.hull->faces().corners(top.face.face).data());
      if (!surroundings.has_lists()) return;
      for (const std::uint16_t level : surroundings.around(top.vertex)) prefetch(&vertices[level]);
    });
    count_ = 0;
  }

 private:
  struct Query {
    const ConvexHull* hull;
    Vector3d direction;
    SupportMap::Place place;
    HullTop* top;
  };
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(queries_[i], *queries_[i].top);
  }

  std::array<Query, kCapacity> queries_;
  std::size_t count_ = 0;
};

}  // namespace abut::detail

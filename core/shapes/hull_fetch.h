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
    find_vertices();
    find_faces(min_rise);
    settle_rivals(min_rise);
    count_ = 0;
  }

 private:
  struct Query {
    const ConvexHull* hull;
    Vector3d direction;
    SupportMap::Place place;
    HullTop* top;
  };
  /// The other end of a level edge of a query's top.
  struct Rival {
    std::uint32_t query;
    std::uint32_t vertex;
  };

  /// The tops' vertices. What find_faces() reads is fetched.
  void find_vertices() {
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
  }

  /// As top_face() does, but for the faces of rivals: these are listed, and fetched by settle_rivals().
  void find_faces(double min_rise) {
    for (std::size_t i = 0; i < count_; ++i) {
      const Query& query = queries_[i];
      HullTop& top = *query.top;
      // Any neighbour may be a rival. Where the list could overflow the top is settled at once.
      if (rivals_.size() - rival_count_ < query.hull->neighbours(top.vertex).size()) {
        top.face = top_face(*query.hull, top.vertex, query.direction);
        fetch_surroundings(query, min_rise);
        continue;
      }
      top.face = query.hull->faces().most_turned(top.vertex, query.direction);
      const std::size_t rivals_before = rival_count_;
      if (top.face.rise < kNoBetterFace) {
        for_level_neighbours(*query.hull, top.vertex, query.direction, [&](std::uint32_t neighbour) {
          query.hull->faces().prefetch_row(neighbour);
          rivals_[rival_count_++] = {static_cast<std::uint32_t>(i), neighbour};
        });
      }
      if (rival_count_ == rivals_before) fetch_surroundings(query, min_rise);
    }
  }

  /// Takes the faces of rivals that are better.
  void settle_rivals(double min_rise) {
    for_each_rival(
        [](const Query& query, std::uint32_t vertex) { prefetch(query.hull->faces().faces_at(vertex).data()); });
    for_each_rival([](const Query& query, std::uint32_t vertex) {
      for (const std::uint32_t face : query.hull->faces().faces_at(vertex)) query.hull->faces().prefetch(face);
    });
    for (std::size_t k = 0; k < rival_count_;) {
      const std::uint32_t of = rivals_[k].query;
      const Query& query = queries_[of];
      for (; k < rival_count_ && rivals_[k].query == of; ++k) {
        const HullFaces::Turned other = query.hull->faces().most_turned(rivals_[k].vertex, query.direction);
        if (other.rise > query.top->face.rise) query.top->face = other;
      }
      fetch_surroundings(query, min_rise);
    }
    rival_count_ = 0;
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < count_; ++i) visit(queries_[i], *queries_[i].top);
  }
  template <class Visit>
  void for_each_rival(const Visit& visit) const {
    for (std::size_t i = 0; i < rival_count_; ++i) visit(queries_[rivals_[i].query], rivals_[i].vertex);
  }
  /// What a contact patch reads beside the face of a top that is found.
  static void fetch_surroundings(const Query& query, double min_rise) {
    const HullTop& top = *query.top;
    if (top.face.rise < min_rise) return;
    const std::span<const Vector3d> vertices = query.hull->vertices();
    const HullSurroundings& surroundings = query.hull->surroundings();
    prefetch(query.hull->faces().corners(top.face.face).data());
    if (!surroundings.has_lists()) return;
    for (const std::uint16_t level : surroundings.around(top.vertex)) prefetch(&vertices[level]);
  }

  std::array<Query, kCapacity> queries_;
  std::size_t count_ = 0;
  std::array<Rival, 4 * kCapacity> rivals_;  // of one query after the other; few have more than two
  std::size_t rival_count_ = 0;
};

}  // namespace abut::detail

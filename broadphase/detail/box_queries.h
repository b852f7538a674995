// Boxes, rays and nearest neighbours, answered by the columns of all levels.
// Source of the walk along a ray: Amanatides and Woo, A Fast Voxel Traversal Algorithm (1987). Departure: pieces of the
// ray about as long as a cell is wide are boxed, and the cells of each box are looked at, so that rounding loses none.
#pragma once

#include <abut/broadphase/detail/levels.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/broadphase/query_results.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace abut::detail {

/// Queries on indexed levels (see Levels::index()). Const: several threads may ask at once. Lists are appended to.
class BoxQueries {
 public:
  BoxQueries(const ProxyTable& table, const Levels& levels) : table_(table), levels_(levels) {}

  /// Ids of the boxes that overlap `box`, ascending.
  void find_overlaps(const Aabb& box, std::vector<std::uint32_t>& ids) const;
  /// Boxes that the ray meets, by t, then id.
  void find_hits(const BoxRay& ray, std::vector<RayHit>& hits) const;
  /// The first of them, when there is any.
  [[nodiscard]] std::optional<RayHit> find_first_hit(const BoxRay& ray) const;
  /// The `count` boxes nearest to `box`, or all when there are fewer, by distance, then id.
  void find_nearest(const Aabb& box, std::size_t count, std::vector<NearBox>& near) const;

 private:
  template <class Visit>
  void visit_larger(const Visit& visit) const;
  template <class Visit>
  void visit_level(const Levels::Level& level, const FloatBox& box, const Visit& visit) const;
  template <class Visit>
  void visit_all(const FloatBox& box, const Visit& visit) const;
  template <class Visit>
  void walk_ray(const BoxRay& ray, double t_end, const Visit& visit) const;

  const ProxyTable& table_;
  const Levels& levels_;
};

}  // namespace abut::detail

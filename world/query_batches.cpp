// Queries about a scene in batches. In large scenes those of a block walk the trees by turns (but for the `count`
// nearest bodies), so that no walk waits for memory alone.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/world/detail/query_checks.h>
#include <abut/world/detail/searches.h>
#include <abut/world/queries.h>

#include <array>
#include <concepts>
#include <optional>
#include <type_traits>

namespace abut {
namespace {

using detail::Asker;
using detail::kNoSlot;
using detail::kQueryBlock;
using detail::prepared;
using detail::QueryMemory;
using detail::SceneState;
using detail::SeenBodies;

/// Shows each question k the boxes that matter to it: rest_of(k) is what is left of its path or its reach,
/// consider(k, slot) its new limit.
template <class Consider>
void walk_by_turns(const SceneState& state, std::size_t count, const std::invocable<std::size_t> auto& rest_of,
                   const Consider& consider) {
  if constexpr (std::same_as<decltype(rest_of(0)), BoxPath>) {
    state.query_trees.visit_paths(count, rest_of, consider);
  } else {
    state.query_trees.visit_reaches(count, rest_of, consider);
  }
}

/// Answers every question by a search of its own: make(i, last) as it begins, where `last` is the slot that the last
/// one of its block has found; take(i, search) at the end.
template <class Make, class Take>
void search_each(const SeenBodies& bodies, std::size_t count, const Make& make, const Take& take) {
  using Search = std::invoke_result_t<Make, std::size_t, std::uint32_t>;
  detail::answer_blocks(count, [&](std::size_t begin, std::size_t end) {
    std::array<std::optional<Search>, kQueryBlock> searches;
    std::uint32_t last = kNoSlot;
    const auto search = [&](std::size_t k) -> Search& {
      if (!searches[k]) {
        searches[k].emplace(make(begin + k, last));
        if (searches[k]->slot() != kNoSlot) last = searches[k]->slot();
      }
      return *searches[k];
    };
    const auto rest_of = [&](std::size_t k) { return search(k).rest(); };
    walk_by_turns(bodies.state, end - begin, rest_of, [&](std::size_t k, std::uint32_t slot) {
      const double limit = searches[k]->consider(bodies, slot);
      if (searches[k]->slot() == slot) last = slot;
      return limit;
    });
    for (std::size_t i = begin; i < end; ++i) take(i, search(i - begin));  // made here where there are no bodies
  });
}

void require_rays(std::span<const Ray> rays) {
  detail::require_questions(rays, [](const Ray& ray) { detail::require_named_ray(ray); });
}
void require_poses(std::span<const PlacedShape> shapes) {
  detail::require_questions(shapes, [](const PlacedShape& shape) { require_finite("pose", shape.pose); });
}
void require_points(std::span<const Vector3d> points) {
  detail::require_questions(points, [](const Vector3d& point) { require_finite("point", point); });
}

}  // namespace

void ray_cast(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
              std::span<std::optional<BodyRayHit>> hits) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_answers("hits", hits.size(), rays.size());
  require_rays(rays);
  search_each(
      bodies, rays.size(), [&](std::size_t i, std::uint32_t) { return detail::FirstHit(rays[i]); },
      [&](std::size_t i, const detail::FirstHit& search) { hits[i] = search.answer(bodies); });
}

void any_hit(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
             std::span<std::optional<BodyId>> found) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_answers("bodies", found.size(), rays.size());
  require_rays(rays);
  search_each(
      bodies, rays.size(), [&](std::size_t i, std::uint32_t last) { return detail::SomeHit(rays[i], bodies, last); },
      [&](std::size_t i, const detail::SomeHit& search) { found[i] = bodies.found(search.slot()); });
}

void all_hits(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter, QueryContext& context,
              QueryLists<BodyRayHit>& hits) {
  const SeenBodies bodies{prepared(scene), filter};
  require_rays(rays);
  detail::collect_lists(rays.size(), QueryMemory::blocks(context, hits), hits,
                        [&](std::size_t begin, std::size_t end, std::vector<detail::OfQuestion<BodyRayHit>>& items) {
                          std::array<std::optional<detail::ScaledRay>, kQueryBlock> scaled;
                          for (std::size_t i = begin; i < end; ++i) scaled[i - begin].emplace(rays[i]);
                          walk_by_turns(
                              bodies.state, end - begin, [&](std::size_t k) { return detail::path_of(*scaled[k]); },
                              [&](std::size_t k, std::uint32_t slot) {
                                const std::optional<BodyRayHit> hit = detail::hit_of(bodies, slot, *scaled[k]);
                                if (hit) items.push_back({begin + k, *hit});
                                return kInfinity;
                              });
                        });
}

void shape_cast(const Scene& scene, std::span<const MovingShape> shapes, const ShapeCastOptions& options,
                const QueryFilter& filter, std::span<std::optional<BodyShapeCast>> hits) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_cast_options(options);
  detail::require_answers("hits", hits.size(), shapes.size());
  detail::require_questions(shapes, [](const MovingShape& one) { detail::require_cast(one.shape, one.motion); });
  search_each(
      bodies, shapes.size(),
      [&](std::size_t i, std::uint32_t) { return detail::FirstCast(shapes[i].shape, shapes[i].motion, options); },
      [&](std::size_t i, const detail::FirstCast& search) { hits[i] = search.answer(); });
}

void overlaps(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
              QueryContext& context, QueryLists<BodyId>& found) {
  const SeenBodies bodies{prepared(scene), filter};
  require_not_negative("margin", margin);
  require_poses(shapes);
  detail::collect_lists(shapes.size(), QueryMemory::blocks(context, found), found,
                        [&](std::size_t begin, std::size_t end, std::vector<detail::OfQuestion<BodyId>>& items) {
                          std::array<std::optional<Asker>, kQueryBlock> askers;
                          for (std::size_t i = begin; i < end; ++i) {
                            askers[i - begin].emplace(shapes[i].shape, shapes[i].pose);
                          }
                          walk_by_turns(
                              bodies.state, end - begin,
                              [&](std::size_t k) {
                                return BoxReach{askers[k]->box.expanded(margin), 0.0};
                              },
                              [&](std::size_t k, std::uint32_t slot) {
                                if (detail::is_close(bodies, slot, *askers[k], margin)) {
                                  items.push_back({begin + k, bodies.id(slot)});
                                }
                                return 0.0;
                              });
                        });
}

void any_overlap(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
                 std::span<std::optional<BodyId>> found) {
  const SeenBodies bodies{prepared(scene), filter};
  require_not_negative("margin", margin);
  detail::require_answers("bodies", found.size(), shapes.size());
  require_poses(shapes);
  search_each(
      bodies, shapes.size(),
      [&](std::size_t i, std::uint32_t last) {
        return detail::SomeOverlap(Asker(shapes[i].shape, shapes[i].pose), margin, bodies, last);
      },
      [&](std::size_t i, const detail::SomeOverlap& search) { found[i] = bodies.found(search.slot()); });
}

void nearest(const Scene& scene, std::span<const PlacedShape> shapes, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> found) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_reach(max_distance);
  detail::require_answers("bodies", found.size(), shapes.size());
  require_poses(shapes);
  search_each(
      bodies, shapes.size(),
      [&](std::size_t i, std::uint32_t last) {
        return detail::Nearest(Asker(shapes[i].shape, shapes[i].pose), max_distance, bodies, last);
      },
      [&](std::size_t i, const detail::Nearest& search) { found[i] = search.answer(bodies); });
}

void nearest(const Scene& scene, std::span<const Vector3d> points, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> found) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_reach(max_distance);
  detail::require_answers("bodies", found.size(), points.size());
  require_points(points);
  const detail::PointSet zero = detail::origin();
  search_each(
      bodies, points.size(),
      [&](std::size_t i, std::uint32_t last) {
        return detail::Nearest(Asker(zero, points[i]), max_distance, bodies, last);
      },
      [&](std::size_t i, const detail::Nearest& search) { found[i] = search.answer(bodies); });
}

void nearest(const Scene& scene, std::span<const PlacedShape> shapes, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& found) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_reach(max_distance);
  require_poses(shapes);
  detail::answer_lists(shapes.size(), QueryMemory::blocks(context, found), found,
                       [&](std::size_t i, QueryContext& of_block, std::vector<BodySeparation>& items) {
                         detail::append_nearest(bodies, Asker(shapes[i].shape, shapes[i].pose), count, max_distance,
                                                of_block, items);
                       });
}

void nearest(const Scene& scene, std::span<const Vector3d> points, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& found) {
  const SeenBodies bodies{prepared(scene), filter};
  detail::require_reach(max_distance);
  require_points(points);
  const detail::PointSet zero = detail::origin();
  detail::answer_lists(points.size(), QueryMemory::blocks(context, found), found,
                       [&](std::size_t i, QueryContext& of_block, std::vector<BodySeparation>& items) {
                         detail::append_nearest(bodies, Asker(zero, points[i]), count, max_distance, of_block, items);
                       });
}

}  // namespace abut

// The single queries, each a walk over the trees of boxes with an exact test of what it shows.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/world/detail/box_gap.h>
#include <abut/world/detail/query_checks.h>
#include <abut/world/detail/searches.h>
#include <abut/world/queries.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

namespace abut {
namespace {

using detail::Asker;
using detail::Body;
using detail::kNoSlot;
using detail::prepared;
using detail::QueryMemory;
using detail::SceneState;
using detail::SeenBodies;

/// Whether a list to be skipped lies in the memory that answers go to.
bool lies_within(std::span<const BodyId> skip, const std::vector<BodyId>& answers) {
  const std::less<> before;
  return !skip.empty() && !before(skip.data(), answers.data()) &&
         before(skip.data(), answers.data() + answers.capacity());
}

void append_overlaps(const SeenBodies& bodies, const Asker& asker, double margin, std::vector<BodyId>& found) {
  bodies.state.query_trees.visit_overlaps(asker.box.expanded(margin), [&](std::uint32_t slot) {
    if (detail::is_close(bodies, slot, asker, margin)) found.push_back(bodies.id(slot));
    return true;
  });
  std::sort(found.begin(), found.end());
}

/// Of the trees, to a search.
void walk_alone(const SeenBodies& bodies, const BoxPath& path, auto& search) {
  bodies.state.query_trees.visit_ray(path.ray, path.half,
                                     [&](std::uint32_t slot) { return search.consider(bodies, slot); });
}
void walk_alone(const SeenBodies& bodies, const BoxReach& reach, auto& search) {
  bodies.state.query_trees.visit_nearest(reach.box, reach.max_distance,
                                         [&](std::uint32_t slot) { return search.consider(bodies, slot); });
}

std::optional<BodySeparation> nearest_one(const SeenBodies& bodies, const Asker& asker, double max_distance,
                                          QueryContext& context) {
  std::uint32_t& last = QueryMemory::last_nearest(context);
  detail::Nearest search(asker, max_distance, bodies, last);
  walk_alone(bodies, search.rest(), search);
  if (search.slot() != kNoSlot) last = search.slot();
  return search.answer(bodies);
}

}  // namespace

std::optional<BodyRayHit> ray_cast(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext&) {
  const SceneState& state = prepared(scene);
  detail::require_named_ray(ray);
  const SeenBodies bodies{state, filter};
  detail::FirstHit search(ray);
  walk_alone(bodies, search.rest(), search);
  return search.answer(bodies);
}

std::optional<BodyId> any_hit(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  detail::require_named_ray(ray);
  const SeenBodies bodies{state, filter};
  std::uint32_t& last = QueryMemory::last_hit(context);
  detail::SomeHit search(ray, bodies, last);
  if (search.slot() == kNoSlot) walk_alone(bodies, search.rest(), search);
  if (search.slot() != kNoSlot) last = search.slot();
  return bodies.found(search.slot());
}

void all_hits(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext&,
              std::vector<BodyRayHit>& hits) {
  const SceneState& state = prepared(scene);
  detail::require_named_ray(ray);
  const SeenBodies bodies{state, filter};
  const detail::ScaledRay scaled(ray);
  hits.clear();
  state.query_trees.visit_ray(detail::path_of(scaled).ray, Vector3d::Zero(), [&](std::uint32_t slot) {
    const std::optional<BodyRayHit> hit = detail::hit_of(bodies, slot, scaled);
    if (hit) hits.push_back(*hit);
    return kInfinity;
  });
  std::sort(hits.begin(), hits.end(), [](const BodyRayHit& p, const BodyRayHit& q) { return detail::is_before(p, q); });
}

std::optional<BodyShapeCast> shape_cast(const Scene& scene, const Shape& shape, const RigidMotion& motion,
                                        const ShapeCastOptions& options, const QueryFilter& filter, QueryContext&) {
  const SceneState& state = prepared(scene);
  detail::require_cast(shape, motion);
  detail::require_cast_options(options);
  const SeenBodies bodies{state, filter};
  detail::FirstCast search(shape, motion, options);
  walk_alone(bodies, search.rest(), search);
  return search.answer();
}

void overlaps(const Scene& scene, const Shape& shape, const Pose& world_from_shape, double margin,
              const QueryFilter& filter, QueryContext&, std::vector<BodyId>& bodies) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  require_finite("world_from_shape", world_from_shape);
  const Asker asker(shape, world_from_shape);
  if (lies_within(filter.skip, bodies)) {
    const std::vector<BodyId> skip(filter.skip.begin(), filter.skip.end());
    QueryFilter own = filter;
    own.skip = skip;
    bodies.clear();
    return append_overlaps({state, own}, asker, margin, bodies);
  }
  bodies.clear();
  append_overlaps({state, filter}, asker, margin, bodies);
}

std::optional<BodyId> any_overlap(const Scene& scene, const Shape& shape, const Pose& world_from_shape, double margin,
                                  const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  require_finite("world_from_shape", world_from_shape);
  const SeenBodies bodies{state, filter};
  std::uint32_t& last = QueryMemory::last_hit(context);
  detail::SomeOverlap search(Asker(shape, world_from_shape), margin, bodies, last);
  if (search.slot() == kNoSlot) walk_alone(bodies, search.rest(), search);
  if (search.slot() != kNoSlot) last = search.slot();
  return bodies.found(search.slot());
}

std::optional<BodySeparation> nearest(const Scene& scene, const Shape& shape, const Pose& world_from_shape,
                                      double max_distance, const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  detail::require_reach(max_distance);
  require_finite("world_from_shape", world_from_shape);
  return nearest_one({state, filter}, Asker(shape, world_from_shape), max_distance, context);
}

std::optional<BodySeparation> nearest(const Scene& scene, const Vector3d& point, double max_distance,
                                      const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  detail::require_reach(max_distance);
  require_finite("point", point);
  const detail::PointSet zero = detail::origin();
  return nearest_one({state, filter}, Asker(zero, point), max_distance, context);
}

void nearest(const Scene& scene, const Shape& shape, const Pose& world_from_shape, std::size_t count,
             double max_distance, const QueryFilter& filter, QueryContext& context,
             std::vector<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  detail::require_reach(max_distance);
  require_finite("world_from_shape", world_from_shape);
  bodies.clear();
  detail::append_nearest({state, filter}, Asker(shape, world_from_shape), count, max_distance, context, bodies);
}

void nearest(const Scene& scene, const Vector3d& point, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, std::vector<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  detail::require_reach(max_distance);
  require_finite("point", point);
  bodies.clear();
  const detail::PointSet zero = detail::origin();
  detail::append_nearest({state, filter}, Asker(zero, point), count, max_distance, context, bodies);
}

std::optional<PairSeparation> distance(const Scene& scene, std::span<const BodyId> a, std::span<const BodyId> b,
                                       double max_distance, QueryContext& context) {
  const SceneState& state = detail::state_of(scene);
  detail::require_reach(max_distance);
  std::vector<Aabb>* const boxes = QueryMemory::boxes(context);
  const std::array<std::span<const BodyId>, 2> groups = {a, b};
  const std::array<const char*, 2> names = {"a", "b"};
  for (std::size_t g = 0; g < 2; ++g) {
    for (std::size_t i = 0; i < groups[g].size(); ++i) {
      if (!state.bodies.contains(groups[g][i])) state.bodies.require(groups[g][i], detail::indexed(names[g], i));
    }
  }
  for (std::size_t g = 0; g < 2; ++g) {
    boxes[g].clear();
    for (const BodyId id : groups[g]) {
      boxes[g].push_back(detail::wide_world_box(state.bodies[id.slot].shape, state.bodies[id.slot].pose));
    }
  }
  std::optional<PairSeparation> best;
  std::array<std::size_t, 2> place = {0, 0};  // of the best, among the bodies given
  bool is_without_limit = false;              // what it was asked with
  const auto reach = [&] { return best ? best->separation.distance : max_distance; };
  const auto ask = [&](std::size_t i, std::size_t j, double limit) {
    // Of the lower slot always, so that a pair has one answer in either order, to the last bit.
    const auto [low, high] = std::minmax(a[i].slot, b[j].slot);
    const Body& body = state.bodies[low];
    Separation separation = Asker(body.shape, body.pose).distance(state.bodies[high], state.settings.tolerance, limit);
    if (low != a[i].slot) {
      std::swap(separation.point_a, separation.point_b);
      separation.normal = -separation.normal;
    }
    return separation;
  };
  const auto consider = [&](std::size_t i, std::size_t j) {
    const Body& body_a = state.bodies[a[i].slot];
    const Body& body_b = state.bodies[b[j].slot];
    if (a[i] == b[j] || (!body_a.bounded && !body_b.bounded)) return;
    Separation separation = ask(i, j, std::max(reach(), 0.0));
    if (separation.status == SolveStatus::beyond_limit) return;
    const bool is_tie = best && detail::are_as_near(separation, best->separation);
    const bool has_limit = body_a.shape.is_composite() || body_b.shape.is_composite();
    if (is_tie && has_limit) separation = ask(i, j, kInfinity);
    if (is_tie && !is_without_limit) {
      best->separation = ask(place[0], place[1], kInfinity);
      is_without_limit = true;
    }
    if (!(separation.distance <= reach())) return;
    if (best && separation.distance == reach() && place < std::array{i, j}) return;
    best = PairSeparation{{a[i], b[j]}, separation};
    place = {i, j};
    is_without_limit = is_tie || !has_limit;
  };
  // The pair of the nearest boxes gives a first bound.
  double nearest_sq = kInfinity;
  std::array<std::size_t, 2> first = {0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const double gap_sq = boxes[0][i].distance_sq(boxes[1][j]);
      if (a[i] == b[j] || !(gap_sq < nearest_sq)) continue;
      nearest_sq = gap_sq;
      first = {i, j};
    }
  }
  if (!(nearest_sq < kInfinity)) return std::nullopt;
  consider(first[0], first[1]);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (i == first[0] && j == first[1]) continue;  // solved already
      const double limit = std::max(reach(), 0.0);
      if (boxes[0][i].distance_sq(boxes[1][j]) <= limit * limit) consider(i, j);
    }
  }
  return best;
}

}  // namespace abut

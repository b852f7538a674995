// The single queries, each a walk over the tree of boxes with an exact test of what it shows, and their batches.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/world/detail/query_run.h>
#include <abut/world/queries.h>

#include <array>
#include <cmath>

namespace abut {

/// The way into a context.
struct QueryMemory {
  static std::uint32_t& last_hit(QueryContext& context) { return context.last_hit_; }
  static std::uint32_t& last_nearest(QueryContext& context) { return context.last_nearest_; }
  static std::vector<Aabb>* boxes(QueryContext& context) { return context.boxes_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodyRayHit>&) { return context.hit_blocks_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodyId>&) { return context.body_blocks_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodySeparation>&) { return context.separation_blocks_; }
};

namespace {

using detail::Asker;
using detail::Body;
using detail::SceneState;

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

const SceneState& prepared(const Scene& scene) {
  const SceneState& state = detail::state_of(scene);
  detail::require_prepared(state);
  return state;
}

void require_named_ray(const Ray& ray) {
  try {
    require_ray(ray);
  } catch (const InvalidInput& error) {
    throw error.within("ray");
  }
}

BoxRay box_ray(const Ray& ray) {
  return {ray.origin, ray.direction, ray.max_t};
}

/// The remembered slot where it still holds a body that the query sees.
std::uint32_t usable(const SceneState& state, const QueryFilter& filter, std::uint32_t slot) {
  const bool is_used = slot < state.bodies.slot_count() && state.bodies.is_used(slot);
  return is_used && detail::sees(state, filter, slot) ? slot : kNoSlot;
}

std::optional<BodyRayHit> first_hit(const SceneState& state, const Ray& ray, const QueryFilter& filter) {
  Ray rest = ray;
  std::uint32_t best_slot = kNoSlot;
  RayCastHit best;
  state.query_trees.visit_ray(box_ray(ray), Vector3d::Zero(), [&](std::uint32_t slot) {
    if (!detail::sees(state, filter, slot)) return rest.max_t;
    const Body& body = state.bodies[slot];
    const std::optional<RayCastHit> hit = detail::ray_cast_unchecked(rest, body.shape, body.pose, {});
    if (hit && (best_slot == kNoSlot || hit->t < best.t || (hit->t == best.t && slot < best_slot))) {
      best = *hit;
      best_slot = slot;
      rest.max_t = hit->t;
    }
    return rest.max_t;
  });
  if (best_slot == kNoSlot) return std::nullopt;
  return BodyRayHit{state.bodies.id(best_slot), best};
}

std::optional<BodyId> some_hit(const SceneState& state, const Ray& ray, const QueryFilter& filter,
                               QueryContext& context) {
  const auto meets = [&](std::uint32_t slot) {
    const Body& body = state.bodies[slot];
    return detail::ray_meets_unchecked(ray, body.shape, body.pose, {});
  };
  std::uint32_t& last = QueryMemory::last_hit(context);
  const std::uint32_t guess = usable(state, filter, last);
  if (guess != kNoSlot && meets(guess)) return state.bodies.id(guess);
  std::uint32_t found = kNoSlot;
  state.query_trees.visit_ray(box_ray(ray), Vector3d::Zero(), [&](std::uint32_t slot) {
    if (found == kNoSlot && slot != guess && detail::sees(state, filter, slot) && meets(slot)) found = slot;
    return found == kNoSlot ? ray.max_t : -1.0;
  });
  if (found == kNoSlot) return std::nullopt;
  last = found;
  return state.bodies.id(found);
}

void append_hits(const SceneState& state, const Ray& ray, const QueryFilter& filter, std::vector<BodyRayHit>& hits) {
  const auto begin = static_cast<std::ptrdiff_t>(hits.size());
  state.query_trees.visit_ray(box_ray(ray), Vector3d::Zero(), [&](std::uint32_t slot) {
    if (detail::sees(state, filter, slot)) {
      const Body& body = state.bodies[slot];
      const std::optional<RayCastHit> hit = detail::ray_cast_unchecked(ray, body.shape, body.pose, {});
      if (hit) hits.push_back({state.bodies.id(slot), *hit});
    }
    return kInfinity;
  });
  std::sort(hits.begin() + begin, hits.end(), [](const BodyRayHit& p, const BodyRayHit& q) {
    return p.hit.t < q.hit.t || (p.hit.t == q.hit.t && p.body.slot < q.body.slot);
  });
}

/// Calls visit(slot) for the bodies within the margin until it returns false.
template <class Visit>
void visit_close(const SceneState& state, const Asker& asker, double margin, const QueryFilter& filter,
                 const Visit& visit) {
  state.query_trees.visit_overlaps(asker.box.expanded(margin), [&](std::uint32_t slot) {
    const Body& body = state.bodies[slot];
    if (!asker.has_distance(body) || !detail::sees(state, filter, slot)) return true;
    return !asker.collides(body, state.settings.tolerance, margin) || visit(slot);
  });
}

std::optional<BodyId> some_overlap(const SceneState& state, const Asker& asker, double margin,
                                   const QueryFilter& filter, QueryContext& context) {
  std::uint32_t& last = QueryMemory::last_hit(context);
  const std::uint32_t guess = usable(state, filter, last);
  if (guess != kNoSlot && asker.has_distance(state.bodies[guess]) &&
      asker.collides(state.bodies[guess], state.settings.tolerance, margin)) {
    return state.bodies.id(guess);
  }
  std::optional<BodyId> found;
  visit_close(state, asker, margin, filter, [&](std::uint32_t slot) {
    found = state.bodies.id(slot);
    last = slot;
    return false;
  });
  return found;
}

void append_overlaps(const SceneState& state, const Asker& asker, double margin, const QueryFilter& filter,
                     std::vector<BodyId>& bodies) {
  const auto begin = static_cast<std::ptrdiff_t>(bodies.size());
  visit_close(state, asker, margin, filter, [&](std::uint32_t slot) {
    bodies.push_back(state.bodies.id(slot));
    return true;
  });
  std::sort(bodies.begin() + begin, bodies.end());
}

/// Appends the `count` nearest bodies, sorted.
void append_nearest(const SceneState& state, const Asker& asker, std::size_t count, double max_distance,
                    const QueryFilter& filter, QueryContext& context, std::vector<BodySeparation>& bodies) {
  if (count == 0) return;
  const std::size_t begin = bodies.size();
  std::uint32_t& last = QueryMemory::last_nearest(context);
  const std::uint32_t guess = usable(state, filter, last);
  // What a body must reach to count.
  const auto limit = [&] { return bodies.size() - begin < count ? max_distance : bodies.back().separation.distance; };
  const auto consider = [&](std::uint32_t slot) {
    const Body& body = state.bodies[slot];
    const double reach = limit();
    const Separation separation = asker.distance(body, state.settings.tolerance, std::max(reach, 0.0));
    if (separation.status == SolveStatus::beyond_limit || !(separation.distance <= reach)) return;
    const BodySeparation entry{state.bodies.id(slot), separation};
    const auto place =
        std::upper_bound(bodies.begin() + static_cast<std::ptrdiff_t>(begin), bodies.end(), entry,
                         [](const BodySeparation& p, const BodySeparation& q) {
                           return p.separation.distance < q.separation.distance ||
                                  (p.separation.distance == q.separation.distance && p.body.slot < q.body.slot);
                         });
    if (bodies.size() - begin == count) {
      if (place == bodies.end()) return;
      const auto index = place - bodies.begin();
      bodies.pop_back();
      bodies.insert(bodies.begin() + index, entry);
    } else {
      bodies.insert(place, entry);
    }
  };
  if (guess != kNoSlot && asker.has_distance(state.bodies[guess])) consider(guess);
  state.query_trees.visit_nearest(asker.box, std::max(limit(), 0.0), [&](std::uint32_t slot) {
    if (slot != guess && asker.has_distance(state.bodies[slot]) && detail::sees(state, filter, slot)) {
      consider(slot);
    }
    return std::max(limit(), 0.0);
  });
  if (bodies.size() > begin) last = bodies[begin].body.slot;
}

std::optional<BodySeparation> nearest_one(const SceneState& state, const Asker& asker, double max_distance,
                                          const QueryFilter& filter, QueryContext& context) {
  std::uint32_t& last = QueryMemory::last_nearest(context);
  const std::uint32_t guess = usable(state, filter, last);
  double reach = max_distance;
  std::uint32_t best_slot = kNoSlot;
  Separation best;
  const auto consider = [&](std::uint32_t slot) {
    const Separation separation = asker.distance(state.bodies[slot], state.settings.tolerance, std::max(reach, 0.0));
    if (separation.status == SolveStatus::beyond_limit || !(separation.distance <= reach)) return;
    if (best_slot != kNoSlot && separation.distance == reach && slot > best_slot) return;
    best = separation;
    best_slot = slot;
    reach = separation.distance;
  };
  if (guess != kNoSlot && asker.has_distance(state.bodies[guess])) consider(guess);
  // Overlapping boxes may hold depths of any size.
  state.query_trees.visit_nearest(asker.box, std::max(reach, 0.0), [&](std::uint32_t slot) {
    if (slot != guess && asker.has_distance(state.bodies[slot]) && detail::sees(state, filter, slot)) consider(slot);
    return std::max(reach, 0.0);
  });
  if (best_slot == kNoSlot) return std::nullopt;
  last = best_slot;
  return BodySeparation{state.bodies.id(best_slot), best};
}

std::optional<BodyShapeCast> first_cast(const SceneState& state, const Shape& shape, const RigidMotion& motion,
                                        const ShapeCastOptions& options, const QueryFilter& filter) {
  const Aabb box = detail::turned_box(motion, detail::world_box(shape, motion.start));
  const Vector3d center = box.center();
  const double radius = box.half_extents().norm();
  const double length_sq = motion.linear.squaredNorm();
  double end = 1.0;
  // Balls around both, up to the end that is known so far.
  const auto misses = [&](const Body& body) {
    if (!body.bounded) return false;
    const Vector3d to_body = body.pose * body.obb.center - center;
    const double nearest_t = length_sq > 0.0 ? to_body.dot(motion.linear) / length_sq : 0.0;
    const Vector3d gap = to_body - std::clamp(nearest_t, 0.0, end) * motion.linear;
    const double reach = radius + body.obb.half_extents.norm() + options.tolerance;
    return gap.squaredNorm() > reach * reach * (1.0 + 1e-9);
  };
  std::optional<BodyShapeCast> best;
  const auto consider = [&](std::uint32_t slot) {
    const Body& body = state.bodies[slot];
    if (misses(body) || !detail::sees(state, filter, slot)) return end;
    RigidMotion of_body;
    of_body.start = body.pose;
    const ShapeCast cast = detail::shape_cast_until(shape, motion, body.shape, of_body, end, options);
    if (cast.outcome == ShapeCastOutcome::clear) return end;
    const BodyId id = state.bodies.id(slot);
    if (!best || cast.t < best->cast.t || (cast.t == best->cast.t && id < best->body)) {
      best = BodyShapeCast{id, cast};
      end = std::min(std::nextafter(cast.t, 2.0), 1.0);  // a step later: an equal time of another body is found
    }
    return end;
  };
  state.query_trees.visit_ray({center, motion.linear, 1.0}, box.half_extents() + Vector3d::Constant(options.tolerance),
                              consider);
  return best;
}

void require_cast(const Shape& shape, const RigidMotion& motion) {
  if (!shape.is_bounded()) throw InvalidInput("shape", "must be bounded to be cast");
  try {
    require_motion(motion);
  } catch (const InvalidInput& error) {
    throw error.within("motion");
  }
}

void require_cast_options(const ShapeCastOptions& options) {
  require_not_negative("tolerance", options.tolerance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
}

void require_reach(double max_distance) {
  if (std::isnan(max_distance)) throw InvalidInput("max_distance", "must not be NaN");
}

void require_poses(std::span<const PlacedShape> shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    detail::require_question(i, [&] { require_finite("pose", shapes[i].pose); });
  }
}

/// A point as a part.
detail::PointSet origin() {
  const Vector3d zero = Vector3d::Zero();
  return detail::PointSet(std::span<const Vector3d>(&zero, 1));
}

}  // namespace

std::optional<BodyRayHit> ray_cast(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext&) {
  const SceneState& state = prepared(scene);
  require_named_ray(ray);
  return first_hit(state, ray, filter);
}

std::optional<BodyId> any_hit(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  require_named_ray(ray);
  return some_hit(state, ray, filter, context);
}

void all_hits(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext&,
              std::vector<BodyRayHit>& hits) {
  const SceneState& state = prepared(scene);
  require_named_ray(ray);
  hits.clear();
  append_hits(state, ray, filter, hits);
}

std::optional<BodyShapeCast> shape_cast(const Scene& scene, const Shape& shape, const RigidMotion& motion,
                                        const ShapeCastOptions& options, const QueryFilter& filter, QueryContext&) {
  const SceneState& state = prepared(scene);
  require_cast(shape, motion);
  require_cast_options(options);
  return first_cast(state, shape, motion, options, filter);
}

void overlaps(const Scene& scene, const Shape& shape, const Pose& world_from_shape, double margin,
              const QueryFilter& filter, QueryContext&, std::vector<BodyId>& bodies) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  require_finite("world_from_shape", world_from_shape);
  bodies.clear();
  append_overlaps(state, Asker(shape, world_from_shape), margin, filter, bodies);
}

std::optional<BodyId> any_overlap(const Scene& scene, const Shape& shape, const Pose& world_from_shape, double margin,
                                  const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  require_finite("world_from_shape", world_from_shape);
  return some_overlap(state, Asker(shape, world_from_shape), margin, filter, context);
}

std::optional<BodySeparation> nearest(const Scene& scene, const Shape& shape, const Pose& world_from_shape,
                                      double max_distance, const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  require_finite("world_from_shape", world_from_shape);
  return nearest_one(state, Asker(shape, world_from_shape), max_distance, filter, context);
}

std::optional<BodySeparation> nearest(const Scene& scene, const Vector3d& point, double max_distance,
                                      const QueryFilter& filter, QueryContext& context) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  require_finite("point", point);
  const detail::PointSet zero = origin();
  return nearest_one(state, Asker(zero, point), max_distance, filter, context);
}

void nearest(const Scene& scene, const Shape& shape, const Pose& world_from_shape, std::size_t count,
             double max_distance, const QueryFilter& filter, QueryContext& context,
             std::vector<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  require_finite("world_from_shape", world_from_shape);
  bodies.clear();
  append_nearest(state, Asker(shape, world_from_shape), count, max_distance, filter, context, bodies);
}

void nearest(const Scene& scene, const Vector3d& point, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, std::vector<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  require_finite("point", point);
  bodies.clear();
  const detail::PointSet zero = origin();
  append_nearest(state, Asker(zero, point), count, max_distance, filter, context, bodies);
}

std::optional<PairSeparation> distance(const Scene& scene, std::span<const BodyId> a, std::span<const BodyId> b,
                                       double max_distance, QueryContext& context) {
  const SceneState& state = detail::state_of(scene);
  require_reach(max_distance);
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
      boxes[g].push_back(detail::world_box(state.bodies[id.slot].shape, state.bodies[id.slot].pose));
    }
  }
  double reach = max_distance;
  std::optional<PairSeparation> best;
  const auto consider = [&](std::size_t i, std::size_t j) {
    const Body& body_a = state.bodies[a[i].slot];
    const Body& body_b = state.bodies[b[j].slot];
    if (a[i] == b[j] || (!body_a.bounded && !body_b.bounded)) return;
    const Separation separation =
        Asker(body_a.shape, body_a.pose).distance(body_b, state.settings.tolerance, std::max(reach, 0.0));
    if (separation.status == SolveStatus::beyond_limit || !(separation.distance <= reach)) return;
    if (best && !(separation.distance < reach)) return;
    best = PairSeparation{{a[i], b[j]}, separation};
    reach = separation.distance;
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
  const double first_reach = reach;
  const std::optional<PairSeparation> first_best = best;
  best.reset();
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      if (i == first[0] && j == first[1]) {  // solved already; in its place among equals
        if (first_best && (!best || first_reach < reach)) {
          best = first_best;
          reach = first_reach;
        }
        continue;
      }
      const double limit = std::max(reach, 0.0);
      if (boxes[0][i].distance_sq(boxes[1][j]) <= limit * limit) consider(i, j);
    }
  }
  return best;
}

void ray_cast(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
              std::span<std::optional<BodyRayHit>> hits) {
  const SceneState& state = prepared(scene);
  detail::require_answers("hits", hits.size(), rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) detail::require_question(i, [&] { require_named_ray(rays[i]); });
  detail::answer_each(rays.size(), [&](std::size_t i, QueryContext&) { hits[i] = first_hit(state, rays[i], filter); });
}

void any_hit(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
             std::span<std::optional<BodyId>> bodies) {
  const SceneState& state = prepared(scene);
  detail::require_answers("bodies", bodies.size(), rays.size());
  for (std::size_t i = 0; i < rays.size(); ++i) detail::require_question(i, [&] { require_named_ray(rays[i]); });
  detail::answer_each(rays.size(), [&](std::size_t i, QueryContext& of_block) {
    bodies[i] = some_hit(state, rays[i], filter, of_block);
  });
}

void all_hits(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter, QueryContext& context,
              QueryLists<BodyRayHit>& hits) {
  const SceneState& state = prepared(scene);
  for (std::size_t i = 0; i < rays.size(); ++i) detail::require_question(i, [&] { require_named_ray(rays[i]); });
  detail::answer_lists(rays.size(), QueryMemory::blocks(context, hits), hits,
                       [&](std::size_t i, QueryContext&, std::vector<BodyRayHit>& items) {
                         append_hits(state, rays[i], filter, items);
                       });
}

void shape_cast(const Scene& scene, std::span<const MovingShape> shapes, const ShapeCastOptions& options,
                const QueryFilter& filter, std::span<std::optional<BodyShapeCast>> hits) {
  const SceneState& state = prepared(scene);
  require_cast_options(options);
  detail::require_answers("hits", hits.size(), shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    detail::require_question(i, [&] { require_cast(shapes[i].shape, shapes[i].motion); });
  }
  detail::answer_each(shapes.size(), [&](std::size_t i, QueryContext&) {
    hits[i] = first_cast(state, shapes[i].shape, shapes[i].motion, options, filter);
  });
}

void overlaps(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
              QueryContext& context, QueryLists<BodyId>& bodies) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  require_poses(shapes);
  detail::answer_lists(shapes.size(), QueryMemory::blocks(context, bodies), bodies,
                       [&](std::size_t i, QueryContext&, std::vector<BodyId>& items) {
                         append_overlaps(state, Asker(shapes[i].shape, shapes[i].pose), margin, filter, items);
                       });
}

void any_overlap(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
                 std::span<std::optional<BodyId>> bodies) {
  const SceneState& state = prepared(scene);
  require_not_negative("margin", margin);
  detail::require_answers("bodies", bodies.size(), shapes.size());
  require_poses(shapes);
  detail::answer_each(shapes.size(), [&](std::size_t i, QueryContext& of_block) {
    bodies[i] = some_overlap(state, Asker(shapes[i].shape, shapes[i].pose), margin, filter, of_block);
  });
}

void nearest(const Scene& scene, std::span<const PlacedShape> shapes, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  detail::require_answers("bodies", bodies.size(), shapes.size());
  require_poses(shapes);
  detail::answer_each(shapes.size(), [&](std::size_t i, QueryContext& of_block) {
    bodies[i] = nearest_one(state, Asker(shapes[i].shape, shapes[i].pose), max_distance, filter, of_block);
  });
}

void nearest(const Scene& scene, std::span<const Vector3d> points, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  detail::require_answers("bodies", bodies.size(), points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    detail::require_question(i, [&] { require_finite("point", points[i]); });
  const detail::PointSet zero = origin();
  detail::answer_each(points.size(), [&](std::size_t i, QueryContext& of_block) {
    bodies[i] = nearest_one(state, Asker(zero, points[i]), max_distance, filter, of_block);
  });
}

void nearest(const Scene& scene, std::span<const PlacedShape> shapes, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  require_poses(shapes);
  detail::answer_lists(shapes.size(), QueryMemory::blocks(context, bodies), bodies,
                       [&](std::size_t i, QueryContext& of_block, std::vector<BodySeparation>& items) {
                         append_nearest(state, Asker(shapes[i].shape, shapes[i].pose), count, max_distance, filter,
                                        of_block, items);
                       });
}

void nearest(const Scene& scene, std::span<const Vector3d> points, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& bodies) {
  const SceneState& state = prepared(scene);
  require_reach(max_distance);
  for (std::size_t i = 0; i < points.size(); ++i)
    detail::require_question(i, [&] { require_finite("point", points[i]); });
  const detail::PointSet zero = origin();
  detail::answer_lists(points.size(), QueryMemory::blocks(context, bodies), bodies,
                       [&](std::size_t i, QueryContext& of_block, std::vector<BodySeparation>& items) {
                         append_nearest(state, Asker(zero, points[i]), count, max_distance, filter, of_block, items);
                       });
}

}  // namespace abut

#include <abut/core/error.h>
#include <abut/narrowphase/planar/boundary_walk.h>
#include <abut/narrowphase/planar/facing_memory.h>
#include <abut/narrowphase/planar/gjk_queries.h>
#include <abut/narrowphase/planar/planar_depth.h>
#include <abut/narrowphase/planar/planar_distance.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::planar {
namespace {

using detail::CorePair;
using detail::CoreSeparation;
using detail::Facing;
using detail::FacingFeatures;
using detail::Outline;
using detail::plane_vector;
using detail::PlaneVector;

// A few roundings of doubles.
constexpr double kPlanarRounding = 2e-15;

double rounding_of(const CorePair& pair) {
  const auto size = [](const Vector2d& v) { return std::abs(v.x()) + std::abs(v.y()); };
  return kPlanarRounding * (pair.a.reach() + pair.b.reach() + size(pair.a.center()) + size(pair.b.center()) +
                            std::abs(pair.a_from_b.translation.x) + std::abs(pair.a_from_b.translation.y));
}

detail::SimplexMemory* memory_of(PairCache* cache) {
  return cache != nullptr ? &cache->simplex : nullptr;
}

[[gnu::noinline]] FacingFeatures cached_features(const CorePair& pair, PlaneVector to_b, PairCache& cache) {
  const FacingFeatures known = detail::recall(pair, cache.simplex);
  if (known.facing != Facing::overlap) return known;
  const FacingFeatures found = detail::walk_boundary(pair, to_b);
  detail::remember(pair, found, cache.simplex);
  return found;
}

// Inlined, so that a question without a cache is one piece of code, of which only what it asks for is left.
[[gnu::always_inline]] inline FacingFeatures facing_features(const CorePair& pair, PlaneVector to_b, PairCache* cache) {
  if (cache != nullptr) return cached_features(pair, to_b, *cache);
  return detail::walk_boundary(pair, to_b);
}

// How much lower than a corner the higher one of its neighbours is along a direction, metres; < 0 where it is higher.
double drop(const Outline& core, Outline::Index corner, PlaneVector direction) {
  const Vector2d* here = core.ring() + corner;
  const double beside = std::max(plane_vector(here[1]).dot(direction), plane_vector(here[-1]).dot(direction));
  return plane_vector(here[0]).dot(direction) - beside;
}

CoreSeparation by_walk(const CorePair& pair, PlaneVector to_b, double rounding, PairCache* cache) {
  FacingFeatures features;
  if (!detail::inner_discs_meet(pair, to_b, 0.0)) features = facing_features(pair, to_b, cache);
  // A side has its own normal, corners need to be apart for one. What is in contact by no more than rounding needs no
  // look at the other directions.
  const double least =
      features.facing == Facing::corners ? detail::kNearCorners * (pair.a.reach() + pair.b.reach()) : -rounding;
  if (features.facing == Facing::overlap || !(features.gap > least)) {
    const detail::Axis axis = detail::best_axis(pair, -features.difference);
    return {axis.gap, axis.normal, axis.point_a, 0.0, features.steps};
  }

  CoreSeparation answer;
  answer.distance = features.gap;
  answer.iterations = features.steps;
  answer.point_a = plane_vector(pair.a.corner(features.corner_a));
  if (features.facing == Facing::side_of_a) {
    const PlaneVector corner_b = pair.a_from_b * plane_vector(pair.b.corner(features.corner_b));
    answer.normal = plane_vector(pair.a.normals()[features.corner_a]);
    answer.point_a = corner_b - features.gap * answer.normal;
  } else if (features.facing == Facing::side_of_b) {
    answer.normal = pair.a_from_b.rotate(-plane_vector(pair.b.normals()[features.corner_b]));
  } else {
    answer.normal = (-1.0 / features.gap) * features.difference;
  }
  const double drop_a = drop(pair.a, features.corner_a, answer.normal);
  const double drop_b = drop(pair.b, features.corner_b, pair.a_from_b.unrotate(-answer.normal));
  answer.error = std::max(0.0, -drop_a) + std::max(0.0, -drop_b) + std::max(0.0, -features.gap);
  // Sides that are parallel meet in the middle of what they share.
  const double tie = detail::kTie * (pair.a.reach() + pair.b.reach());
  if (pair.a.size() > 1 && pair.b.size() > 1 && drop_a <= tie && drop_b <= tie) {
    answer.point_a = detail::facing_middle(pair, answer.normal);
  }
  return answer;
}

}  // namespace

bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
              double security_margin, const Options& options, PairCache* cache) {
  if (!(security_margin >= 0.0 && security_margin <= std::numeric_limits<double>::max())) {
    require_not_negative("security_margin", security_margin);
  }
  const CorePair pair{a.outline(), b.outline(), detail::relative_motion(world_from_a, world_from_b)};
  const double limit = a.radius() + b.radius() + security_margin;
  // Most pairs are settled by discs.
  const PlaneVector to_b = detail::between_centers(pair);
  if (detail::outer_discs_miss(pair, to_b, limit)) return false;
  if (detail::inner_discs_meet(pair, to_b, limit)) return true;
  if (options.method == Method::walk) return facing_features(pair, to_b, cache).gap <= limit;
  return detail::collides_by_gjk(pair, limit, options.support, memory_of(cache));
}

double distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                const Options& options, PairCache* cache) {
  const CorePair pair{a.outline(), b.outline(), detail::relative_motion(world_from_a, world_from_b)};
  const double radii = a.radius() + b.radius();
  const PlaneVector to_b = detail::between_centers(pair);
  if (detail::inner_discs_meet(pair, to_b, 0.0)) return -radii;
  if (options.method == Method::walk) return std::max(0.0, facing_features(pair, to_b, cache).gap) - radii;
  return detail::distance_by_gjk(pair, options.support, memory_of(cache)) - radii;
}

Separation separation(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      const Options& options, PairCache* cache) {
  const CorePair pair{a.outline(), b.outline(), detail::relative_motion(world_from_a, world_from_b)};
  const double rounding = rounding_of(pair);
  const CoreSeparation core = options.method == Method::walk
                                  ? by_walk(pair, detail::between_centers(pair), rounding, cache)
                                  : detail::separation_by_gjk(pair, options.support, rounding, memory_of(cache));
  const double radii = a.radius() + b.radius();
  Separation result;
  result.distance = core.distance - radii;
  result.iterations = core.iterations;
  result.distance_error = core.error + rounding + kPlanarRounding * radii;
  result.point_a = world_from_a * to_eigen(core.point_a + a.radius() * core.normal);
  result.point_b = world_from_a * to_eigen(core.point_a + (core.distance - b.radius()) * core.normal);
  result.normal = world_from_a.rotate(to_eigen(core.normal));
  return result;
}

}  // namespace abut::planar

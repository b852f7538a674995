// Two convex shapes, each core ⊕ ball. GJK answers while the cores are apart, EPA when they touch or overlap; the radii
// are added to either answer, so that a shallow overlap of margins costs no more than a distance.
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// No answer can be finer than this fraction of the coordinates it is computed from: a few roundings of doubles.
constexpr double kRounding = 1e-15;

Vector3d initial_guess(const MinkowskiDifference& difference, const Pose& a_from_b, WarmStart warm_start,
                       const PairCache* cache) {
  if (cache != nullptr && cache->has_solution && !cache->cores_overlap) {
    if (warm_start == WarmStart::previous) return -cache->normal_a;
    if (warm_start == WarmStart::transformed_previous) {
      return cache->point_a - a_from_b * cache->point_b;
    }
  }
  return warm_start == WarmStart::none ? Vector3d(Vector3d::UnitX()) : difference.center();
}

}  // namespace

Separation separate_convex(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, const PairQuery& query,
                           PairCache* cache) {
  const DistanceOptions& options = query.options;
  MinkowskiDifference difference(a, b, a_from_b);
  const double radii = a.radius() + b.radius();
  const double size = a.extent() + b.extent() + radii;
  const double rounding = kRounding * (size + difference.center().norm());
  // Two surfaces of curvature radius R part by t²/2R at a distance t from their nearest points: witness points are
  // right within t when the distance is right within that.
  const double asked = options.tolerance > 0.0 ? options.tolerance : kRelativeTolerance * size;
  const double tolerance = std::max(0.5 * asked * asked / size, rounding);

  GjkOptions gjk_options;
  gjk_options.solver = options.solver == Solver::automatic ? Solver::gjk : options.solver;
  gjk_options.tolerance = tolerance;
  gjk_options.max_iterations = options.max_iterations;
  gjk_options.max_distance = options.max_distance + radii;
  if (query.is_boolean) gjk_options.near_distance = gjk_options.max_distance;
  const GjkResult found = gjk(difference, initial_guess(difference, a_from_b, options.warm_start, cache), gjk_options);

  Separation result;
  result.solver = gjk_options.solver;
  result.iterations = found.iterations;
  const double core_upper_bound = found.simplex.closest.norm();
  Vector3d core_point_a = found.simplex.witness_a();
  Vector3d core_point_b = found.simplex.witness_b();
  double core_distance = 0.0;
  switch (found.outcome) {
    case GjkResult::Outcome::touching: {
      // A yes needs no depth: the origin is enclosed, or nearer than the limit.
      const bool is_enclosed = found.simplex.size == 4;
      if (query.is_boolean && (is_enclosed || core_upper_bound <= gjk_options.max_distance)) break;
      const EpaResult overlap = epa(difference, found.simplex, tolerance, options.max_iterations);
      core_distance = overlap.distance;
      core_point_a = overlap.point_a;
      core_point_b = overlap.point_b;
      result.normal = overlap.normal;
      result.distance_error = overlap.distance_error;
      // Apart after all, by less than GJK resolves: its nearest point is then the upper bound.
      if (core_distance > 0.0) {
        result.distance_error = std::max(result.distance_error, core_upper_bound - core_distance);
      }
      result.iterations += overlap.iterations;
      if (!overlap.converged) result.status = SolveStatus::iteration_limit;
      break;
    }
    case GjkResult::Outcome::beyond:
      core_distance = found.lower_bound;
      result.normal = found.separating_direction;
      result.status = SolveStatus::beyond_limit;
      result.distance_error = core_upper_bound - found.lower_bound;
      break;
    case GjkResult::Outcome::separated:
    case GjkResult::Outcome::near:
      core_distance = core_upper_bound;
      // Along the nearest points where GJK converged; the best separating plane's normal where rounding stopped it.
      result.normal =
          found.lower_bound > 0.0 ? found.separating_direction : Vector3d(-found.simplex.closest / core_distance);
      result.distance_error = std::max(0.0, core_distance - found.lower_bound);
      if (found.at_iteration_limit) result.status = SolveStatus::iteration_limit;
      break;
  }
  result.distance_error += rounding;
  result.distance = core_distance - radii;
  result.point_a = core_point_a + a.radius() * result.normal;
  result.point_b = core_point_b - b.radius() * result.normal;
  if (cache != nullptr) {
    cache->has_solution = true;
    cache->cores_overlap = found.outcome == GjkResult::Outcome::touching;
    cache->normal_a = result.normal;
    cache->point_a = core_point_a;
    cache->point_b = a_from_b.inverse() * core_point_b;
  }
  return result;
}

}  // namespace abut::detail

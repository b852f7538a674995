#include <abut/narrowphase/nearest_points.h>
#include <abut/narrowphase/separate_cores.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace abut::detail {
namespace {

// GJK's distance is that of its nearest points along its normal, but for so many times the rounding of a distance.
constexpr double kPointRounding = 32.0;

// Where the bounds of a solver have not met, its points are not as far apart along the normal as its distance says:
// they lie on a facet within the depth, or across another plane than the best one. What is missing is part of the
// error, and each point is moved along the normal by half of it.
// @param left_open  Metres: less counts as nothing.
void part_points(NearestPoints& core, const Vector3d& normal, double left_open) {
  const double missing = core.distance - normal.dot(core.point_b - core.point_a);
  if (!(std::abs(missing) > left_open)) return;
  core.point_a -= 0.5 * missing * normal;
  core.point_b += 0.5 * missing * normal;
}

// Of a facet: what the default tolerance leaves open.
double left_open_by_epa(const CoreTolerances& tolerances) {
  return 0.5 * kRelativeTolerance * kRelativeTolerance * tolerances.coordinates;
}

void add_radii(Separation& result, const NearestPoints& core, double radius_a, double radius_b,
               const CoreTolerances& tolerances) {
  result.distance_error += tolerances.rounding;
  result.distance = core.distance - radius_a - radius_b;
  result.point_a = core.point_a + radius_a * result.normal;
  result.point_b = core.point_b - radius_b * result.normal;
}

void take(Separation& result, NearestPoints& core, const EpaResult& overlap) {
  core = {overlap.distance, overlap.point_a, overlap.point_b};
  result.normal = overlap.normal;
  result.distance_error = overlap.distance_error;
  result.iterations += overlap.iterations;
  if (!overlap.converged) result.status = SolveStatus::iteration_limit;
  if (overlap.is_shallow) result.status = SolveStatus::beyond_limit;
}

}  // namespace

Separation grown_by_radii(const EpaResult& overlap, double radius_a, double radius_b,
                          const CoreTolerances& tolerances) {
  Separation result;
  NearestPoints core;
  take(result, core, overlap);
  if (!overlap.is_shallow) part_points(core, result.normal, left_open_by_epa(tolerances));
  result.solver = Solver::gjk;  // of which EPA is a part
  add_radii(result, core, radius_a, radius_b, tolerances);
  return result;
}

Separation grown_by_radii(const GjkResult& found, const EpaResult* overlap, double radius_a, double radius_b,
                          const CoreTolerances& tolerances) {
  Separation result;
  result.iterations = found.iterations;
  NearestPoints core = nearest_points(found.simplex);
  const double core_upper_bound = core.distance;
  switch (found.outcome) {
    case GjkResult::Outcome::touching:
      if (overlap == nullptr) {
        // They overlap, or are apart by no more than their nearest points.
        core.distance = 0.0;
        result.distance_error = core_upper_bound;
      } else {
        take(result, core, *overlap);
        // Perhaps apart after all: nearest points are an upper bound then, which the polytope's planes are not.
        if (core.distance + result.distance_error >= -tolerances.rounding) {
          // Of an overlap that was left for shallow no points are known.
          const double upper_bound =
              overlap->is_shallow ? core_upper_bound : std::min(core_upper_bound, (core.point_b - core.point_a).norm());
          result.distance_error = std::max(result.distance_error, upper_bound - core.distance);
        }
        if (!overlap->is_shallow) part_points(core, result.normal, left_open_by_epa(tolerances));
      }
      if (result.status == SolveStatus::converged && result.distance_error > tolerances.distance) {
        result.status = SolveStatus::iteration_limit;
      }
      break;
    case GjkResult::Outcome::beyond:
      core.distance = found.lower_bound;
      result.normal = found.separating_direction;
      result.status = SolveStatus::beyond_limit;
      result.distance_error = core_upper_bound - found.lower_bound;
      break;
    case GjkResult::Outcome::separated:
    case GjkResult::Outcome::near:
      // Along the nearest points where GJK converged; the best separating plane's normal where rounding stopped it.
      result.normal = found.separating_direction;
      result.distance_error = std::max(0.0, core_upper_bound - found.lower_bound);
      if (found.at_iteration_limit) result.status = SolveStatus::iteration_limit;
      part_points(core, result.normal, kPointRounding * tolerances.rounding);
      break;
  }
  add_radii(result, core, radius_a, radius_b, tolerances);
  return result;
}

Separation looked_at_closely(const AnyDifference& difference, const GjkResult& found, const EpaResult* overlap,
                             const Separation& answer, const CoreTolerances& tolerances, int max_iterations) {
  const EpaResult planes =
      overlap != nullptr ? *overlap : epa(difference, found.simplex, tolerances.distance, max_iterations);
  GjkResult closer = found;
  if (found.iterations < max_iterations && found.outcome == GjkResult::Outcome::touching) {
    GjkOptions options;
    options.tolerance = tolerances.distance;
    options.touching = kSeparating;
    options.max_iterations = max_iterations - found.iterations;
    std::array<DifferencePoint, 4> points;
    const auto size = static_cast<std::size_t>(found.simplex.size());
    for (std::size_t i = 0; i < size; ++i) points[i] = found.simplex[static_cast<int>(i)];
    closer = gjk(difference, Vector3d::Zero(), options, std::span(points).first(size));
    closer.iterations += found.iterations;
  }
  const double radius_a = difference.a().radius();
  const double radius_b = difference.b().radius();
  Separation best = answer;
  for (const GjkResult::Outcome outcome : {closer.outcome, GjkResult::Outcome::touching}) {
    closer.outcome = outcome;
    const Separation other = grown_by_radii(closer, &planes, radius_a, radius_b, tolerances);
    if (other.distance_error < best.distance_error) best = other;
  }
  best.status = is_as_asked(best, tolerances) ? SolveStatus::converged : answer.status;
  return best;
}

void remember(PairCache& cache, const Separation& separation, bool cores_overlap, double radius_a, double radius_b,
              const Pose& a_from_b) {
  cache.has_solution = true;
  cache.cores_overlap = cores_overlap;
  cache.normal_a = separation.normal;
  cache.point_a = separation.point_a - radius_a * separation.normal;
  const Vector3d core_point_b = separation.point_b + radius_b * separation.normal;
  cache.point_b = a_from_b.unrotate(core_point_b - a_from_b.translation());
}

}  // namespace abut::detail

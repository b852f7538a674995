#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>

#include <cmath>

namespace abut {
namespace {

void check(const DistanceOptions& options) {
  require_not_negative("tolerance", options.tolerance);
  if (std::isnan(options.max_distance)) throw InvalidInput("max_distance", "must not be NaN");
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
}

detail::Part part_of(const Shape& shape) {
  return detail::Part::of(shape);
}

}  // namespace

Separation distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                    const DistanceOptions& options, PairCache* cache) {
  check(options);
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const detail::PairQuery query{options, /*is_boolean=*/false};
  return detail::transformed(detail::separate(part_of(a), part_of(b), a_from_b, query, cache), world_from_a);
}

bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
              double security_margin, const DistanceOptions& options, PairCache* cache) {
  check(options);
  require_not_negative("security_margin", security_margin);
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  detail::PairQuery query{options, /*is_boolean=*/true};
  query.options.max_distance = security_margin;
  const Separation separation = detail::separate(part_of(a), part_of(b), a_from_b, query, cache);
  // Undecided at the iteration limit counts as contact: a collision is never called free.
  const double doubt = separation.status == SolveStatus::iteration_limit ? separation.distance_error : 0.0;
  return separation.status != SolveStatus::beyond_limit && separation.distance - doubt <= security_margin;
}

}  // namespace abut

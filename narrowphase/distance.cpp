#include <abut/core/error.h>
#include <abut/core/require_enum.h>
#include <abut/narrowphase/closed/posed_closed.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/smooth/smooth_core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace abut {
namespace {

// One comparison each where all is well; NaN fails them.
bool is_sound(const DistanceOptions& options) {
  return options.tolerance >= 0.0 && options.tolerance <= std::numeric_limits<double>::max() &&
         options.max_distance == options.max_distance && options.max_iterations >= 1 && options.solver <= Solver::qp &&
         options.warm_start <= WarmStart::transformed_previous;
}

void refuse(const DistanceOptions& options) {
  require_not_negative("tolerance", options.tolerance);
  if (std::isnan(options.max_distance)) throw InvalidInput("max_distance", "must not be NaN", options.max_distance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
  detail::require_enum("solver", options.solver, Solver::qp);
  detail::require_enum("warm_start", options.warm_start, WarmStart::transformed_previous);
}

void check_solver(Solver solver, const Shape& a, const Shape& b) {
  if (serves(solver, a, b)) return;
  const std::string needs = solver == Solver::rtr ? "rtr needs two smooth bodies"
                                                  : "qp needs two capsules or padded polygons of at most 64 sides";
  throw InvalidInput("solver", needs + ", not " + std::string(a.type_name()) + " and " + std::string(b.type_name()));
}

// Solvers take a remembered normal and points as they are; theirs are unit and finite, those of a cache made by hand
// may be anything, also too large to be squared. NaN fails the comparison.
PairCache* sound(PairCache* cache) {
  if (cache == nullptr || !cache->has_solution) return cache;
  constexpr double kUnit = 1e-3;
  constexpr double kFarthest = 1e150;
  const double farthest = std::max(cache->point_a.lpNorm<Eigen::Infinity>(), cache->point_b.lpNorm<Eigen::Infinity>());
  const bool is_sound = std::abs(cache->normal_a.squaredNorm() - 1.0) <= kUnit && cache->point_a.allFinite() &&
                        cache->point_b.allFinite() && farthest <= kFarthest;
  if (!is_sound) *cache = PairCache{};
  return cache;
}

}  // namespace

bool serves(Solver solver, const Shape& a, const Shape& b) {
  if (solver == Solver::rtr) return detail::smooth_core(a).has_value() && detail::smooth_core(b).has_value();
  return solver != Solver::qp || has_proximity(a, b);
}

Separation distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                    const DistanceOptions& options, PairCache* cache) {
  if (!is_sound(options)) refuse(options);
  if (options.solver == Solver::automatic) {
    const detail::PosedClosed& closed = detail::posed_closed(a, b);
    if (closed.separate != nullptr) return closed.separate(a, world_from_a, b, world_from_b);
  } else {
    check_solver(options.solver, a, b);
  }
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const detail::PairQuery query{options, /*is_boolean=*/false};
  Separation result = detail::separate(detail::Part(a), detail::Part(b), a_from_b, query, sound(cache));
  detail::transform(result, world_from_a);
  return result;
}

bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
              double security_margin, const DistanceOptions& options, PairCache* cache) {
  if (!is_sound(options)) refuse(options);
  if (!(security_margin >= 0.0 && security_margin <= std::numeric_limits<double>::max())) {
    require_not_negative("security_margin", security_margin);
  }
  if (options.solver == Solver::automatic) {
    const detail::PosedClosed& closed = detail::posed_closed(a, b);
    if (closed.collides != nullptr) return closed.collides(a, world_from_a, b, world_from_b, security_margin);
  } else {
    check_solver(options.solver, a, b);
  }
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  detail::PairQuery query{options, /*is_boolean=*/true};
  query.options.max_distance = security_margin;
  return detail::collide(detail::Part(a), detail::Part(b), a_from_b, query, sound(cache));
}

}  // namespace abut

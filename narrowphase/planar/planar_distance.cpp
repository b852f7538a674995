#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_depth.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <abut/narrowphase/planar/planar_gjk.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::planar {
namespace {

using detail::Difference;
using detail::DifferencePoint;
using detail::GjkAnswer;
using detail::Simplex;

// A few roundings of doubles.
constexpr double kRounding = 2e-15;
// Corners nearer to each other than this fraction of the sizes have a direction made of rounding.
constexpr double kNear = 1e-3;

void remember(PairCache* cache, const Simplex& simplex) {
  if (cache == nullptr) return;
  cache->simplex.size = static_cast<std::uint8_t>(simplex.encloses() ? 2 : simplex.size);
  for (std::size_t i = 0; i < 2; ++i) {
    cache->simplex.corner_a[i] = simplex.points[i].corner_a;
    cache->simplex.corner_b[i] = simplex.points[i].corner_b;
  }
}

const detail::SimplexMemory* memory_of(const PairCache* cache) {
  return cache != nullptr ? &cache->simplex : nullptr;
}

double size_of(const Difference& difference) {
  return difference.a().reach() + difference.b().reach() + difference.a().center().lpNorm<1>() +
         difference.b().center().lpNorm<1>() + difference.a_from_b().translation.lpNorm<1>();
}

// Unit, from a to b.
Vector2d normal_of(const Simplex& simplex) {
  if (simplex.size == 2) {
    const Vector2d side = simplex.points[1].difference - simplex.points[0].difference;
    const Vector2d across = Vector2d(-side.y(), side.x()).normalized();
    return across.dot(simplex.nearest) > 0.0 ? Vector2d(-across) : across;
  }
  return -simplex.nearest.normalized();
}

// The point of a's core, frame of a.
Vector2d witness_a(const Difference& difference, const Simplex& simplex) {
  const Vector2d& first = difference.a().corner(simplex.points[0].corner_a);
  if (simplex.size == 1) return first;
  const Vector2d& p = simplex.points[0].difference;
  const Vector2d& q = simplex.points[1].difference;
  const Vector2d side = q - p;
  const double weight = -p.dot(side) / side.squaredNorm();
  return first + weight * (difference.a().corner(simplex.points[1].corner_a) - first);
}

}  // namespace

bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
              double security_margin, const Options& options, PairCache* cache) {
  if (!(security_margin >= 0.0 && security_margin <= std::numeric_limits<double>::max())) {
    require_not_negative("security_margin", security_margin);
  }
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const Difference difference(a.outline(), b.outline(), a_from_b, options.support);
  return detail::intersects(difference, a.radius() + b.radius() + security_margin,
                            cache != nullptr ? &cache->simplex : nullptr);
}

double distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                const Options& options, PairCache* cache) {
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const Difference difference(a.outline(), b.outline(), a_from_b, options.support);
  if (detail::inner_discs_meet(difference, 0.0)) return -(a.radius() + b.radius());
  const GjkAnswer answer = detail::gjk(difference, memory_of(cache));
  remember(cache, answer.simplex);
  const double core_distance = answer.simplex.encloses() ? 0.0 : std::sqrt(answer.simplex.nearest_sq);
  return core_distance - (a.radius() + b.radius());
}

Separation separation(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      const Options& options, PairCache* cache) {
  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const Difference difference(a.outline(), b.outline(), a_from_b, options.support);
  const GjkAnswer answer = detail::gjk(difference, memory_of(cache));
  const Simplex& simplex = answer.simplex;
  remember(cache, simplex);

  const double size = size_of(difference);
  const double rounding = kRounding * (size + a.radius() + b.radius());
  Separation result;
  result.iterations = answer.iterations;
  double core_distance = std::sqrt(simplex.nearest_sq);
  Vector2d point_a;
  // Near contact a side's own normal is exact, a difference of corners is not.
  const double least = simplex.size == 2 ? 4.0 * rounding : kNear * size;
  if (!simplex.encloses() && core_distance > least) {
    result.normal = normal_of(simplex);
    point_a = witness_a(difference, simplex);
    result.distance_error = std::max(0.0, core_distance - answer.lower) + rounding;
  } else {
    const detail::Axis axis = detail::best_axis(difference, -simplex.nearest);
    core_distance = axis.gap;
    result.normal = axis.normal;
    point_a = axis.point_a;
    result.distance_error = rounding;
  }
  const Vector2d point_b = point_a + core_distance * result.normal;
  result.distance = core_distance - (a.radius() + b.radius());
  result.point_a = world_from_a * (point_a + a.radius() * result.normal);
  result.point_b = world_from_a * (point_b - b.radius() * result.normal);
  result.normal = world_from_a.rotate(result.normal);
  return result;
}

}  // namespace abut::planar

#include <abut/narrowphase/planar/gjk_queries.h>
#include <abut/narrowphase/planar/planar_depth.h>
#include <abut/narrowphase/planar/planar_gjk.h>

#include <algorithm>
#include <cmath>

namespace abut::planar::detail {
namespace {

Pose as_pose(const PlaneMotion& motion) {
  Pose pose;
  pose.translation = to_eigen(motion.translation);
  pose.cos = motion.cos;
  pose.sin = motion.sin;
  return pose;
}

void remember(const Simplex& simplex, SimplexMemory* memory) {
  if (memory == nullptr) return;
  memory->size = static_cast<std::uint8_t>(simplex.encloses() ? 2 : simplex.size);
  for (std::size_t i = 0; i < 2; ++i) {
    memory->corner_a[i] = simplex.points[i].corner_a;
    memory->corner_b[i] = simplex.points[i].corner_b;
  }
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
Vector2d witness_a(const Outline& a, const Simplex& simplex) {
  const Vector2d& first = a.corner(simplex.points[0].corner_a);
  if (simplex.size == 1) return first;
  const Vector2d& p = simplex.points[0].difference;
  const Vector2d& q = simplex.points[1].difference;
  const Vector2d side = q - p;
  const double weight = -p.dot(side) / side.squaredNorm();
  return first + weight * (a.corner(simplex.points[1].corner_a) - first);
}

}  // namespace

bool collides_by_gjk(const CorePair& pair, double limit, SupportSearch search, SimplexMemory* memory) {
  const Pose a_from_b = as_pose(pair.a_from_b);
  return intersects(Difference(pair.a, pair.b, a_from_b, search), limit, memory);
}

double distance_by_gjk(const CorePair& pair, SupportSearch search, SimplexMemory* memory) {
  const Pose a_from_b = as_pose(pair.a_from_b);
  const GjkAnswer answer = gjk(Difference(pair.a, pair.b, a_from_b, search), memory);
  remember(answer.simplex, memory);
  return answer.simplex.encloses() ? 0.0 : std::sqrt(answer.simplex.nearest_sq);
}

CoreSeparation separation_by_gjk(const CorePair& pair, SupportSearch search, double rounding, SimplexMemory* memory) {
  const Pose a_from_b = as_pose(pair.a_from_b);
  const GjkAnswer answer = gjk(Difference(pair.a, pair.b, a_from_b, search), memory);
  const Simplex& simplex = answer.simplex;
  remember(simplex, memory);
  const double distance = std::sqrt(simplex.nearest_sq);
  // Near contact a side's own normal is exact, a difference of corners is not.
  const double least = simplex.size == 2 ? 4.0 * rounding : kNearCorners * (pair.a.reach() + pair.b.reach());
  if (simplex.encloses() || !(distance > least)) {
    const Axis axis = best_axis(pair, -plane_vector(simplex.nearest));
    return {axis.gap, axis.normal, axis.point_a, 0.0, answer.iterations};
  }
  return {distance, plane_vector(normal_of(simplex)), plane_vector(witness_a(pair.a, simplex)),
          std::max(0.0, distance - answer.lower), answer.iterations};
}

}  // namespace abut::planar::detail

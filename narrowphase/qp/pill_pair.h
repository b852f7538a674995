// A pair of capsules or padded polygons: its cores, its radii, and the solver that finds the nearest points.
// Source: Tracy et al., "DiffPills", Algorithms 1 to 3.
#pragma once

#include <abut/core/error.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/qp/box_qp.h>
#include <abut/narrowphase/qp/core_normal.h>
#include <abut/narrowphase/qp/pill_core.h>
#include <abut/narrowphase/qp/pill_qp.h>

#include <type_traits>

namespace abut::detail {

[[nodiscard]] inline bool is_pill(const Shape& shape) {
  if (const auto* polygon = shape.get_if<PaddedPolygon>()) return polygon->sides().size() <= kMaxSides;
  return shape.get_if<Capsule>() != nullptr;
}

/// Of a pill, metres, margin included.
[[nodiscard]] inline double radius_of(const Shape& shape) {
  if (const auto* capsule = shape.get_if<Capsule>()) return capsule->radius() + shape.margin();
  return shape.get_if<PaddedPolygon>()->radius() + shape.margin();
}

/// @throws InvalidInput  naming both shapes.
[[noreturn]] void refuse_pair(const Shape& a, const Shape& b);

/// Calls `act` with both cores, measured from the origin of a. @throws InvalidInput  for shapes that are no pills.
template <class Act>
auto with_cores(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b, Act&& act) {
  const Vector3d& from = world_from_a.translation();
  const auto* capsule_a = a.get_if<Capsule>();
  const auto* capsule_b = b.get_if<Capsule>();
  if (capsule_a != nullptr && capsule_b != nullptr) {
    return act(SegmentCore(*capsule_a, world_from_a, from), SegmentCore(*capsule_b, world_from_b, from));
  }
  if (!is_pill(a) || !is_pill(b)) refuse_pair(a, b);
  if (capsule_a != nullptr) {
    return act(SegmentCore(*capsule_a, world_from_a, from),
               PolygonCore(*b.get_if<PaddedPolygon>(), world_from_b, from));
  }
  const PolygonCore core_a(*a.get_if<PaddedPolygon>(), world_from_a, from);
  if (capsule_b != nullptr) return act(core_a, SegmentCore(*capsule_b, world_from_b, from));
  return act(core_a, PolygonCore(*b.get_if<PaddedPolygon>(), world_from_b, from));
}

/// Two capsules. Nearer than kNearFraction, the normal is chosen among those of their features.
[[nodiscard]] inline CoreAnswer nearest_by_active_set(const SegmentCore& a, const SegmentCore& b) {
  const Vector3d half_a = a.half_length * a.axis;
  const Vector3d half_b = b.half_length * b.axis;
  const BoxQpSolution solution =
      solve_box_qp({.first = 2.0 * half_a, .second = -2.0 * half_b, .offset = (a.center - b.center) - half_a + half_b});
  CoreAnswer answer;
  answer.points.point_a = a.center + (2.0 * solution.x[0] - 1.0) * half_a;
  answer.points.point_b = b.center + (2.0 * solution.x[1] - 1.0) * half_b;
  answer.points.gap = -solution.residual;
  answer.distance = answer.points.gap.norm();
  const double coordinates = coordinates_of(a, b);
  if (answer.distance > kNearFraction * coordinates) {
    answer.normal = answer.points.gap / answer.distance;
  } else {
    answer.is_touching = answer.distance <= 8.0 * kQpRounding * coordinates;
    answer.normal = common_normal(a, b, answer.points);
  }
  answer.lower_bound = separation_along(a, b, answer.normal);
  return answer;
}

/// @throws InvalidInput  naming "method" for the active set with a polygon.
template <class A, class B>
[[nodiscard]] CoreAnswer nearest_points(const A& a, const B& b, QpMethod method) {
  if constexpr (std::is_same_v<A, SegmentCore> && std::is_same_v<B, SegmentCore>) {
    if (method != QpMethod::interior_point) return nearest_by_active_set(a, b);
  } else if (method == QpMethod::active_set) {
    throw InvalidInput("method", "the active set needs two capsules");
  }
  CoreAnswer answer = nearest_by_interior_point(a, b);
  if (answer.is_touching) answer.normal = common_normal(a, b, answer.points);
  return answer;
}

}  // namespace abut::detail

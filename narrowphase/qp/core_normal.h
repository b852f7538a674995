// A normal of two flat cores that are so near to each other that the difference of their points is rounding.
#pragma once

#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/qp/pill_core.h>
#include <abut/narrowphase/qp/pill_qp.h>

#include <Eigen/Core>

#include <array>
#include <cstddef>

namespace abut::detail {

/// Directions that a core offers near a point of it.
struct CoreDirections {
  std::array<Vector3d, 2> edges;  ///< Along its edges there.
  std::size_t edge_count = 0;
  std::array<Vector3d, 3> normals;  ///< Of its face, and of the sides there within the face's plane.
  std::size_t normal_count = 0;
};

[[nodiscard]] inline CoreDirections directions_near(const SegmentCore& core, const Vector3d&) {
  CoreDirections result;
  result.edges[result.edge_count++] = core.axis;
  result.normals[result.normal_count++] = any_perpendicular(core.axis);
  result.normals[result.normal_count++] = core.axis;
  return result;
}

[[nodiscard]] inline CoreDirections directions_near(const PolygonCore& core, const Vector3d& point) {
  std::array<std::size_t, 2> nearest = {0, 1};
  if (core.slack(1, point) < core.slack(0, point)) std::swap(nearest[0], nearest[1]);
  for (std::size_t i = 2; i < core.row_count(); ++i) {
    const double slack = core.slack(i, point);
    if (slack < core.slack(nearest[0], point)) {
      nearest = {i, nearest[0]};
    } else if (slack < core.slack(nearest[1], point)) {
      nearest[1] = i;
    }
  }
  CoreDirections result;
  const Vector3d face = core.u.cross(core.v);
  result.normals[result.normal_count++] = face;
  for (const std::size_t side : nearest) {
    const Vector3d tangent = core.tangent(side);
    result.edges[result.edge_count++] = tangent;
    result.normals[result.normal_count++] = tangent.cross(face);
  }
  return result;
}

/// The direction that separates the cores most, among the gap and those that their features offer; where they cross, it
/// separates least badly.
template <class A, class B>
[[nodiscard]] Vector3d common_normal(const A& a, const B& b, const CorePoints& points) {
  const CoreDirections near_a = directions_near(a, points.point_a);
  const CoreDirections near_b = directions_near(b, points.point_b);
  const auto gap_along = [&](const Vector3d& n) { return separation_along(a, b, n); };
  BestNormal best;
  best.offer(points.gap, gap_along);
  for (const CoreDirections& near : {near_a, near_b}) {
    for (std::size_t i = 0; i < near.normal_count; ++i) best.offer_both(near.normals[i], gap_along);
    for (std::size_t i = 0; i < near.edge_count; ++i)
      best.offer(perpendicular_part(points.gap, near.edges[i]), gap_along);
  }
  for (std::size_t i = 0; i < near_a.edge_count; ++i) {
    for (std::size_t j = 0; j < near_b.edge_count; ++j) {
      best.offer_both(near_a.edges[i].cross(near_b.edges[j]), gap_along);
    }
  }
  best.offer(b.center - a.center, gap_along);
  return best.normal();
}

}  // namespace abut::detail

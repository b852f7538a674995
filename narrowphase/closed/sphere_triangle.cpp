// A sphere against a triangle: the point of the triangle nearest to the centre.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.1.5. Departure: the three edges are all measured
// instead of classified by regions, which stays right for triangles degenerate to a segment or a point.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/closed/triangle_face.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {

Separation separate_closed(const PlacedSphere& a, const Triangle& b, double margin_b, const Pose& from_b) {
  // In the frame of the triangle; normals run from the sphere to the triangle.
  const Vector3d center = from_b.unrotate(a.center - from_b.translation());
  const TriangleFace face(b.points());
  const double coordinates = face.coordinates() + center.lpNorm<1>();

  const auto answer = [&](double distance, const Vector3d& normal_b, double doubt) {
    const Vector3d normal = from_b.rotate(normal_b);
    return grown(distance, normal, a.center, a.center + distance * normal, a.radius, margin_b, coordinates, doubt);
  };

  if (face.is_over(center)) {
    const double height = face.height(center);
    return answer(std::abs(height), height >= 0.0 ? Vector3d(-face.normal) : face.normal, 0.0);
  }
  // At a corner the squares of the distances to both edges are equal to rounding; a point within an edge then has the
  // better normal, as in capsule_triangle.cpp.
  constexpr double kTie = 8.0 * std::numeric_limits<double>::epsilon();
  Vector3d gap = Vector3d::Zero();
  double smallest_sq = std::numeric_limits<double>::infinity();
  bool is_within_edge = false;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d to_corner = face.corners[i] - center;
    const double length_sq = std::max(face.edges[i].squaredNorm(), std::numeric_limits<double>::min());
    const double along = -to_corner.dot(face.edges[i]) / length_sq;
    const Vector3d to_point = to_corner + std::clamp(along, 0.0, 1.0) * face.edges[i];
    const double distance_sq = to_point.squaredNorm();
    const bool is_within = along > 0.0 && along < 1.0;
    const double limit =
        is_within == is_within_edge ? smallest_sq : smallest_sq * (is_within ? 1.0 + kTie : 1.0 - kTie);
    if (distance_sq < limit) {
      smallest_sq = distance_sq;
      gap = to_point;
      is_within_edge = is_within;
    }
  }
  const double distance = std::sqrt(smallest_sq);
  if (distance > kNearFraction * coordinates) return answer(distance, gap / distance, 0.0);

  BestNormal best;
  const auto gap_along = [&](const Vector3d& n) {
    return std::min(
        {n.dot(face.corners[0] - center), n.dot(face.corners[1] - center), n.dot(face.corners[2] - center)});
  };
  best.offer(gap, gap_along);
  best.offer_both(face.normal, gap_along);
  for (const Vector3d& edge : face.edges) {
    const double length = edge.norm();
    if (!(length > 0.0)) continue;
    best.offer(perpendicular_part(gap, edge), gap_along);
    best.offer(any_perpendicular(edge / length), gap_along);  // the centre on a degenerate triangle
  }
  best.offer(Vector3d::UnitX(), gap_along);  // the centre on a triangle that is a point
  return answer(distance, best.normal(), std::max(0.0, distance - best.gap()));
}

}  // namespace abut::detail

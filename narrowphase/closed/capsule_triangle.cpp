// A capsule against a triangle. The Minkowski difference of triangle and segment is a prism whose faces are the
// triangle at either end of the segment and one parallelogram an edge; the nearest of these five faces gives the
// distance from outside and the depth from within alike, with the same witness points. Source of the parts: Ericson,
// Real-Time Collision Detection (2005), sections 5.1.9, 5.1.10 and 5.3.6.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/closed/triangle_face.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

struct Nearest {
  double distance_sq = std::numeric_limits<double>::infinity();
  Vector3d on_segment = Vector3d::Zero();
  Vector3d on_triangle = Vector3d::Zero();
  bool is_within_edge = false;

  // Near a corner the squares of the distances to both edges are equal to rounding, and a point within an edge then has
  // the better normal: along an end's gap the edge may lie nearer by the root of rounding.
  void consider(const Vector3d& p, const Vector3d& q, bool is_within) {
    constexpr double kTie = 8.0 * std::numeric_limits<double>::epsilon();
    const double candidate = (q - p).squaredNorm();
    double limit = distance_sq;
    if (is_within != is_within_edge) limit *= is_within ? 1.0 + kTie : 1.0 - kTie;
    if (candidate < limit) *this = {candidate, p, q, is_within};
  }
};

// Points (0, 0, s) and start + u * edge, as in capsule_capsule.cpp; parallel ones answer with an end.
void consider_edge(Nearest& nearest, double half, const Vector3d& start, const Vector3d& edge) {
  constexpr double kTiny = std::numeric_limits<double>::min();
  const double across_sq = edge.x() * edge.x() + edge.y() * edge.y();
  const double length_sq = across_sq + edge.z() * edge.z();
  const double u_line = -(start.x() * edge.x() + start.y() * edge.y()) / std::max(across_sq, kTiny);
  const double s = std::clamp(start.z() + std::clamp(u_line, 0.0, 1.0) * edge.z(), -half, half);
  const Vector3d to_s(-start.x(), -start.y(), s - start.z());
  const double u = std::clamp(to_s.dot(edge) / std::max(length_sq, kTiny), 0.0, 1.0);
  nearest.consider({0.0, 0.0, s}, start + u * edge, u > 0.0 && u < 1.0);
}

}  // namespace

Separation separate_closed(const Capsule& a, double margin_a, const Triangle& b, double margin_b,
                           const Pose& a_from_b) {
  const double half = a.half_length();
  const double radius_a = a.radius() + margin_a;
  const auto& points = b.points();
  const TriangleFace face({a_from_b * points[0], a_from_b * points[1], a_from_b * points[2]});
  const double coordinates = half + face.coordinates();

  const std::array<Vector3d, 2> ends{Vector3d(0.0, 0.0, -half), Vector3d(0.0, 0.0, half)};
  const std::array<double, 2> heights{face.height(ends[0]), face.height(ends[1])};
  const bool is_across = (heights[0] < 0.0 && heights[1] > 0.0) || (heights[0] > 0.0 && heights[1] < 0.0);
  bool is_pierced = false;
  if (is_across) {
    const double crossing = half * (heights[0] + heights[1]) / (heights[0] - heights[1]);
    is_pierced = face.is_over({0.0, 0.0, std::clamp(crossing, -half, half)});
  }

  // The end nearer to the plane leaves through the face; the farther end tells the side.
  const std::size_t near_end = std::abs(heights[0]) <= std::abs(heights[1]) ? 0 : 1;
  const Vector3d face_normal = heights[1 - near_end] >= 0.0 ? Vector3d(-face.normal) : face.normal;
  const double sign = is_pierced ? -1.0 : 1.0;
  Nearest nearest;
  bool is_face = face.is_over(ends[near_end]);
  if (is_face) nearest.consider(ends[near_end], ends[near_end] - heights[near_end] * face.normal, /*is_within=*/false);
  // On one side of the plane, an end over the face is nearest of all.
  if (!is_face || is_across) {
    const double face_distance_sq = nearest.distance_sq;
    for (std::size_t i = 0; i < 3; ++i) consider_edge(nearest, half, face.corners[i], face.edges[i]);
    is_face = is_face && nearest.distance_sq == face_distance_sq;
  }
  if (is_face) {
    return grown(sign * std::abs(heights[near_end]), face_normal, nearest.on_segment, nearest.on_triangle, radius_a,
                 margin_b, coordinates);
  }
  const double distance = std::sqrt(nearest.distance_sq);
  const Vector3d gap = nearest.on_triangle - nearest.on_segment;
  if (distance > kNearFraction * coordinates) {
    return grown(sign * distance, (sign / distance) * gap, nearest.on_segment, nearest.on_triangle, radius_a, margin_b,
                 coordinates);
  }
  // The best normal also tells the sign: next to an edge, whether the segment pierces the face is rounding. Where it
  // does, several edges may be equally deep; of normals that are so but for rounding one is taken that the two points
  // lie along.
  BestNormal best;
  const double rounding = kClosedRounding * coordinates;
  const auto gap_along = [&](const Vector3d& n) {
    const double along =
        std::min({n.dot(face.corners[0]), n.dot(face.corners[1]), n.dot(face.corners[2])}) - half * std::abs(n.z());
    return std::abs(n.dot(gap) - along) <= rounding ? along : along - rounding;
  };
  best.offer_both(face.normal, gap_along);
  best.offer_both(gap, gap_along);
  best.offer_both(Vector3d(gap.x(), gap.y(), 0.0), gap_along);
  for (const Vector3d& edge : face.edges) {
    best.offer_both(Vector3d(-edge.y(), edge.x(), 0.0), gap_along);  // z × edge
    const double length = edge.norm();
    if (!(length > 0.0)) continue;
    best.offer_both(perpendicular_part(gap, edge), gap_along);
    best.offer(any_perpendicular(edge / length), gap_along);  // a point on a degenerate triangle
  }
  best.offer(Vector3d::UnitX(), gap_along);  // collinear with a degenerate triangle
  const double signed_distance = std::copysign(distance, best.gap());
  return grown(signed_distance, best.normal(), nearest.on_segment, nearest.on_triangle, radius_a, margin_b, coordinates,
               std::abs(signed_distance - best.gap()));
}

}  // namespace abut::detail

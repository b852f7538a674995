// Two boxes. The best of the fifteen separating axes is the answer when they overlap, and when a corner faces a face or
// two edges cross. Apart otherwise, each box is projected onto the other in turn: a pair of points that are each
// other's projections is a nearest pair.
// Sources: Ericson, Real-Time Collision Detection (2005), sections 4.4.1, 5.1.4.1 and 5.1.9; Cheney and Goldstein,
// Proximity maps for convex sets (1959), for the alternating projections. An answer from them is given only when its
// normal separates the boxes by its distance.
#include <abut/narrowphase/closed/box_axes.h>
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/closed/face_overlap.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

using AxisKind = BestBoxAxis::Kind;

// Corners and edges reach their fixed point in two or three; one pair in ten thousand takes more and goes unanswered.
constexpr int kMaxProjections = 6;

// Witness points of the cores, frame of a.
struct BoxWitness {
  Vector3d normal;
  Vector3d point_a;
  Vector3d point_b;
  bool is_proven;  // The points lie on both boxes and their difference is along the normal.
};

struct Boxes {
  const Vector3d& half_a;
  const Vector3d& half_b;
  const Pose& a_from_b;
  double coordinates;

  [[nodiscard]] Vector3d on_a(const Vector3d& point) const { return point.cwiseMin(half_a).cwiseMax(-half_a); }
  [[nodiscard]] Vector3d on_b(const Vector3d& point) const {
    const Vector3d in_b = a_from_b.unrotate(point - a_from_b.translation());
    return a_from_b * Vector3d(in_b.cwiseMin(half_b).cwiseMax(-half_b));
  }
};

BoxWitness edge_witness(const Boxes& boxes, Eigen::Index i, Eigen::Index j) {
  const Matrix3d& r = boxes.a_from_b.rotation();
  const Vector3d& center = boxes.a_from_b.translation();
  const Vector3d edge = r.col(j);
  Vector3d normal = Vector3d::Unit(i).cross(edge);
  const double sin_sq = normal.squaredNorm();
  normal /= std::copysign(std::sqrt(sin_sq), normal.dot(center));
  // The middles of the two edges that face each other.
  Vector3d middle_a;
  Vector3d middle_b = center;
  for (Eigen::Index k = 0; k < 3; ++k) {
    middle_a[k] = k == i ? 0.0 : std::copysign(boxes.half_a[k], normal[k]);
    if (k != j) middle_b -= std::copysign(boxes.half_b[k], normal.dot(r.col(k))) * r.col(k);
  }
  // Nearest points of two lines, as in capsule_capsule.cpp with edge i in the place of z.
  const Vector3d between = middle_b - middle_a;
  double across = 0.0;
  for (Eigen::Index k = 0; k < 3; ++k) across -= k == i ? 0.0 : between[k] * edge[k];
  const double along_b = across / sin_sq;
  const double clamped_b = std::clamp(along_b, -boxes.half_b[j], boxes.half_b[j]);
  const double along_a = between[i] + clamped_b * edge[i];
  const double clamped_a = std::clamp(along_a, -boxes.half_a[i], boxes.half_a[i]);
  middle_a[i] = clamped_a;
  const bool is_proven = along_b == clamped_b && along_a == clamped_a;
  // The end of edge a reached, the point of edge b nearest to that; nearly parallel edges may be far along else.
  const double nearest_b = clamped_a * edge[i] - between.dot(edge);
  const double final_b = is_proven ? clamped_b : std::clamp(nearest_b, -boxes.half_b[j], boxes.half_b[j]);
  return {normal, middle_a, middle_b + final_b * edge, is_proven};
}

BoxWitness axis_witness(const Boxes& boxes, const BestBoxAxis& best) {
  const auto i = static_cast<Eigen::Index>(best.i);
  const auto j = static_cast<Eigen::Index>(best.j);
  if (best.kind == AxisKind::edges) return edge_witness(boxes, i, j);
  if (best.kind == AxisKind::face_a) {
    const FaceOverlap overlap(boxes.half_a, boxes.half_b, boxes.a_from_b, i, best.gap, boxes.coordinates);
    return {overlap.normal, overlap.on_face, overlap.on_other, overlap.is_over_face};
  }
  const Pose b_from_a = boxes.a_from_b.inverse();
  const FaceOverlap overlap(boxes.half_b, boxes.half_a, b_from_a, j, best.gap, boxes.coordinates);
  return {-boxes.a_from_b.rotate(overlap.normal), boxes.a_from_b * overlap.on_other, boxes.a_from_b * overlap.on_face,
          overlap.is_over_face};
}

}  // namespace

std::optional<Separation> separate_closed(const Box& a, double margin_a, const Box& b, double margin_b,
                                          const Pose& a_from_b) {
  const Vector3d& half_a = a.half_extents();
  const Vector3d& half_b = b.half_extents();
  const BoxPair pair(half_a, half_b, a_from_b);
  const Boxes boxes{half_a, half_b, a_from_b, half_a.sum() + half_b.sum() + a_from_b.translation().lpNorm<1>()};
  const double rounding = kClosedRounding * boxes.coordinates;
  const BestBoxAxis best(pair, rounding);
  BoxWitness witness = axis_witness(boxes, best);
  if (best.gap <= 0.0 && !witness.is_proven) {
    // Axes equal to rounding, whose features need not face each other: slide to where the surfaces do.
    for (int projection = 0; projection < kMaxProjections; ++projection) {
      witness.point_a = boxes.on_a(witness.point_b - best.gap * witness.normal);
      witness.point_b = boxes.on_b(witness.point_a + best.gap * witness.normal);
    }
  }
  if (best.gap <= 0.0 || witness.is_proven) {
    return grown(best.gap, witness.normal, witness.point_a, witness.point_b, margin_a, margin_b, boxes.coordinates);
  }

  for (int projection = 0; projection < kMaxProjections; ++projection) {
    witness.point_a = boxes.on_a(witness.point_b);
    const Vector3d next_b = boxes.on_b(witness.point_a);
    const bool is_fixed = (next_b - witness.point_b).lpNorm<1>() <= rounding;
    witness.point_b = next_b;
    if (is_fixed) break;
  }
  const Vector3d between = witness.point_b - witness.point_a;
  const double distance = between.norm();
  BestNormal normal;
  const auto gap_along = [&](const Vector3d& n) { return pair.gap_along(n); };
  normal.offer(between, gap_along);
  if (!(distance - normal.gap() <= 4.0 * rounding)) {
    normal.offer(witness.normal, gap_along);
    if (!(distance - normal.gap() <= 4.0 * rounding)) return std::nullopt;
  }
  return grown(distance, normal.normal(), witness.point_a, witness.point_b, margin_a, margin_b, boxes.coordinates,
               std::max(0.0, distance - normal.gap()));
}

ClosedAnswer closed_collides(const Box& a, double margin_a, const Box& b, double margin_b, const Pose& a_from_b,
                             double max_distance) {
  const BoxPair pair(a.half_extents(), b.half_extents(), a_from_b);
  const double limit = max_distance + (margin_a + margin_b);
  bool is_overlap = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const double gap = pair.face_gap_a(i);
    if (gap > limit) return ClosedAnswer::apart;
    is_overlap = is_overlap && gap <= 0.0;
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double gap = pair.face_gap_b(j);
    if (gap > limit) return ClosedAnswer::apart;
    is_overlap = is_overlap && gap <= 0.0;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const EdgeAxis edges(pair, i, j);
      if (!(edges.gap > 0.0) || !(edges.length_sq > BestBoxAxis::kNoAxis)) continue;
      is_overlap = false;
      if (edges.gap * edges.gap > limit * limit * edges.length_sq) return ClosedAnswer::apart;
    }
  }
  if (is_overlap) return ClosedAnswer::colliding;
  // Apart by less than the limit along every axis, but perhaps not from corner to corner.
  const std::optional<Separation> separation = separate_closed(a, margin_a, b, margin_b, a_from_b);
  if (!separation) return ClosedAnswer::undecided;
  return separation->distance <= max_distance ? ClosedAnswer::colliding : ClosedAnswer::apart;
}

}  // namespace abut::detail

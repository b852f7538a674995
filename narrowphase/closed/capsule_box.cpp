// A capsule against a box. Apart: along the segment the squared distance to the box is convex, its derivative piecewise
// linear with breaks where a coordinate passes a face plane; the zero lies between two of the eight breaks and ends.
// Overlapping: the Minkowski difference of box and segment has the three face normals of the box and the three cross
// products of its edges with the segment; the axis with the least overlap gives the depth.
// Source of the separating axes: Ericson, Real-Time Collision Detection (2005), sections 5.2.1 and 5.3.3.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// Box at the origin, segment center + t * reach for -1 <= t <= 1.
struct SegmentAtBox {
  Vector3d half;
  Vector3d center;
  Vector3d reach;

  [[nodiscard]] Vector3d at(double t) const { return center + t * reach; }
  // From the nearest point of the box to a point of the segment; exactly zero in coordinates between the faces.
  [[nodiscard]] Vector3d outside(const Vector3d& point) const { return point - point.cwiseMin(half).cwiseMax(-half); }
  [[nodiscard]] double slope(double t) const { return outside(at(t)).dot(reach); }

  // The parameter of the point nearest to the box; the middle of several.
  [[nodiscard]] double nearest() const {
    double low = -1.0;  // the last known slope < 0
    double high = 1.0;  // the first known slope > 0
    const double low_slope = slope(-1.0);
    const double high_slope = slope(1.0);
    if (low_slope > 0.0) return -1.0;
    if (high_slope < 0.0) return 1.0;
    bool is_flat = low_slope == 0.0 || high_slope == 0.0;  // of slope 0 from flat_low to flat_high
    double flat_low = low_slope == 0.0 ? -1.0 : 1.0;
    double flat_high = high_slope == 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
      const double scale = 1.0 / reach[i];
      for (const double face : {half[i], -half[i]}) {
        const double t = (face - center[i]) * scale;
        if (!(t > low && t < high)) continue;  // also the NaN of a segment in a face plane
        const double t_slope = slope(t);
        if (t_slope < 0.0) {
          low = t;
        } else if (t_slope > 0.0) {
          high = t;
        } else {
          is_flat = true;
          flat_low = std::min(flat_low, t);
          flat_high = std::max(flat_high, t);
        }
      }
    }
    if (is_flat) return 0.5 * (flat_low + flat_high);
    // Between two breaks the same faces are passed throughout. The slopes at the breaks themselves are of no use here:
    // rounding leaves a rest of a face that is not passed.
    const double middle = 0.5 * (low + high);
    const Vector3d passed = outside(at(middle));
    double along = 0.0;
    double reach_sq = 0.0;
    for (int i = 0; i < 3; ++i) {
      if (passed[i] == 0.0) continue;
      along += reach[i] * (center[i] - std::copysign(half[i], passed[i]));
      reach_sq += reach[i] * reach[i];
    }
    return reach_sq > 0.0 ? std::clamp(-along / reach_sq, low, high) : middle;
  }

  // Signed distance along a unit vector from the box to the segment.
  [[nodiscard]] double gap_along(const Vector3d& n) const {
    return n.dot(center) - std::abs(n.dot(reach)) - half.dot(n.cwiseAbs());
  }

  // Across an edge of the box along `axis`; not normalised, exactly perpendicular to both. Towards the segment.
  [[nodiscard]] Vector3d edge_normal(int axis) const {
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    Vector3d n = Vector3d::Zero();
    n[j] = -reach[k];
    n[k] = reach[j];
    return n[j] * center[j] + n[k] * center[k] >= 0.0 ? n : Vector3d(-n);
  }
};

// The axis of least overlap, as the normal from the box to the segment. The first three are faces.
struct BestAxis {
  int index = 0;
  double gap = -std::numeric_limits<double>::infinity();
  Vector3d normal;
};

BestAxis best_axis(const SegmentAtBox& pair) {
  BestAxis best;
  for (int i = 0; i < 3; ++i) {
    const double gap = std::abs(pair.center[i]) - std::abs(pair.reach[i]) - pair.half[i];
    if (gap > best.gap) {
      best.gap = gap;
      best.index = i;
    }
  }
  best.normal = std::copysign(1.0, pair.center[best.index]) * Vector3d::Unit(best.index);
  for (int i = 0; i < 3; ++i) {
    const Vector3d n = pair.edge_normal(i);
    const double length = n.norm();
    if (!(length > 0.0)) continue;
    const double gap = (n.dot(pair.center) - pair.half.dot(n.cwiseAbs())) / length;
    if (gap > best.gap) {
      best.gap = gap;
      best.index = 3 + i;
      best.normal = n / length;
    }
  }
  return best;
}

// Parameters of the segment.
struct Stretch {
  double low = -1.0;
  double high = 1.0;

  // The part between two opposite faces; `inside` lies there.
  void clip(const SegmentAtBox& pair, int axis, double inside) {
    if (pair.reach[axis] == 0.0) return;
    const double first = (-pair.half[axis] - pair.center[axis]) / pair.reach[axis];
    const double second = (pair.half[axis] - pair.center[axis]) / pair.reach[axis];
    low = std::min(std::max(low, std::min(first, second)), inside);
    high = std::max(std::min(high, std::max(first, second)), inside);
  }
};

// The parameter of the point of the segment that leaves the box last along the axis, given one inside the box.
double deepest(const SegmentAtBox& pair, const BestAxis& axis, double inside, double coordinates) {
  const int i = axis.index % 3;
  const int j = (i + 1) % 3;
  const int k = (i + 2) % 3;
  Stretch over_feature;
  if (axis.index < 3) {
    // A segment parallel to the face leaves with all its points over the face at once.
    const double along = pair.reach[i] * axis.normal[i];
    if (std::abs(along) <= kClosedRounding * coordinates) return inside;
    over_feature.clip(pair, j, inside);
    over_feature.clip(pair, k, inside);
    return along > 0.0 ? over_feature.low : over_feature.high;
  }
  over_feature.clip(pair, i, inside);
  const double to_j = std::copysign(pair.half[j], axis.normal[j]) - pair.center[j];
  const double to_k = std::copysign(pair.half[k], axis.normal[k]) - pair.center[k];
  const double across_sq = pair.reach[j] * pair.reach[j] + pair.reach[k] * pair.reach[k];
  return std::clamp((to_j * pair.reach[j] + to_k * pair.reach[k]) / across_sq, over_feature.low, over_feature.high);
}

}  // namespace

Separation separate_closed(const PlacedCapsule& a, const Box& b, double margin_b, const Pose& from_b) {
  const SegmentAtBox pair{b.half_extents(), from_b.unrotate(a.center - from_b.translation()),
                          a.half_length * from_b.unrotate(a.axis)};
  const double coordinates = a.half_length + pair.half.sum() + pair.center.lpNorm<1>();

  const double t = pair.nearest();
  const Vector3d outside = pair.outside(pair.at(t));
  const double distance = outside.norm();
  const Vector3d point_a = a.center + (t * a.half_length) * a.axis;
  if (distance > kNearFraction * coordinates) {
    const Vector3d gap = -from_b.rotate(outside);
    return grown(distance, gap / distance, point_a, point_a + gap, a.radius, margin_b, coordinates);
  }
  const BestAxis axis = best_axis(pair);
  if (distance > 0.0) {
    BestNormal best;
    const auto gap_along = [&](const Vector3d& n) { return pair.gap_along(n); };
    best.offer(axis.normal, gap_along);
    best.offer(outside, gap_along);
    if (a.half_length > 0.0) best.offer(perpendicular_part(outside, pair.reach), gap_along);
    return grown(distance, -from_b.rotate(best.normal()), point_a, point_a - from_b.rotate(outside), a.radius, margin_b,
                 coordinates, std::max(0.0, distance - best.gap()));
  }
  const Vector3d normal = -from_b.rotate(axis.normal);
  const Vector3d deepest_point = a.center + (a.half_length * deepest(pair, axis, t, coordinates)) * a.axis;
  return grown(axis.gap, normal, deepest_point, deepest_point + axis.gap * normal, a.radius, margin_b, coordinates);
}

}  // namespace abut::detail

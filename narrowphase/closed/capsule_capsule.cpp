// Two capsules: the nearest points of their segments, without cancellation for parallel ones.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.1.9. Departures: in the frame of a its segment lies
// on the z axis, so that sin² of the angle is a sum of squares and stays right for segments parallel to rounding;
// parallel segments meet in the middle of their overlap; where they cross, the normal is that of both segments.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

// Below this sin² the angle is the rounding of a rotation matrix.
constexpr double kParallelAxesSinSq = 1e-30;

}  // namespace

Separation separate_closed(const Capsule& a, double margin_a, const Capsule& b, double margin_b, const Pose& a_from_b) {
  return separate_capsules(a, margin_a, b, margin_b, a_from_b.translation(), a_from_b.rotation().col(2));
}

Separation separate_capsules(const Capsule& a, double margin_a, const Capsule& b, double margin_b,
                             const Vector3d& center, const Vector3d& axis) {
  const double half_a = a.half_length();
  const double half_b = b.half_length();
  const double center_along_axis = center.dot(axis);

  // Points (0, 0, s) and center + r * axis. For a given r the best s is center.z + r * axis.z; along that valley the
  // distance is least at r = -(center · axis)_xy / |axis|²_xy.
  const double sin_sq = axis.x() * axis.x() + axis.y() * axis.y();
  double r;
  if (sin_sq > kParallelAxesSinSq) {
    r = -(center.x() * axis.x() + center.y() * axis.y()) / sin_sq;
  } else {
    const double low = std::max(center.z() - half_b, -half_a);
    const double high = std::min(center.z() + half_b, half_a);
    r = std::copysign(1.0, axis.z()) * (0.5 * (low + high) - center.z());
  }
  r = std::clamp(r, -half_b, half_b);
  const double s = std::clamp(center.z() + r * axis.z(), -half_a, half_a);
  r = std::clamp(s * axis.z() - center_along_axis, -half_b, half_b);

  const Vector3d point_a(0.0, 0.0, s);
  const Vector3d point_b = center + r * axis;
  const Vector3d gap = point_b - point_a;
  const double distance = gap.norm();
  const double coordinates = half_a + half_b + center.lpNorm<1>();
  const double radius_a = a.radius() + margin_a;
  const double radius_b = b.radius() + margin_b;
  if (distance > kNearFraction * coordinates) {
    return grown(distance, gap / distance, point_a, point_b, radius_a, radius_b, coordinates);
  }
  BestNormal best;
  const auto gap_along = [&](const Vector3d& n) {
    return center.dot(n) - half_a * std::abs(n.z()) - half_b * std::abs(axis.dot(n));
  };
  best.offer(gap, gap_along);
  best.offer(Vector3d(gap.x(), gap.y(), 0.0), gap_along);
  best.offer(perpendicular_part(gap, axis), gap_along);
  best.offer_both(Vector3d(-axis.y(), axis.x(), 0.0), gap_along);  // z × axis
  best.offer(Vector3d::UnitX(), gap_along);                        // collinear segments
  best.offer(any_perpendicular(axis), gap_along);                  // a point on the segment of b
  return grown(distance, best.normal(), point_a, point_b, radius_a, radius_b, coordinates,
               std::max(0.0, distance - best.gap()));
}

}  // namespace abut::detail

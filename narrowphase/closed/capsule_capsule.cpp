#include <abut/narrowphase/closed/capsule_capsule.h>

namespace abut::detail {

Separation separate_near_segments(const PlacedCapsule& a, const PlacedCapsule& b, const SegmentPair& pair) {
  BestNormal best;
  const auto gap_along = [&](const Vector3d& n) {
    return pair.between.dot(n) - a.half_length * std::abs(a.axis.dot(n)) - b.half_length * std::abs(b.axis.dot(n));
  };
  best.offer(pair.gap, gap_along);
  best.offer(perpendicular_part(pair.gap, a.axis), gap_along);
  best.offer(perpendicular_part(pair.gap, b.axis), gap_along);
  best.offer_both(a.axis.cross(b.axis), gap_along);
  best.offer(any_perpendicular(a.axis), gap_along);  // collinear segments
  best.offer(any_perpendicular(b.axis), gap_along);  // a point on the segment of b
  const double distance = pair.gap.norm();
  const double coordinates = a.half_length + b.half_length + pair.between.lpNorm<1>();
  return grown(distance, best.normal(), a.center + pair.at_a * a.axis, b.center + pair.at_b * b.axis, a.radius,
               b.radius, coordinates, std::max(0.0, distance - best.gap()));
}

}  // namespace abut::detail

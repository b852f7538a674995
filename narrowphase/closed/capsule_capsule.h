// Two capsules: the nearest points of their segments, without cancellation for parallel ones.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.1.9. Departures: sin² of the angle is the square of
// a cross product and stays right for segments parallel to rounding; parallel segments meet in the middle of their
// overlap; where they cross, the normal is that of both segments.
//
// Inline: a capsule that is placed for one call stays in registers.
#pragma once

#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/closed/placed.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {

/// The segments of two capsules, in the frame in which they are.
struct SegmentPair {
  Vector3d between;   ///< From the centre of a to that of b, metres.
  double at_a = 0.0;  ///< Where the nearest points are along both axes, metres from the centres.
  double at_b = 0.0;
  Vector3d gap;  ///< From the one to the other, metres.

  SegmentPair(const PlacedCapsule& a, const PlacedCapsule& b) : between(b.center - a.center) {
    // Below this sin² the angle is the rounding of a rotation matrix.
    constexpr double kParallelSinSq = 1e-30;
    const double along_a = between.dot(a.axis);
    const double along_b = between.dot(b.axis);
    const double cosine = a.axis.dot(b.axis);
    const Vector3d across = a.axis.cross(b.axis);
    // For a given point of b the best of a is along_a + at_b * cosine; along that valley the distance is least where
    // the parts of both points across a's axis are nearest.
    const double sin_sq = across.squaredNorm();
    if (sin_sq > kParallelSinSq) {
      at_b = between.cross(a.axis).dot(across) / sin_sq;
    } else {
      const double low = std::max(along_a - b.half_length, -a.half_length);
      const double high = std::min(along_a + b.half_length, a.half_length);
      at_b = std::copysign(1.0, cosine) * (0.5 * (low + high) - along_a);
    }
    at_b = std::clamp(at_b, -b.half_length, b.half_length);
    at_a = std::clamp(along_a + at_b * cosine, -a.half_length, a.half_length);
    at_b = std::clamp(at_a * cosine - along_b, -b.half_length, b.half_length);
    gap = between + at_b * b.axis - at_a * a.axis;
  }
};

/// Where the nearest points are too near to tell the normal.
[[nodiscard]] Separation separate_near_segments(const PlacedCapsule& a, const PlacedCapsule& b,
                                                const SegmentPair& pair);

[[nodiscard]] inline Separation separate_closed(const PlacedCapsule& a, const PlacedCapsule& b) {
  const SegmentPair pair(a, b);
  const double distance = pair.gap.norm();
  const double coordinates = a.half_length + b.half_length + pair.between.lpNorm<1>();
  if (!(distance > kNearFraction * coordinates)) return separate_near_segments(a, b, pair);
  return grown(distance, pair.gap / distance, a.center + pair.at_a * a.axis, b.center + pair.at_b * b.axis, a.radius,
               b.radius, coordinates);
}

}  // namespace abut::detail

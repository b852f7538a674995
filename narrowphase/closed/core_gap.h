// What the closed forms share: adding the radii to the answer of the cores, and choosing a normal where the witness
// points are so near to each other that their difference is rounding.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {

/// No answer is finer than this fraction of the coordinates it is computed from: a few roundings of doubles.
inline constexpr double kClosedRounding = 1e-15;

/// A direction is taken from the difference of two points only when they are farther apart than this fraction of the
/// coordinates: it is then right to a few 1e-14. Nearer cores choose among the normals of their features.
inline constexpr double kNearFraction = 2e-2;

/// The separation of core ⊕ ball from that of the cores.
/// @param coordinates  The sum of sizes and offsets that went into the answer, metres; it scales distance_error.
/// @param doubt        What the closed form itself leaves open, metres, >= 0.
inline Separation grown(double core_distance, const Vector3d& normal, const Vector3d& core_point_a,
                        const Vector3d& core_point_b, double radius_a, double radius_b, double coordinates,
                        double doubt = 0.0) {
  Separation result;
  result.distance = core_distance - (radius_a + radius_b);
  result.normal = normal;
  result.point_a = core_point_a + radius_a * normal;
  result.point_b = core_point_b - radius_b * normal;
  result.distance_error = doubt + kClosedRounding * (coordinates + radius_a + radius_b);
  return result;
}

/// Keeps the direction that separates most. Every candidate is measured by its own gap, so a poor one does no harm.
class BestNormal {
 public:
  /// @param direction  Of any length; the zero vector is passed over.
  /// @param gap_along  The separation of the cores along a unit vector, metres.
  template <class GapAlong>
  void offer(const Vector3d& direction, const GapAlong& gap_along) {
    const double length = direction.norm();
    if (!(length > 0.0)) return;
    const Vector3d candidate = direction / length;
    const double gap = gap_along(candidate);
    if (!(gap > gap_)) return;
    gap_ = gap;
    normal_ = candidate;
  }

  template <class GapAlong>
  void offer_both(const Vector3d& direction, const GapAlong& gap_along) {
    offer(direction, gap_along);
    offer(-direction, gap_along);
  }

  [[nodiscard]] const Vector3d& normal() const { return normal_; }
  [[nodiscard]] double gap() const { return gap_; }

 private:
  Vector3d normal_ = Vector3d::UnitX();
  double gap_ = -std::numeric_limits<double>::infinity();
};

/// The part of `v` perpendicular to `axis`, which is not zero.
inline Vector3d perpendicular_part(const Vector3d& v, const Vector3d& axis) {
  return v - (v.dot(axis) / axis.squaredNorm()) * axis;
}

/// Some vector perpendicular to `axis`, at least 1/√2 as long; the axis is a unit vector.
inline Vector3d any_perpendicular(const Vector3d& axis) {
  return std::abs(axis.x()) < std::abs(axis.y()) ? Vector3d(0.0, -axis.z(), axis.y())
                                                 : Vector3d(axis.z(), 0.0, -axis.x());
}

}  // namespace abut::detail

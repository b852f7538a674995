// A certificate of the depth around a normal of any two bodies: that no direction has less depth than the plane there.
//
// The plane with outer unit normal n and offset o supports the Minkowski difference D, and up to some angle from n no
// direction m has less depth, as is known: h(m) >= o, h being D's support function. At larger angles t that follows
// where a ball of radius s about c lies in D (those about the centres of A and B, added): h(m) >= c·m + s. With c = -k
// n + w, w across n, that is at least s - k cos t - |w| sin t, which from k sin t >= |w| cos t on grows with t: where
// it is more than o there, it is for all larger angles. Where w is zero it does not grow from t = 0 for k < 0: a
// ball whose centre lies on n beyond the origin reaches less far along all other directions.
//
// Between the two angles a ring of support points around n helps. Seen along n it is a polygon about the origin;
// between the ways to two neighbours of it, whose line is R away from the origin and of which none lies deeper than d
// below the plane, h(m) >= (o - d) cos t + R sin t, which is o or more where x = tan(t/2) has
//     (2 o - d) x² - 2 R x + d <= 0,
// and beyond a right angle, where heights count against the bound and none is above o, up to x = R/o. It has to begin
// within what is known; that is so when the points are sought at a smaller angle from n. The ring begins with four and
// takes a point between those two that prove too little. (Of polytopes deepest_facet.h proves more with fewer points.)
#pragma once

#include <abut/narrowphase/core_vertex.h>
#include <abut/narrowphase/minkowski_difference.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::detail {

/// A support point of D seen along a direction, and where it was sought.
struct CapPoint {
  Eigen::Vector2d sought;  ///< Unit: which way from the direction.
  Eigen::Vector2d place;   ///< Metres, across the direction.
  double drop = 0.0;       ///< Below the plane, metres.
};

/// Up to which angle points of D prove that no depth is less than `depth`, see above; 0 where they prove nothing.
/// @param radius  Of a disc about the normal that lies within them, seen along it, metres.
/// @param drop    No point lies deeper below the plane, metres. @param begin  Up to which angle it is known already.
/// Angles by the tangents of their halves.
[[nodiscard]] inline double reach_of_points(double radius, double drop, double depth, double begin) {
  const double square = radius * radius - drop * (2.0 * depth - drop);
  if (!(square >= 0.0)) return 0.0;
  const double root = std::sqrt(square);
  if (!(drop <= begin * (radius + root))) return 0.0;
  if (radius >= depth) return radius / depth;  // a right angle or more
  return drop < depth ? (radius + root) / (2.0 * depth - drop) : 0.0;
}

/// The same of the points p and q, for all ways from the normal that lie between them.
[[nodiscard]] inline double reach_between(const CapPoint& p, const CapPoint& q, double depth, double begin) {
  const double area = p.place.x() * q.place.y() - q.place.x() * p.place.y();  // twice, of the triangle with the origin
  if (!(area > 0.0)) return 0.0;
  return reach_of_points(area / (q.place - p.place).norm(), std::max(p.drop, q.drop), depth, begin);
}

/// Up to which angle from `normal` no depth is less than `depth`, as support points around it prove it, see above; 0
/// where they prove nothing.
/// @param reach  Up to which it is known already. Both angles by the tangents of their halves.
template <class Difference>
[[nodiscard]] double reach_of_cap(const Difference& difference, const Vector3d& normal, double depth, double reach) {
  constexpr double kTilt = 0.75;  // of the tangent that is known: so little that the cap begins within that angle
  constexpr std::size_t kMaxPoints = 12;
  const Vector3d u = normal.unitOrthogonal();
  const Vector3d v = normal.cross(u);
  const double tilt = kTilt * std::min(reach, 1.0);
  const auto sought = [&](const Eigen::Vector2d& way) {
    const Vector3d point = difference.support(normal + tilt * (way.x() * u + way.y() * v)).difference;
    return CapPoint{way, {point.dot(u), point.dot(v)}, std::max(0.0, depth - point.dot(normal))};
  };
  std::array<CapPoint, kMaxPoints> ring;  // counter-clockwise
  std::size_t count = 4;
  for (std::size_t i = 0; i < count; ++i) {
    const double sign = i < 2 ? 1.0 : -1.0;
    ring[i] = sought(i % 2 == 0 ? Eigen::Vector2d(sign, 0.0) : Eigen::Vector2d(0.0, sign));
  }
  double wider = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count;) {
    const CapPoint& p = ring[i];
    const CapPoint& q = ring[i + 1 < count ? i + 1 : 0];
    const double found = reach_between(p, q, depth, reach);
    if (found > reach) {
      wider = std::min(wider, found);
      ++i;
      continue;
    }
    if (count == kMaxPoints) return 0.0;
    const CapPoint middle = sought((p.sought + q.sought).normalized());
    std::copy_backward(ring.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       ring.begin() + static_cast<std::ptrdiff_t>(count),
                       ring.begin() + static_cast<std::ptrdiff_t>(count) + 1);
    ring[i + 1] = middle;
    ++count;
  }
  return wider;
}

/// Whether the depth is known to be `depth`, the offset of a plane that supports D, see above: at once, or by one ring.
/// (Up to three more prove little, and take longer than a polytope that need not find the depth any more.)
/// @param ball    Radius of one about the centre of D that lies in it, metres.
/// @param normal  Unit, of the plane.
/// @param reach   Up to which angle from it no depth is less, as the tangent of its half.
template <class Difference>
[[nodiscard]] bool is_deepest(const Difference& difference, double ball, const Vector3d& normal, double depth,
                              double reach) {
  constexpr double kNarrow = 0.005;  // nothing is gained from a smaller angle
  const Vector3d center = difference.center();
  const double along = -center.dot(normal);
  const double across = (center + along * normal).norm();
  const auto is_covered_beyond = [&](double q) {
    const double cosine = 1.0 - q * q;  // both times 1 + q²
    const double sine = 2.0 * q;
    const bool is_rising = along * sine >= across * cosine && (q > 0.0 || along >= 0.0);
    return is_rising && (-along * cosine - across * sine) / (1.0 + q * q) + ball > depth;
  };
  if (is_covered_beyond(reach)) return true;
  if (!(reach >= kNarrow)) return false;
  const double wider = reach_of_cap(difference, normal, depth, reach);
  return wider > reach && is_covered_beyond(wider);
}

}  // namespace abut::detail

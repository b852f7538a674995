// A pair's last answer, asked again at its present pose: where the same vertices are still nearest, one support point
// proves it, and neither GJK nor EPA has to run.
//
// The answer to two polytopes is carried by up to three points of the Minkowski difference D, each the difference of a
// vertex of A and one of B. Their plane, with outer unit normal n and offset o along it, holds the point of D nearest
// the origin or, in overlap, the point of its surface that is, if
//   - no point of D lies beyond it: the support value h(n) is o, and
//   - the origin's projection o n lies within the corners' hull.
// Apart (o < 0) that is all. In overlap it makes the depth o a local minimum of h over the directions; that no other
// direction m is lower follows where
//   - a disc of radius r about o n lies within the three corners: h(m) >= o cos t + r sin t at an angle t from n, which
//     is o or more up to tan(t/2) = r/o, and
//   - a ball of radius s about c lies in D (those about the centres of A and B, added): h(m) >= c·m + s. With
//     c = -k n + w, w across n, that is at least s - k cos t - |w| sin t, which from k sin t >= |w| cos t on grows with
//     t: where it is more than o there, it is for all larger angles.
// Bodies that touch lightly have r much larger than o, and nearly always pass. Between the two angles, where a face is
// smaller than the depth (scanned bodies have many), four support points around n help. Seen along n they are a
// quadrangle about the origin; where it holds a disc of radius R, and none of them lies deeper than d below the plane,
// h(m) >= (o - d) cos t + R sin t, which is o or more where, with x = tan(t/2),
//     (2 o - d) x² - 2 R x + d <= 0,
// and beyond a right angle, where heights count against the bound and none is above o, up to x = R/o. It has to begin
// within what the face proves; that is so when the four are sought at a smaller angle from n.
#pragma once

#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/separation.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace abut::detail {

/// Corners of the last answer at the present pose, and their plane.
struct RememberedCorners {
  std::array<DifferencePoint, 3> corners;
  int count = 0;                       ///< 1 … 3; 0: nothing is remembered, or the corners are close to degenerate.
  Vector3d normal = Vector3d::Zero();  ///< Unit, out of D as it was remembered.
  double offset = 0.0;                 ///< Of the plane, along the normal: minus the signed distance, metres.
  bool holds_projection = false;       ///< The origin's projection on the plane lies within the corners' hull.
  std::array<double, 3> weight{};      ///< Of the corners, for that projection.
};

/// @tparam Difference  Of two TypedCores whose shapes have numbered vertices.
template <class Difference>
[[nodiscard]] RememberedCorners recall(const Difference& difference, const PairCache& cache) {
  RememberedCorners result;
  const std::size_t count = std::min<std::size_t>(cache.corners.count, 3);
  for (std::size_t i = 0; i < count; ++i) {
    DifferencePoint& corner = result.corners[i];
    Vector3d on_b;
    if (!core_vertex(difference.a().geometry(), cache.corners.of_a[i], corner.on_a)) return result;
    if (!core_vertex(difference.b().geometry(), cache.corners.of_b[i], on_b)) return result;
    corner.difference = corner.on_a - difference.a_from_b() * on_b;
    corner.vertex_a = cache.corners.of_a[i];
    corner.vertex_b = cache.corners.of_b[i];
  }
  const Vector3d& p = result.corners[0].difference;
  if (count == 3) {
    const Vector3d e = result.corners[1].difference - p;
    const Vector3d f = result.corners[2].difference - p;
    const Vector3d across = e.cross(f);
    const double ee = e.squaredNorm();
    const double ff = f.squaredNorm();
    const double normal_sq = across.squaredNorm();
    const double longest_sq = std::max(ee, ff);
    if (!(normal_sq > kSliverSq * longest_sq * longest_sq)) return result;
    const double ef = e.dot(f);
    const double pe = -p.dot(e);
    const double pf = -p.dot(f);
    result.weight[1] = (ff * pe - ef * pf) / normal_sq;
    result.weight[2] = (ee * pf - ef * pe) / normal_sq;
    result.weight[0] = 1.0 - result.weight[1] - result.weight[2];
    const double side = across.dot(cache.normal_a) < 0.0 ? -1.0 : 1.0;
    result.normal = (side / std::sqrt(normal_sq)) * across;
    result.offset = result.normal.dot(p);
    result.holds_projection = result.weight[0] >= 0.0 && result.weight[1] >= 0.0 && result.weight[2] >= 0.0;
    result.count = 3;
    return result;
  }
  // Fewer corners carry an answer only apart: the plane is the one across the nearest point.
  Vector3d nearest = p;
  result.weight[0] = 1.0;
  if (count == 2) {
    const Vector3d edge = result.corners[1].difference - p;
    const double length_sq = edge.squaredNorm();
    if (!(length_sq > 0.0)) return result;
    result.weight[1] = -p.dot(edge) / length_sq;
    result.weight[0] = 1.0 - result.weight[1];
    nearest = p + result.weight[1] * edge;
  }
  const double distance = nearest.norm();
  if (count == 0 || !(distance > kTouching * difference.extent())) return result;
  result.normal = -nearest / distance;
  result.offset = -distance;
  result.holds_projection = result.weight[0] >= 0.0 && result.weight[1] >= 0.0;
  result.count = static_cast<int>(count);
  return result;
}

/// Up to which angle from `normal` no depth is less than `depth`, as four support points around it prove it, see above;
/// 0 where they prove nothing.
/// @param reach  Up to which it is known already. Both angles by the tangents of their halves.
template <class Difference>
[[nodiscard]] double reach_of_cap(const Difference& difference, const Vector3d& normal, double depth, double reach) {
  constexpr double kTilt = 0.75;  // of the angle that is known: so little that the cap begins within it
  const Vector3d u = normal.unitOrthogonal();
  const Vector3d v = normal.cross(u);
  const double tilt = kTilt * std::min(reach, 1.0);
  std::array<double, 4> x;
  std::array<double, 4> y;
  double lowest = depth;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector3d across = i % 2 == 0 ? u : v;
    const Vector3d point = difference.support(normal + (i < 2 ? tilt : -tilt) * across).difference;
    x[i] = point.dot(u);
    y[i] = point.dot(v);
    lowest = std::min(lowest, point.dot(normal));
  }
  double radius = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t next = (i + 1) % 4;
    const double area = x[i] * y[next] - x[next] * y[i];  // twice, of the triangle with the origin
    if (!(area > 0.0)) return 0.0;
    radius = std::min(radius, area / std::hypot(x[next] - x[i], y[next] - y[i]));
  }
  const double drop = depth - lowest;
  const double square = radius * radius - drop * (2.0 * depth - drop);
  if (!(square >= 0.0)) return 0.0;
  const double root = std::sqrt(square);
  if (!(drop <= reach * (radius + root))) return 0.0;
  if (radius >= depth) return radius / depth;  // a right angle or more
  return drop < depth ? (radius + root) / (2.0 * depth - drop) : 0.0;
}

/// Whether the depth is known to be `depth`, the offset of a plane that supports D, see above.
/// @param normal  Unit, of the plane. @param radius  Of a disc about the origin's projection on it that lies in D,
/// metres.
template <class Difference>
[[nodiscard]] bool is_deepest(const Difference& difference, const Vector3d& normal, double depth, double radius) {
  constexpr double kNarrow = 0.05;  // nothing is gained of a smaller disc
  constexpr int kMaxCaps = 2;
  const Vector3d center = difference.center();
  const double along = -center.dot(normal);
  const double across = (center + along * normal).norm();
  const double ball = core_inner_radius(difference.a().geometry()) + core_inner_radius(difference.b().geometry());
  double q = radius / depth;
  for (int caps = 0;; ++caps) {
    const double cosine = 1.0 - q * q;  // both times 1 + q²
    const double sine = 2.0 * q;
    const bool is_rising = along * sine >= across * cosine;
    if (is_rising && (-along * cosine - across * sine) / (1.0 + q * q) + ball > depth) return true;
    if (caps == kMaxCaps || !(q >= kNarrow)) return false;
    const double wider = reach_of_cap(difference, normal, depth, q);
    if (!(wider > q)) return false;
    q = wider;
  }
}

/// Of a disc about the origin's projection that lies within three corners, metres.
[[nodiscard]] inline double disc_radius(const RememberedCorners& remembered) {
  double smallest_sq = std::numeric_limits<double>::infinity();  // from the projection to a side, squared
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d& p = remembered.corners[i].difference;
    const Vector3d side = remembered.corners[(i + 1) % 3].difference - p;
    const Vector3d from = remembered.offset * remembered.normal - p;
    smallest_sq = std::min(smallest_sq, from.cross(side).squaredNorm() / side.squaredNorm());
  }
  return std::sqrt(smallest_sq);
}

/// The signed separation of the cores where the remembered corners still carry it.
/// @param tolerance  Gap to close, metres.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> answer_of(const Difference& difference, const RememberedCorners& remembered,
                                                 double tolerance) {
  if (remembered.count == 0 || !remembered.holds_projection) return std::nullopt;
  const double gap = remembered.normal.dot(difference.support(remembered.normal).difference) - remembered.offset;
  if (!(gap <= tolerance)) return std::nullopt;
  if (remembered.offset > 0.0 &&
      !is_deepest(difference, remembered.normal, remembered.offset, disc_radius(remembered))) {
    return std::nullopt;
  }
  EpaResult result;
  result.distance = -remembered.offset;
  result.distance_error = std::max(0.0, gap);
  result.normal = remembered.normal;
  for (std::size_t i = 0; i < static_cast<std::size_t>(remembered.count); ++i) {
    result.point_a += remembered.weight[i] * remembered.corners[i].on_a;
    result.point_b += remembered.weight[i] * remembered.corners[i].on_b();
  }
  result.iterations = 1;
  result.converged = true;
  return result;
}

}  // namespace abut::detail

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
// smaller than the depth (scanned bodies have many), a ring of support points around n helps. Seen along n it is a
// polygon about the origin; between the ways to two neighbours of it, whose line is R away from the origin and of which
// none lies deeper than d below the plane, h(m) >= (o - d) cos t + R sin t, which is o or more where x = tan(t/2) has
//     (2 o - d) x² - 2 R x + d <= 0,
// and beyond a right angle, where heights count against the bound and none is above o, up to x = R/o. It has to begin
// within what the face proves; that is so when the points are sought at a smaller angle from n. The ring begins with
// four and takes a point between those two that prove too little.
//
// In overlap the corners are also followed: where a point lies beyond their plane, or the projection beyond a side of
// them, one corner is exchanged and the new plane asked, so that bodies that roll or slide go from face to face.
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
  std::array<DifferencePoint, 4> corners;  ///< `count`, and after them a point beyond their plane where one was met.
  int count = 0;  ///< 1 … 3; 0: nothing is remembered, or the corners are close to degenerate.
  bool has_point_beyond = false;
  Vector3d normal = Vector3d::Zero();  ///< Unit, out of D as it was remembered.
  double offset = 0.0;                 ///< Of the plane, along the normal: minus the signed distance, metres.
  bool holds_projection = false;       ///< The origin's projection on the plane lies within the corners' hull.
  std::array<double, 3> weight{};      ///< Of the corners, for that projection.
};

/// The plane of three corners, and whether it holds the projection. @param out  About out of D.
/// @return False, and no corners are left, where they are close to degenerate.
inline bool lay_plane(RememberedCorners& remembered, const Vector3d& out) {
  const Vector3d& p = remembered.corners[0].difference;
  const Vector3d e = remembered.corners[1].difference - p;
  const Vector3d f = remembered.corners[2].difference - p;
  const Vector3d across = e.cross(f);
  const double ee = e.squaredNorm();
  const double ff = f.squaredNorm();
  const double normal_sq = across.squaredNorm();
  const double longest_sq = std::max(ee, ff);
  remembered.count = 0;
  if (!(normal_sq > kSliverSq * longest_sq * longest_sq)) return false;
  const double ef = e.dot(f);
  const double pe = -p.dot(e);
  const double pf = -p.dot(f);
  std::array<double, 3>& weight = remembered.weight;
  weight[1] = (ff * pe - ef * pf) / normal_sq;
  weight[2] = (ee * pf - ef * pe) / normal_sq;
  weight[0] = 1.0 - weight[1] - weight[2];
  const double side = across.dot(out) < 0.0 ? -1.0 : 1.0;
  remembered.normal = (side / std::sqrt(normal_sq)) * across;
  remembered.offset = remembered.normal.dot(p);
  remembered.holds_projection = weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
  remembered.count = 3;
  return true;
}

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
    lay_plane(result, cache.normal_a);
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
  constexpr double kTilt = 0.75;  // of the angle that is known: so little that the cap begins within it
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

/// Whether the depth is known to be `depth`, the offset of a plane that supports D, see above.
/// @param normal  Unit, of the plane.
/// @param reach   Up to which angle from it no depth is less, as the tangent of its half: where a disc about the
///                origin's projection lies in D, its radius over the depth.
template <class Difference>
[[nodiscard]] bool is_deepest(const Difference& difference, const Vector3d& normal, double depth, double reach) {
  constexpr double kNarrow = 0.005;  // nothing is gained from a smaller angle
  constexpr int kMaxCaps = 4;
  const Vector3d center = difference.center();
  const double along = -center.dot(normal);
  const double across = (center + along * normal).norm();
  const double ball = core_inner_radius(difference.a().geometry()) + core_inner_radius(difference.b().geometry());
  double q = reach;
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

/// Which of three corners around a foot, seen along a normal, a point beyond their plane takes the place of, so that
/// they hold the foot again.
[[nodiscard]] inline std::size_t corner_displaced_by(const Vector3d& point, const std::array<Vector3d, 3>& corners,
                                                     const Vector3d& foot, const Vector3d& normal) {
  const Vector3d turned = normal.cross(point - foot);
  std::array<double, 3> beside;  // of the way from the foot to the point
  for (std::size_t i = 0; i < 3; ++i) beside[i] = turned.dot(corners[i] - foot);
  const double sign = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(normal) < 0.0 ? -1.0 : 1.0;
  std::size_t displaced = 0;
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const double from = sign * beside[(i + 1) % 3];
    const double to = -sign * beside[(i + 2) % 3];
    const double least = std::min(from, to);
    displaced = least > best ? i : displaced;
    best = std::max(best, least);
  }
  return displaced;
}

/// Puts a point in the place of a corner. @return False, and nothing has changed, where no plane with the origin behind
/// it comes of that.
[[nodiscard]] inline bool take_up(RememberedCorners& remembered, const DifferencePoint& point, std::size_t corner) {
  RememberedCorners next = remembered;
  next.corners[corner] = point;
  if (!lay_plane(next, remembered.normal) || !(next.offset > 0.0)) return false;
  remembered = next;
  return true;
}

/// Where the projection lies beyond a side of three corners: exchanges the corner across from it for a point beyond.
/// @return False where none is found.
template <class Difference>
[[nodiscard]] bool cross_side(const Difference& difference, RememberedCorners& remembered) {
  // Tangents: at the first most sides have a point beyond, at the next also sharp edges, at the last nearly all.
  constexpr std::array<double, 3> kTilts = {0.1, 1.0, 10.0};
  const auto& weight = remembered.weight;
  const auto across = static_cast<std::size_t>(std::min_element(weight.begin(), weight.end()) - weight.begin());
  const Vector3d& p = remembered.corners[(across + 1) % 3].difference;
  const Vector3d side = remembered.corners[(across + 2) % 3].difference - p;
  const Vector3d inwards = remembered.corners[across].difference - p;
  const Vector3d out = side * (inwards.dot(side) / side.squaredNorm()) - inwards;
  const double length = out.norm();
  if (!(length > 0.0)) return false;
  for (const double tilt : kTilts) {
    const DifferencePoint point = difference.support(remembered.normal + (tilt / length) * out);
    const double rise = (point.difference - p).dot(out);
    if (rise > kTouching * difference.extent() * length) return take_up(remembered, point, across);
  }
  return false;
}

/// The signed separation of the cores where the remembered corners still carry it or, in overlap, corners near them:
/// those are reached from face to face. A point that lies beyond the plane joins the two of the corners between which
/// the projection lies then. Where the projection lies beyond a side, that side is kept, and the point is sought that
/// is farthest along the normal tilted a little over it.
/// @param remembered  Left as it is or where the way ended.
/// @param tolerance   Gap to close, metres.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> answer_of(const Difference& difference, RememberedCorners& remembered,
                                                 double tolerance) {
  constexpr int kMaxLooks = 8;
  if (remembered.count == 0) return std::nullopt;
  const bool is_overlap = remembered.count == 3 && remembered.offset > 0.0;
  for (int look = 1; look <= kMaxLooks; ++look) {
    if (!remembered.holds_projection) {
      if (!is_overlap || !cross_side(difference, remembered)) return std::nullopt;
      continue;
    }
    const DifferencePoint point = difference.support(remembered.normal);
    const double gap = remembered.normal.dot(point.difference) - remembered.offset;
    if (gap <= tolerance) {
      if (is_overlap &&
          !is_deepest(difference, remembered.normal, remembered.offset, disc_radius(remembered) / remembered.offset)) {
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
      result.corners =
          vertices_of([&](int i) -> const DifferencePoint& { return remembered.corners[static_cast<std::size_t>(i)]; },
                      remembered.count);
      result.iterations = look;
      result.converged = true;
      return result;
    }
    if (!is_overlap) {
      remembered.corners[static_cast<std::size_t>(remembered.count)] = point;
      remembered.has_point_beyond = true;
      return std::nullopt;
    }
    const auto& corners = remembered.corners;
    const std::size_t displaced =
        corner_displaced_by(point.difference, {corners[0].difference, corners[1].difference, corners[2].difference},
                            remembered.offset * remembered.normal, remembered.normal);
    if (!take_up(remembered, point, displaced)) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace abut::detail

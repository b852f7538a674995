// A pair's last answer, asked again at its present pose: where the same vertices are still nearest, one support point
// proves it, and neither GJK nor EPA has to run.
//
// The answer to two polytopes is carried by up to three points of the Minkowski difference D, each the difference of a
// vertex of A and one of B. Their plane, with outer unit normal n and offset o along it, holds the point of D nearest
// the origin or, in overlap, the point of its surface that is, if
//   - no point of D lies beyond it: the support value h(n) is o, and
//   - the origin's projection o n lies within the corners' hull.
// Apart (o < 0) that is all. In overlap it makes the depth o a local minimum of h over the directions; that no other
// has less is for deepest_facet.h to prove.
//
// In overlap the corners are also followed: where a point lies beyond their plane, or the projection beyond a side of
// them, one corner is exchanged and the new plane asked, so that bodies that roll or slide go from face to face. Where
// there is less depth beyond an edge, they go on from there.
#pragma once

#include <abut/narrowphase/core_vertex.h>
#include <abut/narrowphase/deepest_facet.h>
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
#include <span>

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

/// A point of D across a sharp or a blunt edge, sought at growing tilts. @param on_edge  A point of the edge.
/// @param normal  Unit, out of D, of a plane that the edge lies in. @param out  In that plane, across the edge.
template <class Difference>
[[nodiscard]] std::optional<DifferencePoint> point_across(const Difference& difference, const Vector3d& on_edge,
                                                          const Vector3d& normal, const Vector3d& out) {
  // Tangents: at the first most edges have a point across, at the next also sharp ones, at the last nearly all.
  constexpr std::array<double, 3> kTilts = {0.1, 1.0, 10.0};
  const double length = out.norm();
  if (!(length > 0.0)) return std::nullopt;
  for (const double tilt : kTilts) {
    const DifferencePoint point = difference.support(normal + (tilt / length) * out);
    if ((point.difference - on_edge).dot(out) > kTouching * difference.extent() * length) return point;
  }
  return std::nullopt;
}

/// Where the projection lies beyond a side of three corners: exchanges the corner across from it for a point beyond.
/// @return False where none is found.
template <class Difference>
[[nodiscard]] bool cross_side(const Difference& difference, RememberedCorners& remembered) {
  const auto& weight = remembered.weight;
  const auto across = static_cast<std::size_t>(std::min_element(weight.begin(), weight.end()) - weight.begin());
  const Vector3d& p = remembered.corners[(across + 1) % 3].difference;
  const Vector3d side = remembered.corners[(across + 2) % 3].difference - p;
  const Vector3d inwards = remembered.corners[across].difference - p;
  const Vector3d out = side * (inwards.dot(side) / side.squaredNorm()) - inwards;
  const std::optional<DifferencePoint> point = point_across(difference, p, remembered.normal, out);
  return point && take_up(remembered, *point, across);
}

/// Where the depth beyond an edge of D is less: takes the edge and a point across it. @return False where none is
/// found.
template <class Difference>
[[nodiscard]] bool cross_edge(const Difference& difference, RememberedCorners& remembered,
                              const DeepestFacet& refuted) {
  const auto& [p, q] = refuted.edge();
  const Vector3d out = (q.difference - p.difference).cross(refuted.beyond());
  const std::optional<DifferencePoint> point = point_across(difference, p.difference, refuted.beyond(), out);
  if (!point) return false;
  RememberedCorners next = remembered;
  next.corners[0] = p;
  next.corners[1] = q;
  next.corners[2] = *point;
  if (!lay_plane(next, refuted.beyond()) || !(next.offset > 0.0 && next.offset < remembered.offset)) return false;
  remembered = next;
  return true;
}

/// What a search that has not found the answer leaves to the next.
class PointsAround {
 public:
  void assign(std::span<const DifferencePoint> points) {
    count_ = points.size();
    std::copy(points.begin(), points.end(), points_.begin());
  }
  [[nodiscard]] std::span<const DifferencePoint> points() const { return {points_.data(), count_}; }

 private:
  std::array<DifferencePoint, DeepestFacet::kMaxPoints> points_;
  std::size_t count_ = 0;
};

/// The signed separation of the cores where the remembered corners still carry it or, in overlap, corners near them:
/// those are reached from face to face. A point that lies beyond the plane joins the two of the corners between which
/// the projection lies then. Where the projection lies beyond a side, that side is kept, and the point is sought that
/// is farthest along the normal tilted a little over it.
/// @param remembered  Left as it is or where the way ended.
/// @param tolerance   Gap to close, metres.
/// @param around      Of overlap without an answer: points of D around the corners, as far as some were looked for.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> answer_of(const Difference& difference, RememberedCorners& remembered,
                                                 double tolerance, PointsAround& around) {
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
      if (is_overlap) {
        const DeepestFacet facet(difference, std::span<const DifferencePoint, 3>(remembered.corners.data(), 3),
                                 remembered.normal, remembered.offset, tolerance);
        if (facet.outcome() == DeepestFacet::Outcome::refuted && cross_edge(difference, remembered, facet)) continue;
        if (facet.outcome() != DeepestFacet::Outcome::proven) {
          around.assign(facet.points());
          return std::nullopt;
        }
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

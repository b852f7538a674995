// Whether the least depth of two overlapping polytopes is that along the normal of a given facet of their Minkowski
// difference D: the depth is the least of D's support values h over all directions, and a facet's plane only shows that
// it is a local minimum.
//
// The facet has outer unit normal n and offset o, and holds the origin's projection. Seen along n from there, its sides
// part all ways into sectors. In each, a segment of D reaches from one end of the sector to the other, and all
// directions up to an angle t from n are known to have h >= o:
//   - t is the angle from n of m, the outer normal of the plane that goes through the segment and touches the sphere of
//     radius o about the origin on the side away from n. The direction at an angle s from n towards a way w of the
//     sector has h >= y·n cos s + |y| sin s, y being the segment's point on that way and |y| its distance from the
//     axis. At t that is at least m·y = o, since y is as far along w as it can be. Between t and where h >= o was known
//     so far it is no less, being a sine that is so at both ends, which are less than π apart.
//   - The support point p along m lies beyond that plane, unless D has an edge there across which h falls below o. The
//     segments from p to the ends of the old one take its place: all their points have m·y >= o, so that they go on
//     where the old one ends. Where p lies on no way of the sector, one of them is enough, cut off where it leaves the
//     sector.
// A sector is done where both ends of its segment are o or more below the origin along n, since at -n its points have
// y·m >= o then, and where balls within both bodies, added, cover all its directions farther from n. The ball of radius
// r about c has h >= c·m + r. With c = v - k n, v across n, and f the least of v·w over the sector's ways that is at
// least r - k cos t + f sin t. Where that is more than o it stays so as far as -n if f < 0 and it grows from there on,
// k sin t + f cos t being 0 or more, or if f >= 0: it has one maximum then, and at -n it is r + k. That is more than o:
// the ball lies below the facet's plane, k >= r - o, and none is asked that is not much larger than o.
//
// What an expanding polytope would prove with some ten points takes some three here: faces far from n need not be
// found.
#pragma once

#include <abut/narrowphase/core_vertex.h>
#include <abut/narrowphase/minkowski_difference.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace abut::detail {

/// What is known of a facet of D, and the points of D that tell.
class DeepestFacet {
 public:
  enum class Outcome : std::uint8_t {
    proven,     ///< No direction has less depth.
    refuted,    ///< Beyond an edge of D there is less, or as little.
    undecided,  ///< Too many points would be needed.
  };
  static constexpr std::size_t kMaxPoints = 12;  ///< Besides the facet's corners.

  /// @param corners  Three that hold the origin's projection on their plane. @param normal  Unit, out of D.
  /// @param depth    Offset of the plane, > 0, metres. @param tolerance  Of the depth, metres.
  template <class Difference>
  DeepestFacet(const Difference& difference, std::span<const DifferencePoint, 3> corners, const Vector3d& normal,
               double depth, double tolerance)
      : normal_(normal), depth_(depth) {
    const Vector3d center = difference.center();
    ball_ = core_inner_radius(difference.a().geometry()) + core_inner_radius(difference.b().geometry());
    behind_ = -center.dot(normal);
    beside_ = center + behind_ * normal;
    if (is_covered_beside(corners)) {
      outcome_ = Outcome::proven;
    } else if (ball_ > kLeastBall * depth && open_sides(corners)) {
      outcome_ = search(difference, tolerance);
    }
  }

  [[nodiscard]] Outcome outcome() const { return outcome_; }
  /// Of a refuted facet: two corners of the edge, and the outer normal of the plane through it beyond which h is less.
  [[nodiscard]] const std::array<DifferencePoint, 2>& edge() const { return edge_; }
  [[nodiscard]] const Vector3d& beyond() const { return beyond_; }
  /// Points of D around the facet, as they were found.
  [[nodiscard]] std::span<const DifferencePoint> points() const {
    return std::span(points_).subspan(3, point_count_ - 3);
  }

 private:
  // With balls smaller than so many depths it takes a whole polytope more often than not.
  static constexpr double kLeastBall = 3.0;
  static constexpr std::size_t kMaxSectors = kMaxPoints + 3;  // a point adds one at most
  static constexpr std::int16_t kCutOff = -1;

  struct End {
    Vector3d place;
    Vector3d way;        // unit, across n: that on which the sector ends
    std::int16_t point;  // which it is, or kCutOff
  };
  struct Sector {  // from one end counter-clockwise to the other, seen against n
    End from;
    End to;
  };

  [[nodiscard]] End end_at(std::int16_t point) const {
    const Vector3d& place = points_[static_cast<std::size_t>(point)].difference;
    return {place, (place - place.dot(normal_) * normal_).normalized(), point};
  }
  void open(const End& from, const End& to) { sectors_[sector_count_++] = {from, to}; }
  // False where a sector is not less than half of all ways: the projection lies on a side.
  [[nodiscard]] bool open_sides(std::span<const DifferencePoint, 3> corners) {
    std::copy(corners.begin(), corners.end(), points_.begin());
    const Vector3d& p = points_[0].difference;
    const bool is_clockwise = (points_[1].difference - p).cross(points_[2].difference - p).dot(normal_) < 0.0;
    if (is_clockwise) std::swap(points_[1], points_[2]);
    const std::array<End, 3> ends = {end_at(0), end_at(1), end_at(2)};
    for (std::size_t i = 0; i < 3; ++i) {
      const End& to = ends[(i + 1) % 3];
      if (!(turn(ends[i].way, to.way) > 0.0)) return false;
      open(ends[i], to);
    }
    return true;
  }

  // Whether no sector is needed: about the projection there is a disc of some radius within the facet, whose
  // h >= o cos t + radius sin t is o or more up to tan(t/2) = radius/o, and the balls cover all directions beyond.
  [[nodiscard]] bool is_covered_beside(std::span<const DifferencePoint, 3> corners) const {
    const Vector3d foot = depth_ * normal_;
    double radius_sq = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d& p = corners[i].difference;
      const Vector3d side = corners[(i + 1) % 3].difference - p;
      radius_sq = std::min(radius_sq, side.cross(foot - p).squaredNorm() / side.squaredNorm());
    }
    const double x = std::sqrt(radius_sq) / depth_;
    const double cosine = 1.0 - x * x;  // both times 1 + x²
    const double sine = 2.0 * x;
    const double beside = beside_.norm();
    const bool is_rising = behind_ * sine >= beside * cosine && (x > 0.0 || behind_ >= 0.0);
    return is_rising && ball_ + (-behind_ * cosine - beside * sine) / (1.0 + x * x) > depth_;
  }

  // Whether all directions of the sector that are as far from n as this one, and farther, have at least the depth.
  [[nodiscard]] bool is_covered_from(const Vector3d& direction, const Sector& sector) const {
    const double cosine = direction.dot(normal_);
    const double sine = direction.cross(normal_).norm();  // right also where it is small
    const bool is_worst_inside = turn(beside_, sector.from.way) > 0.0 && turn(sector.to.way, beside_) > 0.0;
    const double beside =
        is_worst_inside ? -beside_.norm() : std::min(beside_.dot(sector.from.way), beside_.dot(sector.to.way));
    if (!(ball_ - behind_ * cosine + beside * sine > depth_)) return false;
    return beside >= 0.0 || behind_ * sine + beside * cosine >= 0.0;
  }

  // Of two points or ways, seen against n: > 0 where the second follows the first counter-clockwise.
  [[nodiscard]] double turn(const Vector3d& p, const Vector3d& q) const { return normal_.dot(p.cross(q)); }

  template <class Difference>
  [[nodiscard]] Outcome search(const Difference& difference, double tolerance) {
    while (sector_count_ > 0) {
      const Sector sector = sectors_[--sector_count_];
      const Vector3d& a = sector.from.place;
      const Vector3d& b = sector.to.place;
      if (std::max(normal_.dot(a), normal_.dot(b)) <= -depth_) continue;
      const Vector3d along = b - a;
      const double length_sq = along.squaredNorm();
      if (!(length_sq > 0.0)) return Outcome::undecided;
      Vector3d foot = a - (a.dot(along) / length_sq) * along;  // of the origin on the segment's line
      foot -= (foot.dot(along) / length_sq) * along;           // the ends may be far away, and round it
      const double foot_sq = foot.squaredNorm();
      const double rest_sq = foot_sq - depth_ * depth_;
      if (!(rest_sq > 0.0)) return Outcome::undecided;
      const Vector3d tangent = (depth_ * foot + std::sqrt(rest_sq / length_sq) * along.cross(foot)) / foot_sq;
      if (!(std::min(tangent.dot(a), tangent.dot(b)) >= depth_ - tolerance)) return Outcome::undecided;  // rounding
      if (is_covered_from(tangent, sector)) continue;
      if (point_count_ == points_.size()) return Outcome::undecided;
      const DifferencePoint found = difference.support(tangent);
      const Vector3d& p = found.difference;
      if (!(tangent.dot(p) - depth_ > tolerance)) {
        if (sector.from.point == kCutOff || sector.to.point == kCutOff) return Outcome::undecided;
        edge_ = {points_[static_cast<std::size_t>(sector.from.point)],
                 points_[static_cast<std::size_t>(sector.to.point)]};
        beyond_ = tangent;
        return Outcome::refuted;
      }
      const auto index = static_cast<std::int16_t>(point_count_);
      points_[point_count_++] = found;
      const double before = turn(sector.from.way, p);
      const double after = turn(p, sector.to.way);
      if (before > 0.0 && after > 0.0) {
        const End end = end_at(index);
        open(sector.from, end);
        open(end, sector.to);
      } else if (after > 0.0) {
        const double part = before / (before - turn(sector.from.way, b));
        open({p + part * (b - p), sector.from.way, kCutOff}, sector.to);
      } else if (before > 0.0) {
        const double part = after / (after - turn(a, sector.to.way));
        open(sector.from, {p + part * (a - p), sector.to.way, kCutOff});
      } else {
        return Outcome::undecided;
      }
    }
    return Outcome::proven;
  }

  Vector3d normal_;
  double depth_;
  double ball_ = 0.0;                   // r
  double behind_ = 0.0;                 // k
  Vector3d beside_ = Vector3d::Zero();  // v
  std::array<DifferencePoint, kMaxPoints + 3> points_;
  std::size_t point_count_ = 3;
  std::array<Sector, kMaxSectors> sectors_;
  std::size_t sector_count_ = 0;
  std::array<DifferencePoint, 2> edge_;
  Vector3d beyond_ = Vector3d::Zero();
  Outcome outcome_ = Outcome::undecided;
};

}  // namespace abut::detail

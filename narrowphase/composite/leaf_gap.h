// A bound on the signed distance of two leaves from a few directions: what spares the exact solver where leaves overlap
// less than others do. Along any unit direction from a to b, minus the overlap is a lower bound of the signed distance.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/triangle_normal.h>
#include <abut/narrowphase/part.h>

#include <algorithm>
#include <limits>
#include <span>

namespace abut::detail {

/// How far a convex part reaches along a unit direction of the outer frame, metres; no less, whatever rounds.
[[nodiscard]] inline double reach_along(const Part& part, const Pose& frame_from_part, const Vector3d& direction) {
  const Vector3d along = frame_from_part.unrotate(direction);
  double height = -std::numeric_limits<double>::infinity();
  double largest = 0.0;
  const auto add = [&](const Vector3d& point) {
    height = std::max(height, along.dot(point));
    largest = std::max(largest, point.cwiseAbs().sum());
  };
  double radius = part.margin();
  if (part.kind() == kPartKind<Triangle>) {
    for (const Vector3d& point : part.as<Triangle>().points()) add(point);
  } else if (part.kind() == kPartKind<PointSet>) {
    for (const Vector3d& point : part.as<PointSet>().points()) add(point);
  } else {
    const ConvexCore core = part.core();
    add(core.support(along));
    radius = core.radius();
  }
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  const Vector3d& origin = frame_from_part.translation();
  return height + radius + direction.dot(origin) + kRounding * (largest + radius + origin.cwiseAbs().sum());
}

/// Two convex leaves in the frame of one of the bodies.
class LeafGap {
 public:
  /// All four outlive it.
  LeafGap(const Part& a, const Pose& frame_from_a, const Part& b, const Pose& frame_from_b)
      : a_(a), b_(b), frame_from_a_(frame_from_a), frame_from_b_(frame_from_b) {}

  /// Along a unit direction from a to b, metres: the signed distance is at least this.
  [[nodiscard]] double along(const Vector3d& direction) const {
    return -reach_along(b_, frame_from_b_, -direction) - reach_along(a_, frame_from_a_, direction);
  }

  /// The largest along the faces of triangles and the upper faces of prisms, ended where it is more than `enough`.
  [[nodiscard]] double along_faces(double enough) const {
    const double of_a = along_face(a_, frame_from_a_, 1.0, enough);
    return of_a > enough ? of_a : std::max(of_a, along_face(b_, frame_from_b_, -1.0, enough));
  }

 private:
  double along_face(const Part& part, const Pose& frame_from_part, double sign, double enough) const {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const bool is_triangle = part.kind() == kPartKind<Triangle>;
    if (!is_triangle && part.kind() != kPartKind<PointSet>) return kNone;
    const std::span<const Vector3d> points =
        is_triangle ? std::span<const Vector3d>(part.as<Triangle>().points()) : part.as<PointSet>().points();
    Vector3d normal = TriangleNormal(points[0], points[1], points[2]).normal;
    // Beyond these, squares lose what makes a vector a unit one.
    constexpr double kShortest = 1e-140;
    constexpr double kLongest = 1e140;
    const double length = normal.norm();
    if (!(length > kShortest && length < kLongest)) return kNone;
    normal *= sign / length;
    if (!is_triangle && sign * normal.dot(points[0] - points[3]) < 0.0) normal = -normal;
    const Vector3d outwards = frame_from_part.rotate(normal);
    const double gap = along(outwards);
    return !is_triangle || gap > enough ? gap : std::max(gap, along(-outwards));
  }

  const Part& a_;
  const Part& b_;
  const Pose& frame_from_a_;
  const Pose& frame_from_b_;
};

}  // namespace abut::detail

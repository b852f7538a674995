// Checks of contact manifolds that need no reference: every point on both surfaces, the deepest first, and so on.
#pragma once

#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace abut::samples {

/// How far a world point is off the surface of a shape, metres, less what the solver says it may be wrong by.
inline double off_surface(const Shape& shape, const Pose& world_from_body, const Vector3d& point_world) {
  const Shape point(ConvexHull::from_points(std::vector<Vector3d>{Vector3d::Zero()}));
  const Separation s = distance(shape, world_from_body, point, Pose(point_world));
  return std::abs(s.distance) - s.distance_error;
}

struct ManifoldTolerance {
  double surface = 1e-9;   ///< Metres by which points may be off a surface.
  double sideways = 1e-9;  ///< Metres by which point_b may be off the line through point_a along the normal.
  double depth = 1e-9;     ///< Metres between the depth of the first point and of the separation.
};

/// Empty, or what is wrong with a manifold of a and b.
inline std::string manifold_violation(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                      const Separation& s, const ContactManifold& manifold, int max_points,
                                      const ManifoldTolerance& tolerance) {
  std::ostringstream wrong;
  wrong.precision(12);
  const auto points = manifold.points();
  if (points.empty()) return "no point";
  if (points.size() > static_cast<std::size_t>(max_points)) wrong << points.size() << " points; ";
  std::set<std::uint64_t> ids;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& point = points[i];
    std::ostringstream at;
    at << "point " << i << ": ";
    if (!point.point_a.allFinite() || !point.point_b.allFinite() || !std::isfinite(point.distance)) {
      return at.str() + "not finite";
    }
    const Vector3d gap = point.point_b - point.point_a;
    if (!(std::abs(gap.dot(s.normal) - point.distance) <= tolerance.depth)) {
      wrong << at.str() << "gap along the normal " << gap.dot(s.normal) << ", distance " << point.distance << "; ";
    }
    if (!((gap - point.distance * s.normal).norm() <= tolerance.sideways)) {
      wrong << at.str() << "sideways by " << (gap - point.distance * s.normal).norm() << "; ";
    }
    if (!(point.distance >= s.distance - tolerance.depth)) {
      wrong << at.str() << "deeper than the separation: " << point.distance << " < " << s.distance << "; ";
    }
    const double off_a = off_surface(a, pose_a, point.point_a);
    const double off_b = off_surface(b, pose_b, point.point_b);
    if (!(off_a <= tolerance.surface)) wrong << at.str() << "point_a off the surface by " << off_a << "; ";
    if (!(off_b <= tolerance.surface)) wrong << at.str() << "point_b off the surface by " << off_b << "; ";
    if (!ids.insert(point.feature_id).second) wrong << at.str() << "repeated id; ";
  }
  if (!(points[0].distance <= s.distance + tolerance.depth)) {
    wrong << "the first has distance " << points[0].distance << ", the separation " << s.distance << "; ";
  }
  return wrong.str();
}

/// Distance and manifold of a pair, with the checks above.
inline ContactManifold checked_manifold(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                        const ManifoldOptions& options = {}, const ManifoldTolerance& tolerance = {}) {
  const Separation s = distance(a, pose_a, b, pose_b);
  const ContactManifold manifold = contact_manifold(a, pose_a, b, pose_b, s, options);
  EXPECT_EQ(manifold_violation(a, pose_a, b, pose_b, s, manifold, options.max_points, tolerance), "");
  return manifold;
}

/// Whether some point_a of the manifold is at this place.
inline bool has_point_a(const ContactManifold& manifold, const Vector3d& place, double tolerance = 1e-9) {
  return std::any_of(manifold.points().begin(), manifold.points().end(),
                     [&](const ContactPoint& point) { return (point.point_a - place).norm() <= tolerance; });
}

/// Ids of all points.
inline std::set<std::uint64_t> ids_of(const ContactManifold& manifold) {
  std::set<std::uint64_t> ids;
  for (const ContactPoint& point : manifold.points()) ids.insert(point.feature_id);
  return ids;
}

/// Area of the convex hull of the points on a, seen along the normal: the sum over the angle-sorted points about their
/// mean.
inline double support_area(std::span<const ContactPoint> contact, const Vector3d& normal) {
  const Vector3d x = normal.unitOrthogonal();
  const Vector3d y = normal.cross(x);
  std::vector<Eigen::Vector2d> points;
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const ContactPoint& point : contact) {
    points.emplace_back(x.dot(point.point_a), y.dot(point.point_a));
    mean += points.back() / static_cast<double>(contact.size());
  }
  std::sort(points.begin(), points.end(), [&](const Eigen::Vector2d& p, const Eigen::Vector2d& q) {
    return std::atan2(p.y() - mean.y(), p.x() - mean.x()) < std::atan2(q.y() - mean.y(), q.x() - mean.x());
  });
  double twice_area = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector2d& p = points[i];
    const Eigen::Vector2d& q = points[(i + 1) % points.size()];
    twice_area += p.x() * q.y() - p.y() * q.x();
  }
  return 0.5 * twice_area;
}
inline double support_area(const ContactManifold& manifold, const Vector3d& normal) {
  return support_area(manifold.points(), normal);
}

/// Rotation by an angle, radians, about an axis.
inline Quaterniond turned(double angle, const Vector3d& axis) {
  return Quaterniond(Eigen::AngleAxisd(angle, axis.normalized()));
}

}  // namespace abut::samples

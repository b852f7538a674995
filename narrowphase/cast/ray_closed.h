// Rays against shapes with closed forms, each in its body frame.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.3. Departures: quadratics are solved around the
// ray's point nearest to the centre, so that a far origin costs no digits; a capsule is the hull of three intervals.
#pragma once

#include <abut/core/shapes/box.h>
#include <abut/core/shapes/capsule.h>
#include <abut/core/shapes/cone.h>
#include <abut/core/shapes/cylinder.h>
#include <abut/core/shapes/ellipsoid.h>
#include <abut/core/shapes/half_space.h>
#include <abut/core/shapes/sphere.h>
#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::detail {

/// In the body frame, for t in [0, max_t]. The direction is of the order of 1, or zero.
struct LocalRay {
  Vector3d origin;
  Vector3d direction;
  double max_t;

  [[nodiscard]] Vector3d at(double t) const { return origin + t * direction; }
};

/// The part of a line inside a convex set: [enter, leave], empty where that is enter > leave.
struct LineInterval {
  double enter = -std::numeric_limits<double>::infinity();
  double leave = std::numeric_limits<double>::infinity();

  [[nodiscard]] static LineInterval none() { return {1.0, -1.0}; }
  [[nodiscard]] bool is_empty() const { return !(enter <= leave); }
};

[[nodiscard]] inline LineInterval intersection(const LineInterval& p, const LineInterval& q) {
  return {std::max(p.enter, q.enter), std::min(p.leave, q.leave)};
}

/// The smallest interval around both; of pieces of one convex set, their union.
[[nodiscard]] inline LineInterval hull(const LineInterval& p, const LineInterval& q) {
  if (p.is_empty()) return q;
  if (q.is_empty()) return p;
  return {std::min(p.enter, q.enter), std::max(p.leave, q.leave)};
}

/// Where lower <= origin + t direction <= upper.
[[nodiscard]] inline LineInterval slab(double origin, double direction, double lower, double upper) {
  if (direction == 0.0) return lower <= origin && origin <= upper ? LineInterval() : LineInterval::none();
  const double t0 = (lower - origin) / direction;
  const double t1 = (upper - origin) / direction;
  return {std::min(t0, t1), std::max(t0, t1)};
}

/// Where |origin + t direction| <= radius, in as many dimensions as the vectors have.
template <class Vector>
[[nodiscard]] LineInterval ball(const Vector& origin, const Vector& direction, double radius) {
  const double direction_sq = direction.squaredNorm();
  if (!(direction_sq > 0.0)) return origin.squaredNorm() <= radius * radius ? LineInterval() : LineInterval::none();
  const double nearest_t = -origin.dot(direction) / direction_sq;
  const Vector nearest = origin + nearest_t * direction;
  const double half_sq = radius * radius - nearest.squaredNorm();
  if (!(half_sq >= 0.0)) return LineInterval::none();
  const double half = std::sqrt(half_sq / direction_sq);
  return {nearest_t - half, nearest_t + half};
}

[[nodiscard]] inline LineInterval inside(const Sphere& shape, double margin, const LocalRay& ray) {
  return ball(ray.origin, ray.direction, shape.radius() + margin);
}
[[nodiscard]] inline Vector3d normal_at(const Sphere&, const Vector3d& point) {
  return point;
}

[[nodiscard]] inline LineInterval inside(const Box& shape, double, const LocalRay& ray) {
  const Vector3d& half = shape.half_extents();
  if ((ray.direction.array() != 0.0).all()) {  // without a branch for each axis
    const Vector3d t0 = (-half - ray.origin).cwiseQuotient(ray.direction);
    const Vector3d t1 = (half - ray.origin).cwiseQuotient(ray.direction);
    const Vector3d enter = t0.cwiseMin(t1);
    const Vector3d leave = t0.cwiseMax(t1);
    return {std::max(std::max(enter.x(), enter.y()), enter.z()), std::min(std::min(leave.x(), leave.y()), leave.z())};
  }
  LineInterval result;
  for (int i = 0; i < 3; ++i) {
    result = intersection(result, slab(ray.origin[i], ray.direction[i], -half[i], half[i]));
  }
  return result;
}
[[nodiscard]] inline Vector3d normal_at(const Box& shape, const Vector3d& point) {
  const Vector3d beyond = point.cwiseAbs() - shape.half_extents();
  const double most = std::max(std::max(beyond.x(), beyond.y()), beyond.z());
  const bool is_x = beyond.x() == most;
  const bool is_y = !is_x && beyond.y() == most;
  const Vector3d axis(is_x, is_y, !is_x && !is_y);
  return {std::copysign(axis.x(), point.x()), std::copysign(axis.y(), point.y()), std::copysign(axis.z(), point.z())};
}

[[nodiscard]] inline LineInterval inside(const Capsule& shape, double margin, const LocalRay& ray) {
  const double radius = shape.radius() + margin;
  const Vector3d end(0.0, 0.0, shape.half_length());
  const Eigen::Vector2d origin = ray.origin.head<2>();
  const Eigen::Vector2d direction = ray.direction.head<2>();
  const LineInterval tube =
      intersection(ball(origin, direction, radius), slab(ray.origin.z(), ray.direction.z(), -end.z(), end.z()));
  const LineInterval balls = hull(ball(Vector3d(ray.origin - end), ray.direction, radius),
                                  ball(Vector3d(ray.origin + end), ray.direction, radius));
  return hull(tube, balls);
}
[[nodiscard]] inline Vector3d normal_at(const Capsule& shape, const Vector3d& point) {
  return {point.x(), point.y(), point.z() - std::clamp(point.z(), -shape.half_length(), shape.half_length())};
}

[[nodiscard]] inline LineInterval inside(const Cylinder& shape, double, const LocalRay& ray) {
  const Eigen::Vector2d origin = ray.origin.head<2>();
  const Eigen::Vector2d direction = ray.direction.head<2>();
  return intersection(ball(origin, direction, shape.radius()),
                      slab(ray.origin.z(), ray.direction.z(), -shape.half_length(), shape.half_length()));
}
[[nodiscard]] inline Vector3d normal_at(const Cylinder& shape, const Vector3d& point) {
  const double beyond_side = std::hypot(point.x(), point.y()) - shape.radius();
  if (std::abs(point.z()) - shape.half_length() > beyond_side) return {0.0, 0.0, std::copysign(1.0, point.z())};
  return {point.x(), point.y(), 0.0};
}

/// Of the lower half of the double cone: |(x, y)| <= k (l - z), k = r / 2l. Squared, a quadratic in t that also holds
/// on the upper half, which is left out.
[[nodiscard]] inline LineInterval inside(const Cone& shape, double, const LocalRay& ray) {
  const double half = shape.half_length();
  const Eigen::Vector2d origin = ray.origin.head<2>();
  const Eigen::Vector2d direction = ray.direction.head<2>();
  const LineInterval height = slab(ray.origin.z(), ray.direction.z(), -half, half);
  if (!(half > 0.0)) return intersection(height, ball(origin, direction, shape.radius()));
  // Around the point of the ray nearest to the middle of the axis.
  const double direction_sq = ray.direction.squaredNorm();
  const double shift = direction_sq > 0.0 ? -ray.origin.dot(ray.direction) / direction_sq : 0.0;
  const Vector3d middle = ray.at(shift);
  const double slope = 0.5 * shape.radius() / half;
  const double width = slope * (half - middle.z());
  const double rate = -slope * ray.direction.z();
  const double a = direction.squaredNorm() - rate * rate;
  const double b = middle.head<2>().dot(direction) - width * rate;
  const double c = middle.head<2>().squaredNorm() - width * width;
  LineInterval side;
  if (!(direction_sq > 0.0)) {
    side = middle.head<2>().norm() <= width ? LineInterval() : LineInterval::none();
  } else {
    const double root_sq = b * b - a * c;
    const double root = root_sq > 0.0 ? std::sqrt(root_sq) : 0.0;
    // Both roots without cancellation: q / a and c / q.
    const double q = -(b + std::copysign(root, b));
    if (a > 0.0) {
      if (root_sq < 0.0) return LineInterval::none();
      const double t0 = q / a;
      const double t1 = q != 0.0 ? c / q : t0;
      // Both roots lie on one half.
      side = width + rate * 0.5 * (t0 + t1) >= 0.0 ? LineInterval{std::min(t0, t1), std::max(t0, t1)}
                                                   : LineInterval::none();
    } else {
      // The roots lie on different halves, and the part on the lower one goes on for ever.
      const double t0 = a < 0.0 ? q / a : std::numeric_limits<double>::quiet_NaN();
      const double t1 = q != 0.0 ? c / q : t0;
      double end = t1;
      if (a < 0.0) end = rate > 0.0 ? std::max(t0, t1) : std::min(t0, t1);
      if (!(a < 0.0) && q == 0.0) {  // along a line of the surface, or beside it
        if (c > 0.0) return LineInterval::none();
        end = -width / rate;
      }
      (rate > 0.0 ? side.enter : side.leave) = end;
    }
    side.enter += shift;
    side.leave += shift;
  }
  return intersection(side, height);
}
[[nodiscard]] inline Vector3d normal_at(const Cone& shape, const Vector3d& point) {
  const double half = shape.half_length();
  if (!(half > 0.0)) return {0.0, 0.0, std::copysign(1.0, point.z())};
  const double radial = std::hypot(point.x(), point.y());
  const double length = std::hypot(2.0 * half, shape.radius());
  const double beyond_side = (2.0 * half * radial - shape.radius() * (half - point.z())) / length;
  if (-point.z() - half > beyond_side) return -Vector3d::UnitZ();
  if (!(radial > 0.0)) return Vector3d::UnitZ();  // the apex
  return {2.0 * half * point.x() / radial, 2.0 * half * point.y() / radial, shape.radius()};
}

[[nodiscard]] inline LineInterval inside(const Ellipsoid& shape, double, const LocalRay& ray) {
  return ball(Vector3d(ray.origin.cwiseQuotient(shape.radii())), Vector3d(ray.direction.cwiseQuotient(shape.radii())),
              1.0);
}
[[nodiscard]] inline Vector3d normal_at(const Ellipsoid& shape, const Vector3d& point) {
  // Scaled by the least radius, so that tiny radii overflow nothing.
  const double least = shape.radii().minCoeff();
  return point.cwiseQuotient(shape.radii()).cwiseProduct((least / shape.radii().array()).matrix());
}

[[nodiscard]] inline LineInterval inside(const HalfSpace& shape, double margin, const LocalRay& ray) {
  const double above = shape.normal().dot(ray.origin) - shape.offset() - margin;
  const double rate = shape.normal().dot(ray.direction);
  if (rate == 0.0) return above <= 0.0 ? LineInterval() : LineInterval::none();
  LineInterval result;
  (rate < 0.0 ? result.enter : result.leave) = -above / rate;
  return result;
}
[[nodiscard]] inline Vector3d normal_at(const HalfSpace& shape, const Vector3d&) {
  return shape.normal();
}

}  // namespace abut::detail

// Rays against shapes with closed forms, each in its body frame.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.3. Departures: quadratics are solved around the
// ray's point nearest to the centre, of a cone to its apex, so that a far origin costs no digits; a capsule is the hull
// of three intervals; normals are those of the face, side or cap by which the ray enters, which at edges is no face by
// which it leaves.
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
[[nodiscard]] inline Vector3d normal_at(const Sphere&, const LocalRay& ray, double t) {
  return ray.at(t);
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
[[nodiscard]] inline Vector3d normal_at(const Box& shape, const LocalRay& ray, double t) {
  // Of the faces against the ray, the one that the point is farthest beyond.
  const Vector3d point = ray.at(t);
  Vector3d beyond;
  for (int i = 0; i < 3; ++i) {
    const double outwards = ray.direction[i] > 0.0 ? -point[i] : point[i];
    beyond[i] = ray.direction[i] != 0.0 ? outwards - shape.half_extents()[i] : -std::numeric_limits<double>::infinity();
  }
  const double most = std::max(std::max(beyond.x(), beyond.y()), beyond.z());
  const bool is_x = beyond.x() == most;
  const bool is_y = !is_x && beyond.y() == most;
  const Vector3d axis(is_x, is_y, !is_x && !is_y);
  return {std::copysign(axis.x(), -ray.direction.x()), std::copysign(axis.y(), -ray.direction.y()),
          std::copysign(axis.z(), -ray.direction.z())};
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
[[nodiscard]] inline Vector3d normal_at(const Capsule& shape, const LocalRay& ray, double t) {
  const Vector3d point = ray.at(t);
  return {point.x(), point.y(), point.z() - std::clamp(point.z(), -shape.half_length(), shape.half_length())};
}

/// Of the endless tube around a cylinder, and between the planes of its caps.
[[nodiscard]] inline LineInterval inside_tube(double radius, const LocalRay& ray) {
  return ball(Eigen::Vector2d(ray.origin.head<2>()), Eigen::Vector2d(ray.direction.head<2>()), radius);
}
[[nodiscard]] inline LineInterval inside_caps(double half_length, const LocalRay& ray) {
  return slab(ray.origin.z(), ray.direction.z(), -half_length, half_length);
}
/// Of the cap by which a ray enters.
[[nodiscard]] inline Vector3d cap_normal(const LocalRay& ray) {
  return {0.0, 0.0, -std::copysign(1.0, ray.direction.z())};
}

[[nodiscard]] inline LineInterval inside(const Cylinder& shape, double, const LocalRay& ray) {
  return intersection(inside_tube(shape.radius(), ray), inside_caps(shape.half_length(), ray));
}
[[nodiscard]] inline Vector3d normal_at(const Cylinder& shape, const LocalRay& ray, double t) {
  if (inside_caps(shape.half_length(), ray).enter >= inside_tube(shape.radius(), ray).enter) return cap_normal(ray);
  const Vector3d point = ray.at(t);
  return {point.x(), point.y(), 0.0};
}

/// Thinner than rounding: only the cap is left.
[[nodiscard]] inline bool is_disc(const Cone& shape) {
  return shape.half_length() <= 1e-15 * shape.radius();
}

/// Of the endless lower half of the double cone through the side: |(x, y)| <= k (l - z), k = r / 2l > 0. Squared, a
/// quadratic in t that also holds on the upper half, which is left out.
[[nodiscard]] inline LineInterval inside_side(const Cone& shape, const LocalRay& ray) {
  const double half = shape.half_length();
  const Eigen::Vector2d direction = ray.direction.head<2>();
  // From the apex, around the point of the ray nearest to it.
  const double direction_sq = ray.direction.squaredNorm();
  const Vector3d from_apex = ray.origin - Vector3d(0.0, 0.0, half);
  const double shift = direction_sq > 0.0 ? -from_apex.dot(ray.direction) / direction_sq : 0.0;
  const Vector3d middle = from_apex + shift * ray.direction;
  const double slope = 0.5 * shape.radius() / half;
  const double width = -slope * middle.z();
  if (!(direction_sq > 0.0)) return middle.head<2>().norm() <= width ? LineInterval() : LineInterval::none();
  const double rate = -slope * ray.direction.z();
  const double a = direction.squaredNorm() - rate * rate;
  const double b = middle.head<2>().dot(direction) - width * rate;
  const double c = middle.head<2>().squaredNorm() - width * width;
  // b b - a c, without the squares that cancel where a cone is flat or a needle.
  const double across = std::abs(middle.x() * direction.y() - middle.y() * direction.x());
  const double along = slope * (ray.direction.z() * middle.head<2>() - middle.z() * direction).norm();
  const double root_sq = (along - across) * (along + across);
  const double root = root_sq > 0.0 ? std::sqrt(root_sq) : 0.0;
  // Both roots without cancellation: q / a and c / q.
  const double q = -(b + std::copysign(root, b));
  LineInterval side;
  constexpr double kParallel = 4.0 * std::numeric_limits<double>::epsilon();
  if (std::abs(a) <= kParallel * (direction.squaredNorm() + rate * rate)) {
    // Parallel to a line of the surface to rounding: one root is far away, on a side that only rounding tells. The
    // other lies on the lower half, and what is below it is inside, or on the upper half, and none of the lower one is
    // met.
    constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
    double end = 0.0;  // along that line to rounding: from the apex on
    if (middle.norm() > kRounding * (from_apex.norm() + half)) {
      end = q != 0.0 ? c / q : -width / rate;
      if (q == 0.0 && c > 0.0) return LineInterval::none();
      if (!(width + rate * end >= -kRounding * (std::abs(width) + std::abs(rate * end)))) return LineInterval::none();
    }
    (rate > 0.0 ? side.enter : side.leave) = end;
  } else if (a > 0.0) {
    if (root_sq < 0.0) return LineInterval::none();
    const double t0 = q / a;
    const double t1 = q != 0.0 ? c / q : t0;
    // Both roots lie on one half.
    if (!(width + rate * 0.5 * (t0 + t1) >= 0.0)) return LineInterval::none();
    side = {std::min(t0, t1), std::max(t0, t1)};
  } else {
    // The roots lie on different halves, and the part on the lower one goes on for ever.
    const double t0 = q / a;
    const double t1 = q != 0.0 ? c / q : t0;
    (rate > 0.0 ? side.enter : side.leave) = rate > 0.0 ? std::max(t0, t1) : std::min(t0, t1);
  }
  side.enter += shift;
  side.leave += shift;
  return side;
}

[[nodiscard]] inline LineInterval inside(const Cone& shape, double, const LocalRay& ray) {
  // The tube is wider than the cone, but well known where this is flat.
  const LineInterval around = intersection(inside_caps(shape.half_length(), ray), inside_tube(shape.radius(), ray));
  return is_disc(shape) ? around : intersection(inside_side(shape, ray), around);
}
[[nodiscard]] inline Vector3d normal_at(const Cone& shape, const LocalRay& ray, double t) {
  const double half = shape.half_length();
  if (is_disc(shape)) {
    if (inside_caps(half, ray).enter >= inside_tube(shape.radius(), ray).enter) return cap_normal(ray);
    const Vector3d point = ray.at(t);
    return {point.x(), point.y(), 0.0};
  }
  const bool is_upwards = ray.direction.z() > 0.0;
  if (is_upwards && inside_caps(half, ray).enter >= inside_side(shape, ray).enter) return -Vector3d::UnitZ();
  const auto normal_towards = [&](const Eigen::Vector2d& outwards) -> Vector3d {
    const double length = outwards.norm();
    if (!(length > 0.0)) return Vector3d::UnitZ();  // down the axis
    return {2.0 * half * outwards.x() / length, 2.0 * half * outwards.y() / length, shape.radius()};
  };
  const Eigen::Vector2d outwards = ray.at(t).head<2>();
  const Vector3d normal = normal_towards(outwards);
  constexpr double kApex = 1e-9;  // of the radius: nearer to the axis, rounding may have chosen the other side
  if (normal.dot(ray.direction) > 0.0 && outwards.norm() <= kApex * shape.radius()) {
    return normal_towards(-ray.direction.head<2>());
  }
  return normal;
}

[[nodiscard]] inline LineInterval inside(const Ellipsoid& shape, double, const LocalRay& ray) {
  return ball(Vector3d(ray.origin.cwiseQuotient(shape.radii())), Vector3d(ray.direction.cwiseQuotient(shape.radii())),
              1.0);
}
[[nodiscard]] inline Vector3d normal_at(const Ellipsoid& shape, const LocalRay& ray, double) {
  // Where the ray enters the unit ball: from the middle of the chord, which loses no digits of a short one.
  const Vector3d origin = ray.origin.cwiseQuotient(shape.radii());
  const Vector3d along = ray.direction.cwiseQuotient(shape.radii()).stableNormalized();
  const Vector3d middle = origin - origin.dot(along) * along;
  const Vector3d point = middle - std::sqrt(std::max(1.0 - middle.squaredNorm(), 0.0)) * along;
  // Scaled by the least radius, so that tiny radii overflow nothing.
  return point.cwiseProduct((shape.radii().minCoeff() / shape.radii().array()).matrix());
}

[[nodiscard]] inline LineInterval inside(const HalfSpace& shape, double margin, const LocalRay& ray) {
  const double above = shape.normal().dot(ray.origin) - shape.offset() - margin;
  const double rate = shape.normal().dot(ray.direction);
  if (rate == 0.0) return above <= 0.0 ? LineInterval() : LineInterval::none();
  LineInterval result;
  (rate < 0.0 ? result.enter : result.leave) = -above / rate;
  return result;
}
[[nodiscard]] inline Vector3d normal_at(const HalfSpace& shape, const LocalRay&, double) {
  return shape.normal();
}

}  // namespace abut::detail

// A rigid motion of the plane.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>

#include <cmath>

namespace abut::planar {

using Eigen::Vector2d;

/// Rotation and translation, named by its frames (world_from_body). The rotation is held as cosine and sine, so that no
/// query computes them.
struct Pose {
  Vector2d translation = Vector2d::Zero();  ///< Metres.
  double cos = 1.0;                         ///< Of the angle; cos² + sin² = 1.
  double sin = 0.0;

  /// The identity.
  Pose() = default;
  /// @param place  Origin of the inner frame in the outer one, metres. @param angle  Radians, counter-clockwise.
  /// @throws InvalidInput  naming "translation" or "rotation" when a value is not finite.
  Pose(const Vector2d& place, double angle) : translation(place), cos(std::cos(angle)), sin(std::sin(angle)) {
    require_finite("rotation", angle);
    for (int i = 0; i < 2; ++i) {
      if (!std::isfinite(place[i])) throw InvalidInput("translation", i, "must be finite", place[i]);
    }
  }

  /// Radians, in (-π, π].
  [[nodiscard]] double angle() const { return std::atan2(sin, cos); }

  /// Maps a direction.
  [[nodiscard]] Vector2d rotate(const Vector2d& v) const {
    return {cos * v.x() - sin * v.y(), sin * v.x() + cos * v.y()};
  }
  /// Maps a direction of the outer frame into the inner one.
  [[nodiscard]] Vector2d unrotate(const Vector2d& v) const {
    return {cos * v.x() + sin * v.y(), cos * v.y() - sin * v.x()};
  }
  friend Vector2d operator*(const Pose& outer_from_inner, const Vector2d& point) {
    // Component by component: a sum of vectors would wait for the rotated one to pass through memory.
    const Pose& pose = outer_from_inner;
    return {pose.cos * point.x() - pose.sin * point.y() + pose.translation.x(),
            pose.sin * point.x() + pose.cos * point.y() + pose.translation.y()};
  }

  /// a_from_b of two poses in one world; nothing is lost far from the origin.
  [[nodiscard]] static Pose relative(const Pose& world_from_a, const Pose& world_from_b) {
    Pose a_from_b;
    a_from_b.translation = world_from_a.unrotate(world_from_b.translation - world_from_a.translation);
    a_from_b.cos = world_from_a.cos * world_from_b.cos + world_from_a.sin * world_from_b.sin;
    a_from_b.sin = world_from_a.cos * world_from_b.sin - world_from_a.sin * world_from_b.cos;
    return a_from_b;
  }
};

}  // namespace abut::planar

// Shapes of the plane: convex polygons, circles and capsules, each with a margin.
#pragma once

#include <Eigen/Core>

#include <span>
#include <string_view>
#include <vector>

namespace abut::planar {

using Eigen::Vector2d;

/// A rigid motion of the plane: world_from_body.
struct Pose {
  Vector2d translation = Vector2d::Zero();  ///< Metres.
  double angle = 0.0;                       ///< Radians, counter-clockwise.
};

/// A convex polygon, segment or point (its core), grown by a radius; a small immutable value.
class Shape {
 public:
  // Each throws InvalidInput naming the field; lengths in metres; margin finite and >= 0.

  /// Disc at the origin. @param radius  Finite and > 0.
  static Shape circle(double radius, double margin = 0.0);
  /// Points within `radius` of the segment (±half_length, 0). @param radius  Finite and > 0. @param half_length  >= 0.
  static Shape capsule(double radius, double half_length, double margin = 0.0);
  /// Filled polygon. @param points  Convex, in order around it, either sense; repeated and collinear ones are dropped.
  static Shape polygon(std::span<const Vector2d> points, double margin = 0.0);

  /// Corners of the core, counter-clockwise; two for a capsule, one for a circle.
  [[nodiscard]] std::span<const Vector2d> corners() const { return corners_; }
  /// Radius and margin together, metres.
  [[nodiscard]] double radius() const { return radius_; }

 private:
  Shape(std::vector<Vector2d> corners, double radius) : corners_(std::move(corners)), radius_(radius) {}

  std::vector<Vector2d> corners_;
  double radius_;
};

}  // namespace abut::planar

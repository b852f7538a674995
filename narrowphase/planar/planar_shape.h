// Shapes of the plane: convex polygons, circles and capsules, each with a margin.
#pragma once

#include <abut/narrowphase/planar/outline.h>
#include <abut/narrowphase/planar/planar_pose.h>

#include <Eigen/Core>

#include <memory>
#include <span>
#include <utility>

namespace abut::planar {

/// A convex polygon, segment or point (its core), grown by a radius; a small immutable value, copies share the corners.
class Shape {
 public:
  // Each throws InvalidInput naming the field; lengths in metres; margin finite and >= 0.

  /// Disc at the origin. @param radius  Finite and > 0.
  static Shape circle(double radius, double margin = 0.0);
  /// Points within `radius` of the segment (±half_length, 0). @param radius  Finite and > 0. @param half_length  >= 0.
  static Shape capsule(double radius, double half_length, double margin = 0.0);
  /// Filled polygon, rounded by the margin. @param points  Convex, in order around it, either sense; repeated and
  /// collinear ones are dropped.
  static Shape polygon(std::span<const Vector2d> points, double margin = 0.0);
  /// The convex hull of points in any order, rounded by the margin. @param points  Finite, not all on one line.
  static Shape hull(std::span<const Vector2d> points, double margin = 0.0);

  /// Corners of the core, counter-clockwise; two for a capsule, one for a circle.
  [[nodiscard]] std::span<const Vector2d> corners() const { return outline_->corners(); }
  /// Radius and margin together, metres.
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] const detail::Outline& outline() const { return *outline_; }

 private:
  Shape(std::shared_ptr<const detail::Outline> outline, double radius)
      : outline_(std::move(outline)), radius_(radius) {}

  std::shared_ptr<const detail::Outline> outline_;
  double radius_;
};

}  // namespace abut::planar

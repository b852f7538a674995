// Padded polygon: all points within a radius of a filled convex polygon in the body's plane z = 0.
// Source: Tracy et al., "DiffPills: Differentiable Collision Detection for Capsules and Padded Polygons".
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

namespace abut {

using Eigen::Vector3d;

class PaddedPolygon {
 public:
  /// @param points  Corners in order around the polygon, either sense, at least three, metres, finite. The polygon must
  ///                be convex; repeated and collinear corners are dropped. It may not be flat (of zero area).
  /// @param radius  Metres, finite and >= 0.
  /// @throws InvalidInput
  PaddedPolygon(std::span<const Eigen::Vector2d> points, double radius);

  /// Corners, counter-clockwise seen from +z, no three of them collinear.
  [[nodiscard]] std::span<const Eigen::Vector2d> points() const { return *points_; }
  [[nodiscard]] double radius() const { return radius_; }

  [[nodiscard]] double sweep_radius() const { return radius_; }
  /// Mean of the corners.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// The core is the flat polygon.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const;

 private:
  std::shared_ptr<const std::vector<Eigen::Vector2d>> points_;
  double radius_;
  Vector3d center_;
};

}  // namespace abut

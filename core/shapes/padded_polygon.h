// Padded polygon: all points within a radius of a filled convex polygon in the body's plane z = 0.
// Source: Tracy et al., "DiffPills: Differentiable Collision Detection for Capsules and Padded Polygons", section IV.
#pragma once

#include <abut/core/half_plane_polygon.h>

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

using Eigen::Vector3d;

class PaddedPolygon {
 public:
  static constexpr std::size_t kMostContactCorners = 32;

  /// @param points  Corners in order around the polygon, either sense, at least three, metres, finite. The polygon must
  ///                be convex; repeated and collinear corners are dropped. It may not be flat (of zero area).
  /// @param radius  Metres, finite and >= 0.
  /// @throws InvalidInput
  PaddedPolygon(std::span<const Eigen::Vector2d> points, double radius);

  /// The polygon C y <= d (DiffPills, eq. 29), given by its rows in any order.
  /// @param half_planes  Finite; normals of any length but not zero. Rows that bound nothing are dropped.
  /// @param radius       Metres, finite and >= 0.
  /// @throws InvalidInput  naming "normals[i]" or "offsets[i]"; naming "half_planes" where they leave no point, a set
  ///                       of no area, or one without bound.
  [[nodiscard]] static PaddedPolygon from_half_planes(std::span<const HalfPlane> half_planes, double radius);

  /// Corners, counter-clockwise seen from +z, no three of them collinear.
  [[nodiscard]] std::span<const Eigen::Vector2d> points() const { return outline_->points; }
  /// One for each corner, with unit normals: side i goes from points()[i] to the next corner.
  [[nodiscard]] std::span<const HalfPlane> sides() const { return outline_->sides; }
  /// Places among points() of those that contact patches use, ascending: no more than kMostContactCorners. Of more the
  /// ones are left out without which the polygon loses least area.
  [[nodiscard]] std::span<const std::uint32_t> contact_corners() const { return outline_->contact_corners; }
  [[nodiscard]] double radius() const { return radius_; }

  [[nodiscard]] double sweep_radius() const { return radius_; }
  /// Mean of the corners.
  [[nodiscard]] Vector3d center() const { return center_; }
  /// Largest distance of a corner from the center, metres.
  [[nodiscard]] double reach() const { return outline_->reach; }
  /// The core is the flat polygon.
  [[nodiscard]] Vector3d core_support(const Vector3d& direction) const {
    const Eigen::Vector2d& corner = outline_->points[support_vertex(direction)];
    return {corner.x(), corner.y(), 0.0};
  }
  /// Of a corner that is farthest along a direction: its place among points().
  [[nodiscard]] std::uint32_t support_vertex(const Vector3d& direction) const;

 private:
  struct Outline {
    std::vector<Eigen::Vector2d> points;
    std::vector<HalfPlane> sides;
    std::vector<std::uint32_t> contact_corners;
    double reach = 0.0;
  };

  std::shared_ptr<const Outline> outline_;
  double radius_;
  Vector3d center_;
};

}  // namespace abut

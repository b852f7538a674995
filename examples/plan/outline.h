// Shapes seen from one side, as polygons.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <Eigen/Core>

#include <vector>

namespace abut::plan {

using Eigen::Vector2d;
using Polygon = std::vector<Vector2d>;  ///< Convex, counter-clockwise, metres.

/// A parallel projection onto two unit axes of the world, square to each other.
struct View {
  Vector3d right;
  Vector3d up;

  [[nodiscard]] Vector2d of(const Vector3d& point_world) const { return {right.dot(point_world), up.dot(point_world)}; }
};

/// The outline of a convex shape, by its support points in many directions of the view; of each child of a compound; of
/// the hull of a mesh; of a height field's box. Nothing for what is unbounded.
[[nodiscard]] std::vector<Polygon> outlines(const Shape& shape, const Pose& world_from_shape, const View& view);

}  // namespace abut::plan

// A cloud of points as a shape: the points of a depth camera, each grown to a ball.
#pragma once

#include <abut/core/shape.h>

#include <span>

namespace abut {

/// @param points  At least one, metres, finite. @param radius  Of each, metres, > 0.
/// @return A compound of balls under a tree: some 300 bytes a point. @throws InvalidInput  naming points[i] or radius.
[[nodiscard]] Shape point_cloud(std::span<const Vector3d> points, double radius);

}  // namespace abut

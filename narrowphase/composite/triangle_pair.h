// Two triangles against each other, quickly and with room for rounding: what spares the exact solver.
#pragma once

#include <abut/core/pose.h>

#include <array>
#include <cstdint>

namespace abut::detail {

using TriangleCorners = std::array<Vector3d, 3>;

/// A lower bound on the signed distance of two triangles, metres: the largest gap along their normals and the products
/// of their edges (separating axes), less what rounding may have added. Where they overlap it is minus their
/// penetration depth but for rounding; apart it may be less than the distance by the part of it that no such axis sees.
/// @param enough  The search ends at a gap above this.
/// Any coordinates below 1e100; degenerate triangles have fewer axes, hence a lower bound.
[[nodiscard]] double triangle_gap(const TriangleCorners& a, const TriangleCorners& b, double enough);

/// A lower bound on the distance of two triangles that are apart, metres: the least over the pairs of their edges and
/// over the corners above their faces, less room for rounding. Right to 1e-7 of their size, so that few pairs are left
/// to the exact solver. Meaningless where they intersect.
[[nodiscard]] double triangle_distance_bound(const TriangleCorners& a, const TriangleCorners& b);

/// A triangle with a ball around it.
struct BallTriangle {
  TriangleCorners corners;
  Vector3d center;
  double radius;
  std::uint32_t item;

  BallTriangle() = default;
  BallTriangle(const TriangleCorners& points, std::uint32_t index);

  /// The balls are farther apart than `limit` >= 0.
  [[nodiscard]] bool is_beyond(const BallTriangle& other, double limit) const {
    const double reach = radius + other.radius + limit;
    return (other.center - center).squaredNorm() > reach * reach;
  }
};

}  // namespace abut::detail

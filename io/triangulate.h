// Cuts a polygon in space into triangles.
// Source: Ericson, Real-Time Collision Detection (2005), section 12.5.2 (ear clipping).
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Appends the triangles of a simple polygon, convex or not, in its sense: two fewer than it has corners. Of a polygon
/// that crosses itself or has no area, some triangles with the same corners. Fewer than three corners give nothing.
/// @param vertices  Metres. @param polygon  Indices into them, in order around the polygon, nearly in a plane.
void triangulate(std::span<const Eigen::Vector3d> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace abut::detail

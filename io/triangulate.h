// Cuts a polygon in space into triangles.
// Source: Ericson, Real-Time Collision Detection (2005), section 12.5.2 (ear clipping). Departures: exact signs, and a
// cut of least area where rounding leaves no ear.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Appends the triangles of a simple polygon, convex or not, in its sense: two fewer than it has corners. Corners may
/// lie on a line or in one place, and the outline may touch itself, as where it goes to a hole and back. Together the
/// triangles are the polygon, up to the rounding of its coordinates (1e-15 of its extent). Of a polygon that crosses
/// itself or has no area, some triangles with the same corners. Fewer than three corners give nothing.
/// @param vertices  Metres, finite. @param polygon  Indices into them, in order around the polygon, nearly in a plane.
/// @return False, and only some of the triangles, where the polygon crosses itself and more than 256 corners are left
///         once all ears are clipped.
[[nodiscard]] bool triangulate(std::span<const Eigen::Vector3d> vertices, std::span<const std::uint32_t> polygon,
                               std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace abut::detail

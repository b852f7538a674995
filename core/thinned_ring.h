// Thinning of a ring of corners: those are kept without which it would lose most of its area.
// Source: Visvalingam and Whyatt, "Line generalisation by repeated elimination of points" (1993).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Drops the corner that makes the smallest triangle with its neighbours until no more than `most` are left and none
/// makes a triangle below an area, or but three are.
/// @param ring  A closed polygon, in space; metres. @param most  At least 3.
/// @param least_twice_area  Square metres.
/// @return Places in the ring of the corners that are left, ascending.
[[nodiscard]] std::vector<std::uint32_t> thinned_ring(std::span<const Eigen::Vector3d> ring, std::size_t most,
                                                      double least_twice_area = 0.0);

}  // namespace abut::detail

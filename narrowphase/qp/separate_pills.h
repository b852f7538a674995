// The separation of two capsules or padded polygons by the quadratic program, for whoever forces that solver.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <optional>

namespace abut::detail {

/// @param a, b  has_proximity(a, b).
/// @return Frame of a. Nothing where the cores touch or cross: the program knows no depth beyond the radii.
[[nodiscard]] std::optional<Separation> separate_pills(const Shape& a, const Shape& b, const Pose& a_from_b);

}  // namespace abut::detail

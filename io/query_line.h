// A query as one line of JSON, so that `abut query` asks it again, bit for bit.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/unconverged.h>

#include <string>
#include <string_view>

namespace abut {

/// A distance query of the query format, without a line end: the answer to the line is that of distance() with these
/// arguments, to the last bit. What the format has no field for, an early stop, another iteration limit and a warm
/// start, goes into the field "replay", which is left out where there is none of them; other readers ignore it.
/// @param start  The pair's memory before the query; it counts as it does in distance().
/// @throws InvalidInput  naming a.pose or b.pose, whose values must be finite, or "solver": nesterov_unnormalised has
/// no
///                       name in the format.
[[nodiscard]] std::string query_line(std::string_view id, const Shape& a, const Pose& world_from_a, const Shape& b,
                                     const Pose& world_from_b, const DistanceOptions& options = {},
                                     const PairCache* start = nullptr);

/// The line of a pair that did not converge in a scene's last step: a cold query without an early stop where that gives
/// the same answer, else with all that the solver was given. "expected" carries the answer of the step.
[[nodiscard]] std::string query_line(std::string_view id, const Scene& scene, const UnconvergedPair& unconverged);

}  // namespace abut

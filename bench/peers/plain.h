// abut's shapes and poses as the plain numbers that the comparisons take.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <span>
#include <vector>

#include "../pair_sets.h"
#include "peer.h"

namespace abut::peers {

/// @param shape  One of Kind, without margin; it must outlive the result, whose support function refers to it.
/// @throws InvalidInput  for any other shape.
[[nodiscard]] PlainShape plain(const Shape& shape);
/// The same of several, of which those that share a hull still do.
[[nodiscard]] std::vector<PlainShape> plain(std::span<const Shape> shapes);
[[nodiscard]] PlainPose plain(const Pose& world_from_body);
[[nodiscard]] PlainPair plain(const bench::PosedPair& pair);
[[nodiscard]] Pose pose_of(const PlainPose& world_from_body);

}  // namespace abut::peers

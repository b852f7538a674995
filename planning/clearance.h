// How near a configuration comes to collision, and how that changes with it.
#pragma once

#include <abut/planning/checked_world.h>

#include <span>

namespace abut::detail {

/// The nearest pair of a configuration, at the frames of the state.
struct NearestPair {
  bool is_found = false;  ///< There is a pair.
  CheckedPieces pair{};
  Separation separation;  ///< Root frame.
};
[[nodiscard]] NearestPair nearest_pair(CheckerState& state);

/// Derivative of a pair's distance by the configuration, from its separation at the frames of the state.
/// @param gradient  Written: one number a variable.
void distance_gradient(const CheckerState& state, const CheckedPieces& pair, const Separation& separation,
                       std::span<double> gradient);

}  // namespace abut::detail

// One configuration: which pairs collide. Two tiers: balls decide what they can prove, the narrow phase the rest.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/planning/checked_world.h>

#include <optional>

namespace abut::detail {

/// Puts the frames of the state where a configuration has them.
void place_frames(CheckerState& state, const double* configuration);

/// A pair that collides in the configuration that the frames stand for, or nothing. Which of several depends on the
/// configuration alone.
[[nodiscard]] std::optional<CheckedPieces> find_contact(CheckerState& state, const double* configuration);

/// The first of state.open that the narrow phase finds to collide, where the frames are.
[[nodiscard]] std::optional<CheckedPieces> exact_contact(CheckerState& state);

/// The pairs that the fast tier does not prove apart, into state.open; those that collide among them.
void find_near_pairs(CheckerState& state, const double* configuration);

/// The shapes of a pair where they stand, root frame.
struct PlacedPair {
  const Shape& shape_a;
  Pose root_from_a;
  const Shape& shape_b;
  Pose root_from_b;
};
[[nodiscard]] PlacedPair placed_pair(const CheckerState& state, const CheckedPieces& pair);
[[nodiscard]] PairCache& cache_of(CheckerState& state, const CheckedPieces& pair);
[[nodiscard]] CheckedPair names_of(const CheckedWorld& world, const CheckedPieces& pair);

}  // namespace abut::detail

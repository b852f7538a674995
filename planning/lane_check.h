// Up to eight configurations side by side: frames, and the balls around whole pieces, are placed and tested for all of
// them at once; what these leave open is asked of each configuration by itself.
#pragma once

#include <abut/planning/checked_world.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace abut::detail {

/// Lane k of state.lane_values becomes a configuration.
void put_in_lane(CheckerState& state, std::size_t lane, const double* configuration);

class LaneCheck {
 public:
  /// @param state  Its lane_values hold configurations in the first lanes; it is this object's until the last question.
  /// @param count  Of configurations, 1 to kLanes. @param are_in_range  All are within what the fast tier has room for.
  LaneCheck(CheckerState& state, std::size_t count, bool are_in_range);

  /// A pair that collides in the configuration of a lane, or nothing. Which of several depends on the configuration
  /// alone.
  [[nodiscard]] std::optional<CheckedPieces> find_contact(std::size_t lane);

 private:
  void place_pieces();
  std::size_t look_into_tables();
  NearPlaces noted(std::size_t count);
  const double* configuration_of(std::size_t lane);

  CheckerState& state_;
  bool is_placed_ = false;
  unsigned open_ = 0;      // a bit a lane: something is not proven apart
  std::size_t found_ = 0;  // in state.lane_near
};

/// Whether each of some configurations is valid, kLanes at a time.
/// @param configurations  One after another, one for each of `valid`, which is written: 1 or 0.
void check_configurations(CheckerState& state, const double* configurations, std::span<std::uint8_t> valid);

}  // namespace abut::detail

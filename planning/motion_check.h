// A straight motion between two configurations: sampled, or proven for every state on it.
#pragma once

#include <abut/planning/checked_world.h>

#include <limits>
#include <string_view>

namespace abut::detail {

/// What a motion comes to, by fractions of it.
struct MotionOutcome {
  bool is_valid = true;
  double last_valid = 1.0;
  double first_invalid = std::numeric_limits<double>::infinity();
  CheckedPieces pair{};
};

/// @param find_first  Look for the first invalid state; otherwise end at any.
[[nodiscard]] MotionOutcome sampled_motion(CheckerState& state, const double* from, const double* to, double resolution,
                                           bool find_first);
/// Refuses a motion that takes too long to prove: its looks grow with the turns and with the root of what they carry.
/// @param field  Of the end.
void require_provable(std::string_view field, CheckerState& state, const double* from, const double* to);
/// @param from, to  Of a motion that is not refused.
[[nodiscard]] MotionOutcome certified_motion(CheckerState& state, const double* from, const double* to,
                                             bool find_first);

}  // namespace abut::detail

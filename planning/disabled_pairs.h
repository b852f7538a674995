// Pairs of a robot's links that never need a check against each other, as MoveIt's setup assistant finds them.
#pragma once

#include <abut/planning/robot_model.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace abut {

// Reasons as SRDF files spell them.
inline constexpr const char* kAdjacentReason = "Adjacent";
inline constexpr const char* kDefaultReason = "Default";
inline constexpr const char* kAlwaysReason = "Always";
inline constexpr const char* kNeverReason = "Never";

/// Two different links that are not checked against each other.
struct DisabledPair {
  std::size_t link_a = 0;
  std::size_t link_b = 0;
  std::string reason;  ///< One of those above, or a person's own; may be empty.

  friend bool operator==(const DisabledPair&, const DisabledPair&) = default;
};

struct DisabledPairsOptions {
  std::size_t samples = 10'000;   ///< Random configurations, > 0 and <= 1e12.
  std::uint64_t seed = 1;         ///< The same seed gives the same pairs, whatever the number of threads.
  double always_fraction = 0.95;  ///< Of the samples, in (0, 1]: pairs that collide in as many are "Always".
};

/// Finds them among the links that have geometry, in this order:
/// - Adjacent: a joint joins the two, or joints one below the other over links without geometry.
/// - Default: they collide at default_values().
/// - Always: they collide in nearly all of the samples, which are uniform within the limits.
/// - Never: they collide in none of the samples. That they cannot is likely, not proven.
/// Always and Never are said of no pair between which a joint slides without limits or within limits too far apart
/// (RobotVariable::has_range): samples leave it where it is.
/// Runs in parallel in the caller's arena.
/// @return Sorted by link_a and link_b, link_a < link_b. @throws InvalidInput  naming the option.
[[nodiscard]] std::vector<DisabledPair> find_disabled_pairs(const RobotModel& robot,
                                                            const DisabledPairsOptions& options = {});

/// The pairs as a set. @throws InvalidInput  on an index that is not below link_count.
[[nodiscard]] LinkPairs link_pairs(std::span<const DisabledPair> pairs, std::size_t link_count);

}  // namespace abut

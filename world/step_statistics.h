// Counts and times of one step, for tables and tuning.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut {

struct StepStatistics {
  std::size_t bodies = 0;
  std::size_t candidate_pairs = 0;  ///< From the broad phase, after all filters.
  // Each candidate is in one of these four.
  std::size_t still_apart_pairs = 0;  ///< Apart before, and the two have not come that far since; not looked at.
  std::size_t still_contacts = 0;     ///< In contact before, and neither has moved; not looked at.
  std::size_t obb_rejected = 0;       ///< Apart by the oriented-box test.
  std::size_t solved_pairs = 0;       ///< Given to the narrow phase.
  std::size_t contacts = 0;
  std::size_t not_converged = 0;  ///< Solved pairs whose solver stopped at its iteration limit.
  std::uint64_t iterations = 0;   ///< Of all solvers.

  double boxes_seconds = 0.0;         ///< World boxes of moved bodies.
  double broad_phase_seconds = 0.0;   ///< Candidate pairs.
  double narrow_phase_seconds = 0.0;  ///< Oriented boxes, solvers, contact points.
  double events_seconds = 0.0;        ///< Began and ended.

  [[nodiscard]] double total_seconds() const {
    return boxes_seconds + broad_phase_seconds + narrow_phase_seconds + events_seconds;
  }
};

}  // namespace abut

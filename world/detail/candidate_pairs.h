// From the broad phase's pairs of slots to the pairs of bodies that the narrow phase sees.
#pragma once

#include <abut/broadphase/proxy_pair.h>
#include <abut/world/body.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/pair_answers.h>
#include <abut/world/detail/vector_bytes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

class CandidateSelection {
 public:
  /// Drops the ignored pairs, those of two sensors, those of two unbounded bodies, which have no distance, and those
  /// that the pair filter refuses, and names bodies instead of slots.
  /// @param proxy_pairs  Ascending; proxies are slots.
  /// @param answers      The pair filter, which may throw.
  /// @param last         The candidates of the last frame; not `candidates`.
  /// @param has_moved    By slot: not zero where a body has moved, or was given another shape, since the last step.
  /// @param candidates   Overwritten, in the same order.
  /// @return Whether there is a pair of which neither body has.
  bool select(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies, std::span<const std::uint8_t> has_moved,
              const IgnoredPairs& ignored, PairAnswers& answers, std::span<const BodyPair> last,
              std::vector<BodyPair>& candidates);

  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const { return vector_bytes(tasks_); }

 private:
  struct Task {
    std::size_t kept;  // pairs
    bool some_rest;
  };
  std::vector<Task> tasks_;
};

}  // namespace abut::detail

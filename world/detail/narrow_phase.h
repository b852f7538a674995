// The narrow phase of a step: all candidates solved, and the points of their contacts found, by all threads.
//
// Candidates are taken in their order, some together. Whoever has solved its candidates says how many contacts they
// are; as soon as the same is known of all before them, it is known where in the list their contacts go, and their
// points are found there and then, while what the solver has read of the bodies is still in the caches. Nobody waits: a
// thread that is ahead takes the next candidates, and comes back. Where a contact goes depends on the candidates alone.
#pragma once

#include <abut/world/detail/body_table.h>
#include <abut/world/detail/contact_list.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/detail/unconverged_candidates.h>
#include <abut/world/scene.h>
#include <abut/world/step_statistics.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

class NarrowPhase {
 public:
  NarrowPhase();
  ~NarrowPhase();

  /// @param step        Number of this step, counted from 1.
  /// @param some_rest   Whether there may be a pair of which neither body has moved in this step.
  /// @param memory      Where the candidates have their places; written.
  /// @param contacts    Written.
  /// @param statistics  The counts that concern candidates and contacts are added to it.
  void run(const BodyTable& bodies, const SceneSettings& settings, std::uint64_t step, bool some_rest,
           const Candidates& candidates, PairMemory& memory, ContactList& contacts, StepStatistics& statistics);

  /// Of the last run, in the order of the candidates.
  [[nodiscard]] std::span<const UnconvergedCandidate> unconverged() const { return unconverged_.list(); }
  /// @param list  In the order of the candidates.
  void restore_unconverged(std::vector<UnconvergedCandidate> list) { unconverged_.restore(std::move(list)); }

  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Frame;
  struct Round;
  struct Chunk;
  class Worker;

  std::unique_ptr<Round> round_;                  // from the first candidate on
  std::vector<std::unique_ptr<Worker>> workers_;  // one a thread
  UnconvergedCandidates unconverged_;
};

}  // namespace abut::detail

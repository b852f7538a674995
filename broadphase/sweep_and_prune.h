// Sweep-and-prune inside columns: the broad phase of the library.
//
// Sources: Ericson, Real-Time Collision Detection (2005), section 7.5 (sort and sweep along one axis) and 7.1 (grids,
// hashed cells). Sweeping all boxes along one axis costs more per box the more boxes there are, because the other two
// axes decide ever more candidates; so those two axes are cut into columns first, and each column is swept alone.
#pragma once

#include <abut/broadphase/broad_phase.h>
#include <abut/broadphase/proxy_table.h>

#include <memory>
#include <vector>

namespace abut {

/// The cost per proxy hardly depends on their number, on how the space is filled, or on how far things move.
///
/// Boxes that did not change since the last call are not swept against each other: their pairs are carried over from
/// the last list. Fixed and resting proxies are therefore cheap; setting a box to the same place is no change.
///
/// Runs in the caller's TBB arena. Once the numbers of proxies and pairs have settled, find_pairs() allocates nothing.
class SweepAndPrune : public ProxyTable {
 public:
  /// @param margin  Gap up to which two boxes count as overlapping, metres, finite, >= 0.
  /// @throws InvalidInput  naming "margin".
  explicit SweepAndPrune(double margin = 0.0);
  ~SweepAndPrune();
  SweepAndPrune(SweepAndPrune&&) noexcept;
  SweepAndPrune& operator=(SweepAndPrune&&) noexcept;

  /// See BroadPhase. The list is bit for bit the same for any number of threads.
  void find_pairs(std::vector<ProxyPair>& pairs);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

static_assert(BroadPhase<SweepAndPrune>);

}  // namespace abut

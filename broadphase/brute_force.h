// The reference broad phase: tests every pair of proxies.
#pragma once

#include <abut/broadphase/broad_phase.h>
#include <abut/broadphase/proxy_table.h>

#include <vector>

namespace abut {

/// All pairs, N^2 / 2 box tests on one thread. For a few dozen proxies, and for checking other broad phases.
class BruteForce : public ProxyTable {
 public:
  using ProxyTable::ProxyTable;

  /// See BroadPhase. Allocates only where `pairs` must grow.
  void find_pairs(std::vector<ProxyPair>& pairs);
};

static_assert(BroadPhase<BruteForce>);

}  // namespace abut

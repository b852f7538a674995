// From the broad phase's pairs of slots to the pairs of bodies that the narrow phase sees.
#pragma once

#include <abut/broadphase/proxy_pair.h>
#include <abut/world/body.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/ignored_pairs.h>

#include <span>
#include <vector>

namespace abut::detail {

/// Drops the ignored pairs and those of two unbounded bodies, which have no distance, and names bodies instead of
/// slots.
/// @param proxy_pairs  Ascending; proxies are slots.
/// @param candidates   Cleared and filled, in the same order.
void select_candidates(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies, const IgnoredPairs& ignored,
                       std::vector<BodyPair>& candidates);

}  // namespace abut::detail

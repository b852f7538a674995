// From the broad phase's pairs of slots to the pairs of bodies that the narrow phase sees.
#pragma once

#include <abut/broadphase/proxy_pair.h>
#include <abut/world/body.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/pair_answers.h>

#include <span>
#include <vector>

namespace abut::detail {

/// Drops the ignored pairs, those of two sensors, those of two unbounded bodies, which have no distance, and those that
/// the pair filter refuses, and names bodies instead of slots.
/// @param proxy_pairs  Ascending; proxies are slots.
/// @param answers      The pair filter, which may throw.
/// @param last         The candidates of the last frame; not `candidates`.
/// @param candidates   Cleared and filled, in the same order.
void select_candidates(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies, const IgnoredPairs& ignored,
                       PairAnswers& answers, std::span<const BodyPair> last, std::vector<BodyPair>& candidates);

}  // namespace abut::detail

// Filters of the scene itself; layers, masks, groups and motion are the broad phase's.
#include <abut/world/detail/candidate_pairs.h>
#include <abut/world/detail/slot_order.h>

#include <cstdint>

namespace abut::detail {

void select_candidates(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies, const IgnoredPairs& ignored,
                       PairAnswers& answers, std::span<const BodyPair> last, std::vector<BodyPair>& candidates) {
  candidates.clear();
  auto next_ignored = ignored.keys().begin();
  const auto end_ignored = ignored.keys().end();
  for (const ProxyPair& pair : proxy_pairs) {
    const std::uint64_t key = slot_key(pair.a, pair.b);
    while (next_ignored != end_ignored && *next_ignored < key) ++next_ignored;
    if (next_ignored != end_ignored && *next_ignored == key) continue;
    const Body& a = bodies[pair.a];
    const Body& b = bodies[pair.b];
    if ((!a.bounded && !b.bounded) || (a.is_sensor && b.is_sensor)) continue;
    candidates.push_back({bodies.id(pair.a), bodies.id(pair.b)});
  }
  answers.apply(last, candidates);
}

}  // namespace abut::detail

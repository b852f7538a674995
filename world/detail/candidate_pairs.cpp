// Filters of the scene itself; layers, masks, groups and motion are the broad phase's.
#include <abut/world/detail/candidate_pairs.h>

#include <cstdint>

namespace abut::detail {

void select_candidates(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies, const IgnoredPairs& ignored,
                       PairAnswers& answers, std::span<const BodyPair> last, std::vector<BodyPair>& candidates) {
  candidates.clear();
  for (const ProxyPair& pair : proxy_pairs) {
    if (ignored.contains(pair.a, pair.b)) continue;
    const Body& a = bodies[pair.a];
    const Body& b = bodies[pair.b];
    if ((!a.bounded && !b.bounded) || (a.is_sensor && b.is_sensor)) continue;
    candidates.push_back({bodies.id(pair.a), bodies.id(pair.b)});
  }
  answers.apply(last, candidates);
}

}  // namespace abut::detail

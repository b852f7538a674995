// The reference broad phase: tests every pair of proxies.
#include <abut/broadphase/brute_force.h>

#include <cstdint>

namespace abut {

void BruteForce::find_pairs(std::vector<ProxyPair>& pairs) {
  pairs.clear();
  const BoxArrays& boxes = widened();
  const std::uint32_t bound = id_bound();
  for (std::uint32_t a = 0; a < bound; ++a) {
    if (!contains(a)) continue;
    for (std::uint32_t b = a + 1; b < bound; ++b) {
      bool overlap = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        overlap = overlap && boxes.lower[axis][a] <= boxes.upper[axis][b];
        overlap = overlap && boxes.lower[axis][b] <= boxes.upper[axis][a];
      }
      // Ids not in use hold boxes that overlap nothing, so they need no test of their own.
      if (overlap && may_pair(a, b)) pairs.push_back({a, b});
    }
  }
}

}  // namespace abut

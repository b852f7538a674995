// The reference broad phase: tests every pair of proxies.
#include <abut/broadphase/brute_force.h>

#include <cstdint>

namespace abut {

void BruteForce::find_pairs(std::vector<ProxyPair>& pairs) {
  pairs.clear();
  const std::uint32_t bound = id_bound();
  for (std::uint32_t a = 0; a < bound; ++a) {
    if (!contains(a)) continue;
    const FloatBox box = search_box(a);
    for (std::uint32_t b = a + 1; b < bound; ++b) {
      const FloatBox other = search_box(b);
      bool overlap = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        overlap = overlap && box.lower[axis] <= other.upper[axis] && other.lower[axis] <= box.upper[axis];
      }
      if (overlap && contains(b) && may_pair(a, b)) pairs.push_back({a, b});
    }
  }
}

}  // namespace abut

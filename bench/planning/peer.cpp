#include "peer.h"

#include <bit>
#include <cstddef>

namespace abut::bench {

bool PlanningPeer::is_motion_valid(const Motion& motion, std::size_t states) {
  const std::size_t last = states - 1;
  const auto is_state_valid = [&](std::size_t state) {
    configuration_along(motion, static_cast<double>(state) / static_cast<double>(last), configuration_);
    return is_valid(configuration_);
  };
  if (!is_state_valid(last)) return false;
  const auto bits = static_cast<unsigned>(std::bit_width(last));
  for (std::size_t counter = 0; counter < (std::size_t{1} << bits); ++counter) {
    std::size_t reversed = 0;
    for (unsigned i = 0; i < bits; ++i) reversed |= ((counter >> i) & 1U) << (bits - 1U - i);
    if (reversed < last && !is_state_valid(reversed)) return false;
  }
  return true;
}

std::span<const NamedPeer> planning_peers() {
  static const std::vector<NamedPeer> kPeers {
    {"abut", true, &make_abut}, {"abut, exact tier alone", true, &make_abut_exact},
#if defined(ABUT_BENCH_FCL)
        {"FCL, a plain loop", true, &make_fcl_loop}, {"FCL as MoveIt calls it", true, &make_fcl_managers},
#endif
#if defined(ABUT_BENCH_BULLET)
        {"Bullet, a plain loop", false, &make_bullet_loop},
#endif
  };
  return kPeers;
}

}  // namespace abut::bench

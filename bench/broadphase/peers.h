// The broad phases of other libraries, each defined where the library is installed.
#pragma once

#include "peer.h"

#include <memory>

namespace abut::bench {

[[nodiscard]] std::unique_ptr<BroadPeer> make_bullet_tree(const MovingScene& scene);
[[nodiscard]] std::unique_ptr<BroadPeer> make_bullet_sweep(const MovingScene& scene);
[[nodiscard]] std::unique_ptr<BroadPeer> make_fcl_tree(const MovingScene& scene);
[[nodiscard]] std::unique_ptr<BroadPeer> make_fcl_sweep(const MovingScene& scene);
[[nodiscard]] std::unique_ptr<BroadPeer> make_cgal(const MovingScene& scene);

}  // namespace abut::bench

// What a broad phase of another library must do to be measured.
#pragma once

#include "scenes.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace abut::bench {

/// A broad phase filled with the boxes of a scene.
class BroadPeer {
 public:
  BroadPeer() = default;
  virtual ~BroadPeer() = default;
  BroadPeer(const BroadPeer&) = delete;
  BroadPeer& operator=(const BroadPeer&) = delete;

  /// Moves the movers of the scene to a frame and finds all pairs. Returns their number.
  virtual std::size_t run_frame(const std::vector<Aabb>& frame) = 0;
};

struct BroadPeerKind {
  const char* name;
  /// The largest scene worth trying: some peers take seconds for a frame of more.
  std::size_t largest;
  std::unique_ptr<BroadPeer> (*make)(const MovingScene& scene);
};

/// Those that this program was built with.
[[nodiscard]] std::vector<BroadPeerKind> broad_peers();

}  // namespace abut::bench

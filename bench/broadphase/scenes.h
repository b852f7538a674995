// The scenes of the broad-phase benchmark, frame by frame.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/collision_filter.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace abut::bench {

/// A scene and some frames of its motion. Played forwards and backwards in turn, every step is one of the scene's.
struct MovingScene {
  std::string name;
  std::vector<Aabb> boxes;                ///< By id, as they are before the first frame.
  std::vector<Motion> motions;            ///< By id.
  std::vector<std::uint32_t> movers;      ///< Ids that move in every frame.
  std::vector<std::vector<Aabb>> frames;  ///< Boxes of the movers, in their order.

  [[nodiscard]] std::size_t size() const { return boxes.size(); }
  /// The frame shown k-th, from 0 on.
  [[nodiscard]] const std::vector<Aabb>& frame(std::size_t k) const {
    const std::size_t phase = k % (2 * frames.size() - 2);
    return frames[phase < frames.size() ? phase : 2 * frames.size() - 2 - phase];
  }
};

/// In which order ids are given to boxes.
enum class IdOrder { random, coherent };

[[nodiscard]] const std::vector<std::string>& scene_names();

/// @param name  One of scene_names().
[[nodiscard]] MovingScene make_scene(const std::string& name, std::size_t count, IdOrder order);

}  // namespace abut::bench

// The recorded pile: 600 bodies that have fallen into a bin, as recorded, and side by side with copies of itself.
#pragma once

#include <abut/core/pose.h>
#include <abut/world/body.h>

#include <cstddef>
#include <optional>
#include <vector>

namespace abut::bench {

struct RecordedPile {
  std::vector<BodyDescription> bodies;    ///< At their poses of the first frame.
  std::vector<std::size_t> moving;        ///< Indices into bodies.
  std::vector<std::vector<Pose>> frames;  ///< world_from_body of the moving ones.

  /// Forwards, then backwards, so that no frame is a jump.
  [[nodiscard]] const std::vector<Pose>& played(std::size_t step) const {
    const std::size_t phase = frames.size() < 2 ? 0 : step % (2 * frames.size() - 2);
    return frames[phase < frames.size() ? phase : 2 * frames.size() - 2 - phase];
  }
};

struct RecordedPileOptions {
  std::size_t first_frame = 0;  ///< The bodies are at rest, but for small motions, from frame 200 on.
  std::size_t frame_count = 300;
  /// Piles side by side, each in its own bin and at its own frame, so that no two are alike.
  std::size_t copies = 1;
  /// Hulls keep at most so many vertices, those farthest along directions spread evenly; 0: all.
  std::size_t max_vertices = 0;
};

/// From the folder that the environment variable ABUT_TRAJECTORY_DIR names (pile.scene.json, pile.motion); nothing
/// where it names none. @throws FileError
[[nodiscard]] std::optional<RecordedPile> recorded_pile(const RecordedPileOptions& options);

}  // namespace abut::bench

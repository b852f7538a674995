// What the demo plays, wherever it comes from: bodies, and where they are in each frame.
#pragma once

#include <abut/io/recording.h>
#include <abut/io/scene_file.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace abut::demo {

/// Fills in the poses of a frame. It is called for frame 0, 1, 2, ... and returns false when there is no such frame.
using MotionSource = std::function<bool(std::size_t frame, RecordedFrame& poses)>;

struct DemoScene {
  std::vector<std::string> introduction;  ///< Lines about the origin of the bodies, for the head of the table.
  SceneDescription description;
  MotionSource motion;
  std::optional<std::size_t> frame_count;  ///< Nothing: unknown until the motion ends.
};

}  // namespace abut::demo

#include "scene_playback.h"

#include <abut/io/file_error.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace abut::demo {
namespace {

MotionSource along_velocities(const std::filesystem::path& file, const SceneDescription& description) {
  std::vector<std::pair<std::size_t, SceneBody>> drifting;
  for (std::size_t i = 0; i < description.bodies.size(); ++i) {
    const SceneBody& body = description.bodies[i];
    if (!body.linear_velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0)) drifting.emplace_back(i, body);
  }
  return [file, drifting = std::move(drifting), step = description.time_step](std::size_t frame, RecordedFrame& poses) {
    poses.time = static_cast<double>(frame) * step;
    poses.bodies.clear();
    poses.poses.clear();
    for (const auto& [index, body] : drifting) {
      poses.bodies.push_back(index);
      try {
        poses.poses.push_back(pose_at(body, poses.time));
      } catch (const InvalidInput& error) {  // a velocity can be finite and the place it leads to infinite
        throw FileError(file, "bodies[" + std::to_string(index) + "].velocity: in frame " + std::to_string(frame) +
                                  ": " + error.what());
      }
    }
    return true;
  };
}

}  // namespace

DemoScene open_scene(const std::filesystem::path& file, const std::filesystem::path& motion,
                     std::optional<std::size_t> frames, std::size_t frames_without_recording) {
  DemoScene scene;
  scene.description = read_scene_file(file);
  if (motion.empty()) {
    scene.motion = along_velocities(file, scene.description);
    scene.frame_count = frames.value_or(frames_without_recording);
    scene.introduction.push_back(file.string() + ", moving at its velocities");
    return scene;
  }
  // Shared, because a std::function must be copyable and a recording is not.
  const auto recording = std::make_shared<Recording>(motion, scene.description);
  scene.motion = [recording](std::size_t /*frame*/, RecordedFrame& poses) { return recording->read(poses); };
  scene.frame_count = recording->frame_count();
  if (frames) scene.frame_count = std::min(*frames, scene.frame_count.value_or(*frames));
  scene.introduction.push_back(file.string() + ", moving along " + motion.string());
  return scene;
}

}  // namespace abut::demo

// A scene file played along its velocities or along a recording.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "demo_scene.h"

namespace abut::demo {

/// @param motion  A recording; empty: the bodies move at the scene's velocities.
/// @param frames  Nothing: as many as the recording has, or `frames_without_recording`.
/// @throws FileError  naming the file and the field.
[[nodiscard]] DemoScene open_scene(const std::filesystem::path& file, const std::filesystem::path& motion,
                                   std::optional<std::size_t> frames, std::size_t frames_without_recording);

}  // namespace abut::demo

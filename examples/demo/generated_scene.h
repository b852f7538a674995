// The demo's own scene: bodies of every kind in a container with hilly ground and a table in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "demo_scene.h"

namespace abut::demo {

struct GeneratedSceneOptions {
  std::size_t bodies = 0;  ///< That move; the container grows with their number, so that they stay as crowded.
  std::size_t frames = 0;
  std::uint64_t seed = 1;  ///< The same seed gives the same scene on every machine, up to rounding.
};

[[nodiscard]] DemoScene generate_scene(const GeneratedSceneOptions& options);

}  // namespace abut::demo

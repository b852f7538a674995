// A mesh file's scene: copies of the mesh fall in a container of a size that suits it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "demo_scene.h"

namespace abut::demo {

struct MeshSceneOptions {
  std::filesystem::path file;  ///< OBJ, STL or PLY, in metres as it is.
  bool surface = false;        ///< The triangles themselves; otherwise their convex hull.
  std::size_t copies = 0;
  std::size_t frames = 0;
  std::uint64_t seed = 1;
};

/// @throws FileError  naming the file and what is wrong with it.
[[nodiscard]] DemoScene drop_mesh(const MeshSceneOptions& options);

}  // namespace abut::demo

// How much memory a scene holds.
#pragma once

#include <abut/world/scene.h>

#include <cstddef>

namespace abut {

/// Bytes, by what they are for. What shapes share (hulls, meshes, height fields, compounds) is not counted.
///
/// Memory is kept for the frames to come, though what only few of them need is given back. `bodies` and `queries` are
/// bounded by the largest number of bodies that there has been at once; `broad_phase` by that, the largest number of
/// pairs of boxes that overlap and the number of threads; `pairs` by the largest number of candidate pairs, of pairs
/// that are ignored or refused, and of threads; `contacts` by the largest number of candidate pairs in a step. None
/// grows with the number of steps, or of bodies added and removed in the course of time.
struct SceneMemory {
  std::size_t bodies = 0;       ///< Shapes, poses, boxes, handles.
  std::size_t broad_phase = 0;  ///< Proxies, columns, overlapping pairs.
  std::size_t pairs = 0;     ///< Candidates of the last two steps with what they remember; ignored and refused pairs.
  std::size_t contacts = 0;  ///< Contacts of the last two steps with their points, and events.
  std::size_t queries = 0;   ///< The tree of prepare_queries().

  [[nodiscard]] std::size_t total() const { return bodies + broad_phase + pairs + contacts + queries; }
};

[[nodiscard]] SceneMemory memory_of(const Scene& scene);

}  // namespace abut

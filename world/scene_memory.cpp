// The sum over the parts of a scene.
#include <abut/world/detail/scene_state.h>
#include <abut/world/detail/vector_bytes.h>
#include <abut/world/scene_memory.h>

namespace abut {
SceneMemory memory_of(const Scene& scene) {
  const detail::SceneState& s = detail::state_of(scene);
  SceneMemory memory;
  memory.bodies =
      sizeof(s) + s.bodies.bytes() + detail::vector_bytes(s.has_moved, s.reshaped, s.cast_widths, s.last_mention);
  memory.broad_phase = s.broad_phase.memory();
  memory.pairs =
      detail::vector_bytes(s.candidates.pairs, s.candidates.places, s.last_candidates.pairs, s.last_candidates.places) +
      s.pair_memory.bytes() + s.selection.bytes() + s.narrow_phase.bytes() + s.ignored.bytes() + s.answers.bytes();
  memory.contacts = s.contacts.bytes() + s.events.bytes();
  memory.queries = s.query_trees.memory();
  return memory;
}

}  // namespace abut

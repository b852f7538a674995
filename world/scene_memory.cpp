// The sum over the parts of a scene.
#include <abut/world/detail/scene_state.h>
#include <abut/world/detail/vector_bytes.h>
#include <abut/world/scene_memory.h>

namespace abut {
namespace {

std::size_t candidate_bytes(const detail::Candidates& candidates) {
  return detail::vector_bytes(candidates.pairs, candidates.caches, candidates.histories);
}

}  // namespace

SceneMemory memory_of(const Scene& scene) {
  const detail::SceneState& s = detail::state_of(scene);
  SceneMemory memory;
  memory.bodies =
      sizeof(s) + s.bodies.bytes() + detail::vector_bytes(s.has_moved, s.had_moved, s.reshaped, s.last_mention);
  memory.broad_phase = s.broad_phase.memory() + detail::vector_bytes(s.proxy_pairs);
  memory.pairs = candidate_bytes(s.candidates) + candidate_bytes(s.last_candidates) + s.selection.bytes() +
                 s.narrow_phase.bytes() + s.ignored.bytes() + s.answers.bytes();
  memory.contacts = s.contacts.bytes() + s.events.bytes();
  memory.queries = s.query_trees.memory();
  return memory;
}

}  // namespace abut

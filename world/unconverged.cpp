// The pairs of a step whose solver stopped at its iteration limit.
#include <abut/narrowphase/distance.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/unconverged.h>

namespace abut {

std::vector<UnconvergedPair> unconverged_pairs(const Scene& scene) {
  const detail::SceneState& s = detail::state_of(scene);
  std::vector<UnconvergedPair> result;
  for (const auto& [candidate, separation, start] : s.narrow_phase.unconverged()) {
    const BodyPair& pair = s.candidates.pairs[candidate];
    s.require_unmoved(pair.a, "body_a");
    s.require_unmoved(pair.b, "body_b");
    UnconvergedPair unconverged{.pair = pair, .separation = separation, .options = {}, .start = start};
    unconverged.options.solver =
        solver_or_automatic(s.settings.solver, s.bodies[pair.a.slot].shape, s.bodies[pair.b.slot].shape);
    unconverged.options.warm_start = s.settings.warm_start;
    unconverged.options.tolerance = s.settings.tolerance;
    unconverged.options.max_distance =
        detail::search_distance(s.settings, s.bodies.motion(pair.a.slot), s.bodies.motion(pair.b.slot));
    result.push_back(unconverged);
  }
  return result;
}

}  // namespace abut

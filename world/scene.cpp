// Scene: owns the bodies and runs the broad phase, then the narrow phase, then the comparison with the frame before.
// The parts of a step lie in world/detail, one concept a file.
#include <abut/core/error.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/scene.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace abut {

using detail::checked;
using detail::indexed;
using detail::kBodyGrain;
using detail::kPairGrain;
using detail::world_box;

namespace {

/// Seconds since the last call or since construction.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void require_size(const char* field, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw InvalidInput(field, "must have " + std::to_string(expected) + " elements, got " + std::to_string(size));
}

}  // namespace

namespace detail {

const SceneState& state_of(const Scene& scene) {
  return *scene.state_;
}

}  // namespace detail

Scene::Scene(const SceneSettings& settings) : state_(std::make_unique<detail::SceneState>(settings)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

BodyId Scene::add(const BodyDescription& body) {
  detail::SceneState& s = *state_;
  require_finite("pose", body.pose);
  detail::require_enum("motion", body.motion, Motion::moving);
  const Aabb box = world_box(body.shape, body.pose);
  const BodyId id = s.bodies.insert(body);
  try {
    s.has_moved.resize(s.bodies.slot_count());
    s.cast_widths.resize(s.bodies.slot_count());
    s.broad_phase.insert(id.slot, box, body.filter, body.motion);
  } catch (...) {  // for want of memory
    s.bodies.remove(id.slot);
    throw;
  }
  s.has_moved[id.slot] = 0;
  s.note_cast_width(id.slot);
  s.outdate_queries(body.motion);
  return id;
}

void Scene::remove(BodyId body) {
  detail::SceneState& s = *state_;
  const std::uint32_t slot = s.bodies.slot_of(body);
  s.broad_phase.remove(slot);
  s.ignored.erase_slot(slot);
  s.has_moved[slot] = 0;
  s.outdate_queries(s.bodies[slot].motion);
  s.bodies.remove(slot);
}

bool Scene::contains(BodyId body) const {
  return state_->bodies.contains(body);
}

std::size_t Scene::body_count() const {
  return state_->bodies.body_count();
}

std::vector<BodyId> Scene::bodies() const {
  const detail::BodyTable& table = state_->bodies;
  std::vector<BodyId> ids;
  ids.reserve(table.body_count());
  for (std::uint32_t slot = 0; slot < table.slot_count(); ++slot) {
    if (table.is_used(slot)) ids.push_back(table.id(slot));
  }
  return ids;
}

const Pose& Scene::pose(BodyId body) const {
  return state_->bodies[state_->bodies.slot_of(body)].pose;
}

const Shape& Scene::shape(BodyId body) const {
  return state_->bodies[state_->bodies.slot_of(body)].shape;
}

Motion Scene::motion(BodyId body) const {
  return state_->bodies[state_->bodies.slot_of(body)].motion;
}

const CollisionFilter& Scene::filter(BodyId body) const {
  return state_->bodies[state_->bodies.slot_of(body)].filter;
}

bool Scene::is_sensor(BodyId body) const {
  return state_->bodies[state_->bodies.slot_of(body)].is_sensor;
}

void Scene::set_pose(BodyId body, const Pose& world_from_body) {
  const std::uint32_t slot = state_->bodies.slot_of(body);
  require_finite("world_from_body", world_from_body);
  state_->move(slot, world_from_body);
}

void Scene::set_poses(std::span<const BodyId> bodies, std::span<const Pose> world_from_bodies) {
  detail::SceneState& s = *state_;
  if (bodies.size() != world_from_bodies.size()) {
    throw InvalidInput("world_from_bodies", "must have one pose for each of the " + std::to_string(bodies.size()) +
                                                " bodies, got " + std::to_string(world_from_bodies.size()));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!s.bodies.contains(bodies[i])) s.bodies.require(bodies[i], indexed("bodies", i));
  }
  // Read by all threads, like the poses themselves below: with many bodies they are more than the ids above.
  std::atomic<bool> are_finite{true};
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bodies.size(), kBodyGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        if (!world_from_bodies[i].is_finite()) are_finite.store(false, std::memory_order_relaxed);
                      }
                    });
  for (std::size_t i = 0; !are_finite && i < bodies.size(); ++i) {
    require_finite(indexed("world_from_bodies", i), world_from_bodies[i]);
  }
  // Of several poses for one body the last one counts, and no two tasks write to one body.
  s.last_mention.resize(s.bodies.slot_count());
  for (std::size_t i = 0; i < bodies.size(); ++i) s.last_mention[bodies[i].slot] = i;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bodies.size(), kBodyGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        const std::uint32_t slot = bodies[i].slot;
                        if (s.last_mention[slot] == i) s.move(slot, world_from_bodies[i]);
                      }
                    });
}

void Scene::set_motion(BodyId body, Motion motion) {
  const std::uint32_t slot = state_->bodies.slot_of(body);
  detail::require_enum("motion", motion, Motion::moving);
  state_->broad_phase.set_motion(slot, motion);
  state_->bodies[slot].motion = motion;
  state_->outdate_queries(Motion::fixed);  // it is or was one, or nothing has changed
}

void Scene::set_filter(BodyId body, const CollisionFilter& filter) {
  const std::uint32_t slot = state_->bodies.slot_of(body);
  state_->answers.forget(slot);
  state_->broad_phase.set_filter(slot, filter);
  state_->bodies[slot].filter = filter;
}

void Scene::set_sensor(BodyId body, bool is_sensor) {
  const std::uint32_t slot = state_->bodies.slot_of(body);
  state_->answers.forget(slot);
  state_->forget_pairs(slot);
  state_->bodies.set_sensor(slot, is_sensor);
}

void Scene::set_shape(BodyId body, const Shape& shape) {
  state_->reshape(state_->bodies.slot_of(body), shape);
}

void Scene::set_pair_filter(PairFilter filter) {
  state_->answers.set_filter(std::move(filter));
}

void Scene::ignore_pair(BodyId a, BodyId b) {
  const std::uint32_t slot_a = state_->bodies.slot_of(a, "a");
  const std::uint32_t slot_b = state_->bodies.slot_of(b, "b");
  if (slot_a != slot_b) state_->ignored.insert(slot_a, slot_b);
}

void Scene::consider_pair(BodyId a, BodyId b) {
  const std::uint32_t slot_a = state_->bodies.slot_of(a, "a");
  state_->ignored.erase(slot_a, state_->bodies.slot_of(b, "b"));
}

bool Scene::is_ignored(BodyId a, BodyId b) const {
  const std::uint32_t slot_a = state_->bodies.slot_of(a, "a");
  return state_->ignored.contains(slot_a, state_->bodies.slot_of(b, "b"));
}

const SceneSettings& Scene::settings() const {
  return state_->settings;
}

void Scene::set_settings(const SceneSettings& settings) {
  checked(settings);
  detail::SceneState& s = *state_;
  s.broad_phase.set_margin(settings.contact_margin);
  s.settings = settings;
  // Another margin, solver, tolerance or number of points has other answers.
  s.pair_memory.forget_histories();
}

void Scene::prepare_queries() {
  state_->prepare_queries();
}

bool Scene::is_ready_for_queries() const {
  return state_->is_ready_for_queries();
}

void Scene::step() {
  detail::SceneState& s = *state_;
  const StepStatistics last_statistics = s.statistics;
  s.statistics = {};
  s.statistics.bodies = s.bodies.body_count();
  Stopwatch watch;

  s.update_boxes();
  s.statistics.boxes_seconds = watch.lap();

  bool some_rest = false;
  try {
    s.update_broad_phase();
    some_rest = s.selection.select(s.broad_phase.pairs(), s.bodies, s.has_moved, s.ignored, s.answers,
                                   s.candidates.pairs, s.last_candidates.pairs);
  } catch (...) {  // the pair filter's, or for want of memory; the bodies stay marked as moved
    s.statistics = last_statistics;
    throw;
  }
  s.forget_moves();
  ++s.step_count;
  try {
    std::swap(s.candidates, s.last_candidates);
    s.pair_memory.update(s.last_candidates, s.candidates);
    s.forget_reshaped();
    s.statistics.broad_phase_seconds = watch.lap();

    s.narrow_phase.run(s.bodies, s.settings, s.step_count, some_rest, s.candidates, s.pair_memory, s.contacts,
                       s.statistics);
    s.statistics.narrow_phase_seconds = watch.lap();

    s.events.update(s.contacts.pairs(), s.contacts.with_sensor());
    s.statistics.events_seconds = watch.lap();
  } catch (...) {  // for want of memory
    s.forget_last_step();
    throw;
  }
}

std::span<const Contact> Scene::contacts() const {
  return state_->contacts.contacts();
}

void Scene::contact_derivatives(std::span<SeparationDerivatives> derivatives) const {
  const detail::SceneState& s = *state_;
  const std::span<const Contact> contacts = s.contacts.contacts();
  require_size("derivatives", derivatives.size(), contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    try {
      s.require_unmoved(contacts[i].body_a, "body_a");
      s.require_unmoved(contacts[i].body_b, "body_b");
    } catch (const InvalidInput& error) {
      throw error.within(indexed("contacts", i));
    }
  }
  const std::span<const Separation> separations = s.contacts.separations();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, contacts.size(), kPairGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        derivatives[i] = s.derivatives_of({contacts[i].body_a, contacts[i].body_b}, separations[i]);
                      }
                    });
}

std::span<const BodyPair> Scene::began() const {
  return state_->events.began();
}

std::span<const BodyPair> Scene::ended() const {
  return state_->events.ended();
}

std::span<const BodyPair> Scene::persisted() const {
  return state_->events.persisted();
}

std::span<const std::uint8_t> Scene::began_with_sensor() const {
  return state_->events.began_with_sensor();
}

std::span<const std::uint8_t> Scene::ended_with_sensor() const {
  return state_->events.ended_with_sensor();
}

std::span<const BodyPair> Scene::candidate_pairs() const {
  return state_->candidates.pairs;
}

const StepStatistics& Scene::statistics() const {
  return state_->statistics;
}

std::vector<Separation> Scene::distances(std::span<const BodyPair> pairs) const {
  const detail::SceneState& s = *state_;
  s.require_distances(pairs);
  std::vector<Separation> separations(pairs.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), kPairGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        separations[i] = s.distance_at(pairs[i].a.slot, pairs[i].b.slot);
                      }
                    });
  return separations;
}

Separation Scene::distance(BodyId a, BodyId b) const {
  state_->require_distance({a, b});
  return state_->distance_at(a.slot, b.slot);
}

void Scene::distance_derivatives(std::span<const BodyPair> pairs, std::span<const Separation> separations,
                                 std::span<SeparationDerivatives> derivatives) const {
  const detail::SceneState& s = *state_;
  require_size("separations", separations.size(), pairs.size());
  require_size("derivatives", derivatives.size(), pairs.size());
  s.require_distances(pairs);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), kPairGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        derivatives[i] = s.derivatives_of(pairs[i], separations[i]);
                      }
                    });
}

}  // namespace abut

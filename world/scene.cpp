// Scene: owns the bodies and runs the broad phase, then the narrow phase, then the comparison with the frame before.
// The parts of a step lie in world/detail, one concept a file.
#include <abut/broadphase/sweep_and_prune.h>
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/candidate_pairs.h>
#include <abut/world/detail/contact_events.h>
#include <abut/world/detail/contact_list.h>
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/scene.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace abut {
namespace {

/// Bodies that one task takes at least. Where they have moved, a box costs some tens of nanoseconds.
constexpr std::size_t kBodyGrain = 64;
/// Pairs that one task of a batch takes at least: a solved pair costs a microsecond or more.
constexpr std::size_t kPairGrain = 8;

const SceneSettings& checked(const SceneSettings& settings) {
  require_not_negative("contact_margin", settings.contact_margin);
  require_not_negative("tolerance", settings.tolerance);
  return settings;
}

/// Box for the broad phase, which takes finite ones: unbounded sides become the largest number. Coordinates at the end of
/// the range of double may overflow to NaN; such a body meets all.
Aabb world_box(const Shape& shape, const Pose& world_from_body) {
  const Vector3d largest = Vector3d::Constant(std::numeric_limits<double>::max());
  const Aabb box = aabb(shape, world_from_body);
  if (!(box.lower.array() <= box.upper.array()).all()) return {-largest, largest};
  return {box.lower.cwiseMax(-largest).cwiseMin(largest), box.upper.cwiseMax(-largest).cwiseMin(largest)};
}

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

std::string indexed(const char* field, std::size_t index) {
  return std::string(field) + '[' + std::to_string(index) + ']';
}

}  // namespace

struct Scene::State {
  explicit State(const SceneSettings& initial) : settings(checked(initial)), broad_phase(initial.contact_margin) {}

  void move(std::uint32_t slot, const Pose& world_from_body) {
    Pose& pose = bodies[slot].pose;
    if (pose == world_from_body) return;
    pose = world_from_body;
    has_moved[slot] = 1;
  }

  void update_boxes();

  /// Throws InvalidInput naming "a" or "b" unless the pair has a distance.
  void require_distance(const BodyPair& pair) const {
    const std::uint32_t a = bodies.slot_of(pair.a, "a");
    const std::uint32_t b = bodies.slot_of(pair.b, "b");
    if (a == b) throw InvalidInput("b", "must be another body than a");
    if (!bodies[a].bounded && !bodies[b].bounded) {
      throw InvalidInput("b", "must be bounded where a is not: two half-spaces have no distance");
    }
  }

  /// The same for each of a list, naming pairs[i].
  void require_distances(std::span<const BodyPair> pairs) const {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      try {
        require_distance(pairs[i]);
      } catch (const InvalidInput& error) {
        throw error.within(indexed("pairs", i));
      }
    }
  }

  SeparationDerivatives derivatives_of(const BodyPair& pair, const Separation& separation) const {
    const detail::Body& a = bodies[pair.a.slot];
    const detail::Body& b = bodies[pair.b.slot];
    return abut::derivatives(a.shape, a.pose, b.shape, b.pose, separation);
  }

  /// Throws InvalidInput naming `field` unless the body stands where it stood in the last step.
  void require_unmoved(BodyId body, const char* field) const {
    const std::uint32_t slot = bodies.slot_of(body, field);
    if (has_moved[slot] != 0) throw InvalidInput(field, "has been moved since the last step()");
  }

  Separation distance_at(std::uint32_t a, std::uint32_t b) const {
    const DistanceOptions options{.solver = solver_or_automatic(settings.solver, bodies[a].shape, bodies[b].shape),
                                  .warm_start = WarmStart::obb,
                                  .tolerance = settings.tolerance};
    return abut::distance(bodies[a].shape, bodies[a].pose, bodies[b].shape, bodies[b].pose, options);
  }

  SceneSettings settings;
  detail::BodyTable bodies;
  std::vector<std::uint8_t> has_moved;  // by slot: the broad phase's box is out of date; bytes, written in parallel
  detail::IgnoredPairs ignored;
  SweepAndPrune broad_phase;  // proxies are slots
  std::vector<ProxyPair> proxy_pairs;
  detail::Candidates candidates;
  detail::Candidates last_candidates;
  detail::Solutions solutions;
  detail::ContactList contacts;
  detail::ContactEvents events;
  StepStatistics statistics;
  std::vector<std::size_t> last_mention;  // by slot, scratch of set_poses
};

void Scene::State::update_boxes() {
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, bodies.slot_count(), kBodyGrain),
                    [this](const tbb::blocked_range<std::uint32_t>& range) {
                      for (std::uint32_t slot = range.begin(); slot != range.end(); ++slot) {
                        if (has_moved[slot] == 0) continue;
                        broad_phase.set_box(slot, world_box(bodies[slot].shape, bodies[slot].pose));
                        has_moved[slot] = 0;
                      }
                    });
}

Scene::Scene(const SceneSettings& settings) : state_(std::make_unique<State>(settings)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

BodyId Scene::add(const BodyDescription& body) {
  State& s = *state_;
  const Aabb box = world_box(body.shape, body.pose);
  const BodyId id = s.bodies.insert(body);
  if (s.has_moved.size() < s.bodies.slot_count()) s.has_moved.push_back(0);
  s.has_moved[id.slot] = 0;
  s.broad_phase.insert(id.slot, box, body.filter, body.motion);
  return id;
}

void Scene::remove(BodyId body) {
  State& s = *state_;
  const std::uint32_t slot = s.bodies.slot_of(body);
  s.broad_phase.remove(slot);
  s.ignored.erase_slot(slot);
  s.has_moved[slot] = 0;
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

void Scene::set_pose(BodyId body, const Pose& world_from_body) {
  state_->move(state_->bodies.slot_of(body), world_from_body);
}

void Scene::set_poses(std::span<const BodyId> bodies, std::span<const Pose> world_from_bodies) {
  State& s = *state_;
  if (bodies.size() != world_from_bodies.size()) {
    throw InvalidInput("world_from_bodies", "must have one pose for each of the " + std::to_string(bodies.size()) +
                                                " bodies, got " + std::to_string(world_from_bodies.size()));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!s.bodies.contains(bodies[i])) s.bodies.require(bodies[i], indexed("bodies", i));
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
  state_->broad_phase.set_motion(slot, motion);
  state_->bodies[slot].motion = motion;
}

void Scene::set_filter(BodyId body, const CollisionFilter& filter) {
  const std::uint32_t slot = state_->bodies.slot_of(body);
  state_->broad_phase.set_filter(slot, filter);
  state_->bodies[slot].filter = filter;
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
  state_->broad_phase.set_margin(settings.contact_margin);
  state_->settings = settings;
}

void Scene::step() {
  State& s = *state_;
  s.statistics = {};
  s.statistics.bodies = s.bodies.body_count();
  Stopwatch watch;

  s.update_boxes();
  s.statistics.boxes_seconds = watch.lap();

  s.broad_phase.find_pairs(s.proxy_pairs);
  std::swap(s.candidates, s.last_candidates);
  detail::select_candidates(s.proxy_pairs, s.bodies, s.ignored, s.candidates.pairs);
  s.statistics.broad_phase_seconds = watch.lap();

  detail::solve_pairs(s.bodies, s.settings, s.last_candidates, s.candidates, s.solutions);
  s.contacts.update(s.bodies, s.settings, s.candidates, s.solutions, s.statistics);
  s.statistics.narrow_phase_seconds = watch.lap();

  s.events.update(s.contacts.contacts());
  s.statistics.events_seconds = watch.lap();
}

std::span<const Contact> Scene::contacts() const {
  return state_->contacts.contacts();
}

void Scene::contact_derivatives(std::span<SeparationDerivatives> derivatives) const {
  const State& s = *state_;
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
  const std::span<const std::uint32_t> candidates = s.contacts.candidate_indices();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, contacts.size(), kPairGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        const std::uint32_t candidate = candidates[i];
                        derivatives[i] =
                            s.derivatives_of(s.candidates.pairs[candidate], s.solutions.separations[candidate]);
                      }
                    });
}

std::span<const BodyPair> Scene::began() const {
  return state_->events.began();
}

std::span<const BodyPair> Scene::ended() const {
  return state_->events.ended();
}

std::span<const BodyPair> Scene::candidate_pairs() const {
  return state_->candidates.pairs;
}

const StepStatistics& Scene::statistics() const {
  return state_->statistics;
}

std::vector<Separation> Scene::distances(std::span<const BodyPair> pairs) const {
  const State& s = *state_;
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
  const State& s = *state_;
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

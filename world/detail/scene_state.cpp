// What a scene holds: boxes of moved bodies, checks, and answers about single pairs.
#include <abut/core/error.h>
#include <abut/core/shapes/hull_fetch.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/detail/scene_state.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>

namespace abut::detail {

const SceneSettings& checked(const SceneSettings& settings) {
  require_not_negative("contact_margin", settings.contact_margin);
  require_enum("solver", settings.solver, Solver::qp);
  require_enum("warm_start", settings.warm_start, WarmStart::transformed_previous);
  require_not_negative("tolerance", settings.tolerance);
  if (settings.max_points < 1 || settings.max_points > static_cast<int>(Contact::kMaxPatchPoints)) {
    throw InvalidInput("max_points", "must be 1 ... " + std::to_string(Contact::kMaxPatchPoints),
                       static_cast<double>(settings.max_points));
  }
  return settings;
}

Aabb world_box(const Shape& shape, const Pose& world_from_body) {
  const Vector3d largest = Vector3d::Constant(std::numeric_limits<double>::max());
  const Aabb box = aabb(shape, world_from_body);
  if (!(box.lower.array() <= box.upper.array()).all()) return {-largest, largest};
  return {box.lower.cwiseMax(-largest).cwiseMin(largest), box.upper.cwiseMax(-largest).cwiseMin(largest)};
}

std::string indexed(const char* field, std::size_t index) {
  return std::string(field) + '[' + std::to_string(index) + ']';
}

void SceneState::reshape(std::uint32_t slot, const Shape& shape) {
  forget_pairs(slot);  // first, for it is what memory may run out for
  bodies.set_shape(slot, shape);
  note_cast_width(slot);
  has_moved[slot] = 1;
  outdate_queries(bodies[slot].motion);
}

void SceneState::forget_pairs(std::uint32_t slot) {
  const auto place = std::lower_bound(reshaped.begin(), reshaped.end(), slot);
  if (place == reshaped.end() || *place != slot) reshaped.insert(place, slot);
}

void SceneState::forget_reshaped() {
  if (reshaped.empty()) return;
  const auto is_reshaped = [this](BodyId body) {
    return std::binary_search(reshaped.begin(), reshaped.end(), body.slot);
  };
  for (std::size_t i = 0; i < candidates.pairs.size(); ++i) {
    const BodyPair& pair = candidates.pairs[i];
    if (is_reshaped(pair.a) || is_reshaped(pair.b)) pair_memory.forget(candidates.places[i]);
  }
  reshaped.clear();
}

namespace {

/// Marks that are looked at together: most scenes stand still but for a few bodies.
constexpr std::size_t kMarksTogether = sizeof(std::uint64_t);

/// Calls visit(slots) with the slots whose marks are set, ascending, up to kMarksTogether at a time and in parallel.
template <class Visit>
void for_each_marked(std::span<const std::uint8_t> marks, const Visit& visit) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, marks.size(), kBodyGrain),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t begin = range.begin(); begin < range.end(); begin += kMarksTogether) {
                        const std::size_t end = std::min(begin + kMarksTogether, range.end());
                        std::uint64_t some = 0;
                        std::memcpy(&some, marks.data() + begin, end - begin);
                        if (some == 0) continue;
                        std::array<std::uint32_t, kMarksTogether> slots;
                        std::size_t count = 0;
                        for (std::size_t slot = begin; slot != end; ++slot) {
                          slots[count] = static_cast<std::uint32_t>(slot);
                          count += marks[slot] != 0 ? 1 : 0;
                        }
                        visit(std::span<const std::uint32_t>(slots.data(), count));
                      }
                    });
}

/// Fetches what the boxes of large hulls will read, which lies at six ends of each.
/// @param slots  kMarksTogether at most.
void fetch_ends(const BodyTable& bodies, std::span<const std::uint32_t> slots) {
  static_assert(6 * kMarksTogether <= SupportFetch::kCapacity);
  SupportFetch fetch;
  for (const std::uint32_t slot : slots) {
    const Body& body = bodies[slot];
    if (!body.has_large_hull) continue;
    const ConvexHull& hull = *body.shape.get_if<ConvexHull>();
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const Vector3d direction = body.pose.rotation().row(axis);
      fetch.add(hull, direction);
      fetch.add(hull, -direction);
    }
  }
  fetch.fetch();
}

}  // namespace

void SceneState::set_boxes(std::span<const std::uint32_t> slots) {
  fetch_ends(bodies, slots);
  for (const std::uint32_t slot : slots) {
    broad_phase.set_box(slot, world_box(bodies[slot].shape, bodies[slot].pose));
  }
}

void SceneState::update_boxes() {
  for_each_marked(has_moved, [this](std::span<const std::uint32_t> slots) { set_boxes(slots); });
}

void SceneState::update_broad_phase() {
  if (!is_broad_phase_whole) {
    SweepAndPrune fresh(settings.contact_margin);
    for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
      if (!bodies.is_used(slot)) continue;
      const Body& body = bodies[slot];
      fresh.insert(slot, world_box(body.shape, body.pose), body.filter, body.motion);
    }
    broad_phase = std::move(fresh);
  }
  is_broad_phase_whole = false;
  broad_phase.update();
  is_broad_phase_whole = true;
}

void SceneState::forget_last_step() noexcept {
  for (Candidates* frame : {&candidates, &last_candidates}) {
    frame->pairs.clear();
    frame->places.clear();
  }
  pair_memory = PairMemory();
  narrow_phase.restore_unconverged({});
  contacts.forget();
  events = ContactEvents();
  statistics = {};
}

void SceneState::forget_moves() {
  std::fill(has_moved.begin(), has_moved.end(), std::uint8_t{0});
}

void SceneState::prepare_queries() {
  if (is_ready_for_queries()) return;
  update_boxes();  // bodies stay marked: the next step() still has to look at them
  query_trees.build(broad_phase, cast_widths);
  // What is read of a body, its shape, pose and filter, comes first and is fetched.
  static_assert(sizeof(Shape) + sizeof(Pose) + sizeof(CollisionFilter) <= 256);
  query_trees.set_records(bodies.memory().data(), sizeof(std::optional<Body>));
  queries_outdated.clear();
}

void SceneState::require_distance(const BodyPair& pair) const {
  const std::uint32_t a = bodies.slot_of(pair.a, "a");
  const std::uint32_t b = bodies.slot_of(pair.b, "b");
  if (a == b) throw InvalidInput("b", "must be another body than a");
  if (!bodies[a].bounded && !bodies[b].bounded) {
    throw InvalidInput("b", "must be bounded where a is not: two half-spaces have no distance");
  }
}

void SceneState::require_distances(std::span<const BodyPair> pairs) const {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    try {
      require_distance(pairs[i]);
    } catch (const InvalidInput& error) {
      throw error.within(indexed("pairs", i));
    }
  }
}

void SceneState::require_unmoved(BodyId body, const char* field) const {
  const std::uint32_t slot = bodies.slot_of(body, field);
  if (has_moved[slot] != 0) throw InvalidInput(field, "has been moved or reshaped since the last step()");
}

Separation SceneState::distance_at(std::uint32_t a, std::uint32_t b) const {
  const DistanceOptions options{.solver = solver_or_automatic(settings.solver, bodies[a].shape, bodies[b].shape),
                                .tolerance = settings.tolerance};
  return abut::distance(bodies[a].shape, bodies[a].pose, bodies[b].shape, bodies[b].pose, options);
}

SeparationDerivatives SceneState::derivatives_of(const BodyPair& pair, const Separation& separation) const {
  const Body& a = bodies[pair.a.slot];
  const Body& b = bodies[pair.b.slot];
  return abut::derivatives(a.shape, a.pose, b.shape, b.pose, separation);
}

}  // namespace abut::detail

// A scene as bytes. Structured bindings name every member of what is written: where one is added the file does not
// compile until it is written as well.
//
// Layout: "ABUTSNAP", version (uint32), size of the rest without the checksum (uint64), settings, shapes, slots,
// ignored pairs, pair filter, the last step; checksum (uint64) of all before it.
#include <abut/core/byte_stream.h>
#include <abut/core/error.h>
#include <abut/world/contact_bytes.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/detail/shape_bytes.h>
#include <abut/world/detail/slot_order.h>
#include <abut/world/snapshot.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace abut {
namespace {

using detail::SceneState;

constexpr std::string_view kMagic = "ABUTSNAP";
constexpr std::uint32_t kVersion = 5;
constexpr std::size_t kHeaderBytes = kMagic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr std::size_t kPairBytes = 4 * sizeof(std::uint32_t);
// More than any scene takes; far enough from where their number would begin anew.
constexpr std::uint64_t kMostSteps = std::numeric_limits<std::uint64_t>::max() / 2;

// Runs `read` with a path in front of the fields of its errors.
template <class Read>
auto within(std::string_view path, const Read& read) {
  try {
    return read();
  } catch (const InvalidInput& error) {
    throw error.within(path);
  }
}

// ---- Writing

void write(ByteWriter& out, const SceneSettings& settings) {
  const auto& [contact_margin, solver, warm_start, tolerance, max_points, coherence] = settings;
  out.write(contact_margin);
  out.write(solver);
  out.write(warm_start);
  out.write(tolerance);
  out.write(static_cast<std::int32_t>(max_points));
  out.write(coherence);
}

void write(ByteWriter& out, std::span<const std::uint32_t> slots) {
  out.write_count(slots.size());
  for (const std::uint32_t slot : slots) out.write(slot);
}

void write(ByteWriter& out, const detail::Body& body, detail::ShapeWriter& shapes) {
  // The last four follow from the shape.
  const auto& [shape, pose, motion, filter, is_sensor, obb, size, bounded, has_large_hull] = body;
  const auto& [layers, mask, group] = filter;
  shapes.write(out, shape);
  // It must be read again.
  within("pose", [&body] { return Pose::from_stored(body.pose.translation(), body.pose.rotation()); });
  detail::write_pose(out, pose);
  out.write(motion);
  out.write(layers);
  out.write(mask);
  out.write(group);
  out.write(is_sensor);
}

void write(ByteWriter& out, const PairCache& cache) {
  const auto& [has_solution, cores_overlap, normal_a, point_a, point_b, corners] = cache;
  out.write(has_solution);
  out.write(cores_overlap);
  out.write(normal_a);
  out.write(point_a);
  out.write(point_b);
  out.write(corners.count);
  for (const std::uint32_t vertex : corners.of_a) out.write(vertex);
  for (const std::uint32_t vertex : corners.of_b) out.write(vertex);
}

void write(ByteWriter& out, const detail::PairHistory& history) {
  const auto& [looked_in, gap, travel, contact] = history;
  out.write(looked_in);
  out.write(gap);
  out.write(travel);
  out.write(contact);
}

void write(ByteWriter& out, const detail::BodyMotion& motion) {
  const auto& [travel, last_travel, moved_in] = motion;
  out.write(travel);
  out.write(last_travel);
  out.write(moved_in);
}

void write(ByteWriter& out, const Separation& separation) {
  const auto& [distance, point_a, point_b, normal, status, solver, iterations, distance_error] = separation;
  out.write(distance);
  out.write(point_a);
  out.write(point_b);
  out.write(normal);
  out.write(status);
  out.write(solver);
  out.write(iterations);
  out.write(distance_error);
}

void write(ByteWriter& out, const StepStatistics& statistics) {
  out.write_count(statistics.bodies);
  out.write_count(statistics.candidate_pairs);
  out.write_count(statistics.still_apart_pairs);
  out.write_count(statistics.still_contacts);
  out.write_count(statistics.obb_rejected);
  out.write_count(statistics.solved_pairs);
  out.write_count(statistics.contacts);
  out.write_count(statistics.not_converged);
  out.write(statistics.iterations);
}

void write_last_step(ByteWriter& out, const SceneState& state) {
  write(out, state.candidates.pairs);
  for (const std::uint32_t place : state.candidates.places) {
    write(out, state.pair_memory.cache(place));
    write(out, state.pair_memory.history(place));
  }
  const std::span<const Contact> contacts = state.contacts.contacts();
  out.write_count(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    write(out, contacts[i]);
    write(out, state.contacts.separations()[i]);
  }
  write(out, state.events.began());
  for (const std::uint8_t flag : state.events.began_with_sensor()) out.write(flag != 0);
  write(out, state.events.ended());
  for (const std::uint8_t flag : state.events.ended_with_sensor()) out.write(flag != 0);
  write(out, state.statistics);
  out.write_count(state.narrow_phase.unconverged().size());
  for (const auto& [candidate, separation, start] : state.narrow_phase.unconverged()) {
    out.write_count(candidate);
    write(out, separation);
    write(out, start);
  }
}

// ---- Reading

template <class Value>
void require_at_most(std::string_view field, Value value, Value last) {
  if (value <= last) return;
  throw InvalidInput(std::string(field), "must be at most " + std::to_string(last) + ", got " + std::to_string(value));
}

SceneSettings read_settings(ByteReader& in) {
  SceneSettings settings;
  settings.contact_margin = in.read<double>();
  settings.solver = in.read_enum("solver", Solver::qp);
  settings.warm_start = in.read_enum("warm_start", WarmStart::transformed_previous);
  settings.tolerance = in.read<double>();
  settings.max_points = in.read<std::int32_t>();
  settings.coherence = in.read_bool("coherence");
  return detail::checked(settings);
}

class SceneReader {
 public:
  SceneReader(ByteReader& in, PairFilter pair_filter) : in_(in), pair_filter_(std::move(pair_filter)) {}

  std::unique_ptr<SceneState> read() {
    state_ = std::make_unique<SceneState>(within("settings", [&] { return read_settings(in_); }));
    shapes_.read_table(in_);
    read_slots();
    within("ignored", [&] { read_ignored(); });
    within("pair_filter", [&] { read_pair_filter(); });
    within("last_step", [&] { read_last_step(); });
    if (in_.left() != 0) throw InvalidInput("", std::to_string(in_.left()) + " bytes are left over at the end");
    return std::move(state_);
  }

 private:
  void read_slots() {
    SceneState& s = *state_;
    const std::size_t count = in_.read_count("bodies", sizeof(std::uint32_t) + 1);
    require_at_most("bodies", count, std::size_t{SweepAndPrune::kMaxProxies});
    for (std::size_t i = 0; i < count; ++i) within(detail::indexed("bodies", i), [&] { read_slot(); });
    for (const std::uint32_t slot : read_slots_of("reshaped")) s.forget_pairs(slot);
    s.step_count = in_.read<std::uint64_t>();
    require_at_most("step_count", s.step_count, kMostSteps);
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      within(detail::indexed("bodies", slot), [&] { require_moves_of(slot); });
    }
  }

  // A step keeps no contacts of the last one where all bodies have moved, and asks moved_in which of them still hold.
  void require_moves_of(std::uint32_t slot) const {
    const SceneState& s = *state_;
    const std::uint64_t next = s.step_count + 1;
    const std::uint64_t moved_in = s.bodies.motion(slot).moved_in;
    if (moved_in > next) {
      throw InvalidInput("moved_in", "must be at most the next step, got " + std::to_string(moved_in));
    }
    if (s.has_moved[slot] != 0 && moved_in != next && !std::ranges::binary_search(s.reshaped, slot)) {
      throw InvalidInput("has_moved", "must be of a body that the next step sees moved or reshaped");
    }
  }

  void read_slot() {
    SceneState& s = *state_;
    const std::uint32_t slot = s.bodies.slot_count();
    const auto generation = in_.read<std::uint32_t>();
    s.has_moved.push_back(0);
    s.cast_widths.push_back(0.0);
    const detail::BodyMotion motion = read_motion();
    if (!in_.read_bool("is_used")) return s.bodies.append(generation, motion, nullptr);
    if (generation == 0) throw InvalidInput("generation", "must be > 0 where there is a body");
    Shape shape = within("shape", [&] { return shapes_.read(in_); });
    BodyDescription body{.shape = std::move(shape), .pose = within("pose", [&] { return detail::read_pose(in_); })};
    body.motion = in_.read_enum("motion", Motion::moving);
    body.filter.layers = in_.read<std::uint32_t>();
    body.filter.mask = in_.read<std::uint32_t>();
    body.filter.group = in_.read<std::int32_t>();
    body.is_sensor = in_.read_bool("is_sensor");
    s.has_moved.back() = in_.read_bool("has_moved") ? 1 : 0;
    s.broad_phase.insert(slot, detail::world_box(body.shape, body.pose), body.filter, body.motion);
    s.bodies.append(generation, motion, &body);
    s.note_cast_width(slot);
  }

  // Slots, some of which may have been freed since they were noted.
  std::vector<std::uint32_t> read_slots_of(std::string_view field) {
    std::vector<std::uint32_t> slots(in_.read_count(field, sizeof(std::uint32_t)));
    for (std::uint32_t& slot : slots) {
      slot = in_.read<std::uint32_t>();
      require_slot(field, slot);
    }
    return slots;
  }

  void require_slot(std::string_view field, std::uint32_t slot) const {
    if (slot < state_->bodies.slot_count()) return;
    throw InvalidInput(std::string(field),
                       "names slot " + std::to_string(slot) + " of " + std::to_string(state_->bodies.slot_count()));
  }

  void read_ignored() {
    const std::size_t count = in_.read_count("", 2 * sizeof(std::uint32_t));
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto a = in_.read<std::uint32_t>();
      const auto b = in_.read<std::uint32_t>();
      require_slot("", b);
      const std::uint64_t key = detail::slot_key(a, b);
      if (a >= b || key <= last) throw InvalidInput("", "must be pairs of two slots in ascending order");
      if (!state_->bodies.is_used(a) || !state_->bodies.is_used(b)) throw InvalidInput("", "must be pairs of bodies");
      state_->ignored.insert(a, b);
      last = key;
    }
  }

  BodyId read_body() {
    const auto slot = in_.read<std::uint32_t>();
    require_slot("", slot);
    return {slot, in_.read<std::uint32_t>()};
  }

  BodyPair read_pair() {
    const BodyId a = read_body();
    return {a, read_body()};
  }

  std::vector<BodyPair> read_pairs(std::string_view field) {
    return within(field, [&] {
      std::vector<BodyPair> pairs(in_.read_count("", kPairBytes));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        pairs[i] = read_pair();
        const bool is_in_order = i == 0 || detail::SlotOrder()(pairs[i - 1], pairs[i]);
        if (pairs[i].a.slot >= pairs[i].b.slot || !is_in_order) throw InvalidInput("", "must be in slot order");
      }
      return pairs;
    });
  }

  void read_pair_filter() {
    const bool had_filter = in_.read_bool("is_set");
    detail::PairAnswers::Memory memory;
    memory.are_all_forgotten = in_.read_bool("are_all_forgotten");
    memory.refused = read_pairs("refused");
    memory.forgotten = read_slots_of("forgotten");
    if (!had_filter) return state_->answers.set_filter(std::move(pair_filter_));
    if (!pair_filter_) throw InvalidInput("", "is needed: the scene that was saved had one");
    state_->answers.restore(std::move(pair_filter_), memory);
  }

  PairCache read_cache() {
    PairCache cache;
    cache.has_solution = in_.read_bool("has_solution");
    cache.cores_overlap = in_.read_bool("cores_overlap");
    cache.normal_a = in_.read_matrix<3>();
    cache.point_a = in_.read_matrix<3>();
    cache.point_b = in_.read_matrix<3>();
    // Solvers start from these and check nothing.
    const double length = cache.normal_a.norm();
    if (!(std::abs(length - 1.0) <= 1e-3)) throw InvalidInput("normal_a", "must be unit", length);
    require_finite("point_a", cache.point_a);
    require_finite("point_b", cache.point_b);
    cache.corners.count = in_.read<std::uint32_t>();  // vertices and leaves that do not exist are not used
    if (cache.corners.count > cache.corners.of_a.size()) {
      throw InvalidInput("corners.count", "must be at most 3", cache.corners.count);
    }
    for (std::uint32_t& vertex : cache.corners.of_a) vertex = in_.read<std::uint32_t>();
    for (std::uint32_t& vertex : cache.corners.of_b) vertex = in_.read<std::uint32_t>();
    return cache;
  }

  // Unbounded bodies come infinitely far, or not a number.
  static void require_travel(const char* field, double travel) {
    if (travel < 0.0) throw InvalidInput(field, "must not be negative", travel);
  }

  detail::PairHistory read_history() {
    detail::PairHistory history;
    history.looked_in = in_.read<std::uint64_t>();
    history.gap = in_.read<double>();  // not a number where an unbounded body left nothing to say
    history.travel = in_.read<double>();
    history.contact = in_.read<std::uint32_t>();
    require_at_most("looked_in", history.looked_in, state_->step_count);
    require_travel("travel", history.travel);
    return history;
  }

  detail::BodyMotion read_motion() {
    detail::BodyMotion motion;
    motion.travel = in_.read<double>();
    motion.last_travel = in_.read<double>();
    motion.moved_in = in_.read<std::uint64_t>();
    require_travel("travel", motion.travel);
    require_travel("last_travel", motion.last_travel);
    return motion;
  }

  Separation read_separation() {
    Separation separation;
    separation.distance = in_.read<double>();
    separation.point_a = in_.read_matrix<3>();
    separation.point_b = in_.read_matrix<3>();
    separation.normal = in_.read_matrix<3>();
    separation.status = in_.read_enum("status", SolveStatus::beyond_limit);
    separation.solver = in_.read_enum("solver", Solver::qp);
    separation.iterations = in_.read<int>();
    separation.distance_error = in_.read<double>();
    require_finite("distance", separation.distance);
    require_finite("point_a", separation.point_a);
    require_finite("point_b", separation.point_b);
    require_unit("normal", separation.normal);
    if (separation.iterations < 0) throw InvalidInput("iterations", "must be >= 0", separation.iterations);
    require_error_bound("distance_error", separation.distance_error);
    return separation;
  }

  Contact read_contact() {
    Contact contact;
    contact.body_a = read_body();
    contact.body_b = read_body();
    read_after_bodies(in_, contact);
    const std::size_t leaves_a = leaf_bound(contact.body_a);
    const std::size_t leaves_b = leaf_bound(contact.body_b);
    for (std::size_t i = 0; i < contact.points().size(); ++i) {
      const ContactPoint& point = contact.points()[i];
      if (point.leaf_a >= leaves_a) refuse_leaf(i, "leaf_a", point.leaf_a, leaves_a);
      if (point.leaf_b >= leaves_b) refuse_leaf(i, "leaf_b", point.leaf_b, leaves_b);
    }
    return contact;
  }

  // Whether a body is the one that it was in the last step, and of the same shape: with another it is marked as moved.
  bool is_unchanged(BodyId body) const {
    if (!state_->bodies.contains(body)) return false;
    return state_->has_moved[body.slot] == 0 || !std::ranges::binary_search(state_->reshaped, body.slot);
  }

  // Leaves that a contact may name are below this.
  std::size_t leaf_bound(BodyId body) const {
    if (!is_unchanged(body)) return std::numeric_limits<std::size_t>::max();
    const Shape& shape = state_->bodies[body.slot].shape;
    if (const TriangleMesh* mesh = shape.get_if<TriangleMesh>()) return mesh->triangles().size();
    if (const HeightField* field = shape.get_if<HeightField>()) return field->prism_count();
    if (const Compound* compound = shape.get_if<Compound>()) return compound->children().size();
    return 1;
  }

  [[noreturn]] static void refuse_leaf(std::size_t point, const char* field, std::uint32_t leaf, std::size_t bound) {
    throw InvalidInput(field, "must be less than " + std::to_string(bound) + ", got " + std::to_string(leaf))
        .within(detail::indexed("points", point));
  }

  // A step writes a contact from what the narrow phase has answered.
  static void require_same(const Contact& contact, const Separation& separation) {
    constexpr const char* kRule = "must be the contact's";
    const double distance = separation.distance;
    const double error = separation.distance_error;
    if (distance != contact.distance) throw InvalidInput("separation.distance", kRule, distance);
    if (error != contact.distance_error) throw InvalidInput("separation.distance_error", kRule, error);
    if (separation.normal != contact.normal) throw InvalidInput("separation.normal", kRule);
    if (separation.status != contact.status) throw InvalidInput("separation.status", kRule);
  }

  // What the next step goes by, unless the settings have changed since: then it goes by nothing.
  void require_remembered(const Contact& contact, std::size_t place, const detail::PairHistory& history,
                          std::size_t candidate) const {
    if (history.looked_in == 0) return;
    if (contact.distance > state_->settings.contact_margin) {
      throw InvalidInput(detail::indexed("contacts", place) + ".distance", "must be at most the contact margin",
                         contact.distance);
    }
    if (history.gap > contact.distance) {
      throw InvalidInput(detail::indexed("candidates", candidate) + ".gap", "must be at most the contact's distance",
                         history.gap);
    }
  }

  // Bodies never come back on their way.
  void require_travel_of(const BodyPair& pair, const detail::PairHistory& history) const {
    if (!is_unchanged(pair.a) || !is_unchanged(pair.b)) return;
    const detail::BodyTable& bodies = state_->bodies;
    if (history.travel > bodies.motion(pair.a.slot).travel + bodies.motion(pair.b.slot).travel) {
      throw InvalidInput("travel", "must be at most that of both bodies together", history.travel);
    }
  }

  void read_candidates() {
    SceneState& s = *state_;
    s.candidates.pairs = read_pairs("candidates");
    for (std::size_t i = 0; i < s.candidates.pairs.size(); ++i) {
      within(detail::indexed("candidates", i), [&] {
        const PairCache cache = read_cache();
        const detail::PairHistory history = read_history();
        require_travel_of(s.candidates.pairs[i], history);
        s.candidates.places.push_back(s.pair_memory.append(cache, history));
      });
    }
  }

  void read_contacts() {
    SceneState& s = *state_;
    const std::size_t count = in_.read_count("contacts", kPairBytes);
    std::vector<Contact> contacts;
    std::vector<Separation> separations;
    for (std::size_t i = 0; i < count; ++i) {
      within(detail::indexed("contacts", i), [&] {
        contacts.push_back(read_contact());
        separations.push_back(within("separation", [&] { return read_separation(); }));
        require_same(contacts.back(), separations.back());
      });
    }
    // Each contact is that of the candidate whose history names it, and they come in the same order.
    std::size_t next = 0;
    for (std::size_t i = 0; i < s.candidates.pairs.size(); ++i) {
      const std::uint32_t place = s.pair_memory.history(s.candidates.places[i]).contact;
      if (place == detail::PairHistory::kNoContact) continue;
      if (place != next || next >= count ||
          s.candidates.pairs[i] != BodyPair{contacts[next].body_a, contacts[next].body_b}) {
        throw InvalidInput(detail::indexed("candidates", i) + ".contact", "must be the pair's among the contacts");
      }
      require_remembered(contacts[next], next, s.pair_memory.history(s.candidates.places[i]), i);
      ++next;
    }
    if (next != count) throw InvalidInput("contacts", "must each be that of a candidate");
    s.contacts.restore(contacts, separations);
  }

  std::vector<std::uint8_t> read_flags(std::string_view field, std::size_t count) {
    std::vector<std::uint8_t> flags;
    for (std::size_t i = 0; i < count; ++i) flags.push_back(in_.read_bool(field) ? 1 : 0);
    return flags;
  }

  void read_last_step() {
    SceneState& s = *state_;
    read_candidates();
    read_contacts();
    detail::ContactEvents::Events events;
    events.began = read_pairs("began");
    events.began_with_sensor = read_flags("began", events.began.size());
    events.ended = read_pairs("ended");
    events.ended_with_sensor = read_flags("ended", events.ended.size());
    s.events.restore(s.contacts.pairs(), s.contacts.with_sensor(), std::move(events));
    s.statistics.bodies = in_.read<std::uint64_t>();
    s.statistics.candidate_pairs = in_.read<std::uint64_t>();
    s.statistics.still_apart_pairs = in_.read<std::uint64_t>();
    s.statistics.still_contacts = in_.read<std::uint64_t>();
    s.statistics.obb_rejected = in_.read<std::uint64_t>();
    s.statistics.solved_pairs = in_.read<std::uint64_t>();
    s.statistics.contacts = in_.read<std::uint64_t>();
    s.statistics.not_converged = in_.read<std::uint64_t>();
    s.statistics.iterations = in_.read<std::uint64_t>();
    within("unconverged", [&] { read_unconverged(); });
  }

  void read_unconverged() {
    SceneState& s = *state_;
    const std::size_t count = in_.read_count("", sizeof(std::uint64_t));
    if (count != s.statistics.not_converged) {
      throw InvalidInput("", "must be as many as not_converged says, " + std::to_string(s.statistics.not_converged) +
                                 ", got " + std::to_string(count));
    }
    std::vector<detail::UnconvergedCandidate> list;
    for (std::size_t i = 0; i < count; ++i) {
      within(detail::indexed("", i), [&] {
        const auto candidate = in_.read<std::uint64_t>();
        const std::uint64_t least = list.empty() ? 0 : list.back().candidate + 1;
        if (candidate < least || candidate >= s.candidates.pairs.size()) {
          throw InvalidInput("candidate", "must be one of " + std::to_string(s.candidates.pairs.size()) +
                                              ", in ascending order, got " + std::to_string(candidate));
        }
        const Separation separation = read_separation();
        if (separation.status != SolveStatus::iteration_limit) {
          throw InvalidInput("status", "must be that of the iteration limit");
        }
        list.push_back({candidate, separation, read_cache()});
      });
    }
    s.narrow_phase.restore_unconverged(std::move(list));
  }

  ByteReader& in_;
  PairFilter pair_filter_;
  detail::ShapeReader shapes_;
  std::unique_ptr<SceneState> state_;
};

/// The bytes between header and checksum, once both are found right.
std::span<const std::byte> checked_payload(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (bytes.size() < kMagic.size() ||
      !std::ranges::equal(in.read_bytes(kMagic.size()), std::as_bytes(std::span(kMagic)))) {
    throw InvalidInput("", "is no snapshot: it does not begin with " + std::string(kMagic));
  }
  const auto version = in.read<std::uint32_t>();
  if (version != kVersion) {
    throw InvalidInput("version", "must be " + std::to_string(kVersion) + ", got " + std::to_string(version));
  }
  const auto size = in.read<std::uint64_t>();
  if (in.left() < sizeof(std::uint64_t) || size != in.left() - sizeof(std::uint64_t)) {
    throw InvalidInput("size", "is " + std::to_string(bytes.size()) + " bytes, and the header says " +
                                   std::to_string(size) + " after its " + std::to_string(kHeaderBytes) +
                                   " and before a checksum of 8");
  }
  const std::span<const std::byte> payload = in.read_bytes(static_cast<std::size_t>(size));
  if (in.read<std::uint64_t>() != checksum(bytes.first(bytes.size() - sizeof(std::uint64_t)))) {
    throw InvalidInput("checksum", "does not fit: the bytes have been altered");
  }
  return payload;
}

}  // namespace

std::vector<std::byte> save(const Scene& scene) {
  const SceneState& state = detail::state_of(scene);
  // Not written: the broad phase and its pairs, and the trees of the queries with their widths, which follow from the
  // bodies; the candidates before the last ones, which the next step does not read; scratch; the vectors of the last
  // step's parts, which are written below.
  const auto& [settings, bodies, has_moved, reshaped, ignored, answers, broad_phase, cast_widths, query_trees,
               queries_outdated, selection, candidates, last_candidates, pair_memory, narrow_phase, contacts, events,
               statistics, step_count, last_mention, is_broad_phase_whole] = state;

  detail::ShapeWriter shapes;
  ByteWriter slots;
  slots.write_count(bodies.slot_count());
  for (std::uint32_t slot = 0; slot < bodies.slot_count(); ++slot) {
    within(detail::indexed("bodies", slot), [&, &bodies = bodies, &has_moved = has_moved] {
      slots.write(bodies.generation(slot));
      write(slots, bodies.motion(slot));
      slots.write(bodies.is_used(slot));
      if (!bodies.is_used(slot)) return;
      write(slots, bodies[slot], shapes);
      slots.write(has_moved[slot] != 0);
    });
  }

  ByteWriter payload;
  write(payload, settings);
  shapes.write_table(payload);
  payload.write_bytes(slots.bytes());
  write(payload, std::span<const std::uint32_t>(reshaped));
  payload.write(step_count);
  const std::vector<std::uint64_t> ignored_keys = ignored.keys();
  payload.write_count(ignored_keys.size());
  for (const std::uint64_t key : ignored_keys) {
    payload.write(static_cast<std::uint32_t>(key >> 32));
    payload.write(static_cast<std::uint32_t>(key));
  }
  const auto& [refused, forgotten, are_all_forgotten] = answers.memory();
  payload.write(answers.has_filter());
  payload.write(are_all_forgotten);
  write(payload, std::span<const BodyPair>(refused));
  write(payload, std::span<const std::uint32_t>(forgotten));
  write_last_step(payload, state);

  ByteWriter out;
  out.write_bytes(std::as_bytes(std::span(kMagic)));
  out.write(kVersion);
  out.write_count(payload.bytes().size());
  out.write_bytes(payload.bytes());
  out.write(checksum(out.bytes()));
  return out.take();
}

Scene restore(std::span<const std::byte> bytes, PairFilter pair_filter) {
  return within("snapshot", [&] {
    const std::span<const std::byte> payload = checked_payload(bytes);
    ByteReader in(payload);
    std::unique_ptr<SceneState> state = SceneReader(in, std::move(pair_filter)).read();
    Scene scene;
    scene.state_ = std::move(state);
    return scene;
  });
}

}  // namespace abut

// What a scene holds. The functions of Scene and the queries about a scene work on it.
#pragma once

#include <abut/broadphase/sweep_and_prune.h>
#include <abut/core/error.h>
#include <abut/core/require_enum.h>
#include <abut/narrowphase/cast/shape_cast.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/candidate_pairs.h>
#include <abut/world/detail/contact_events.h>
#include <abut/world/detail/contact_list.h>
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/narrow_phase.h>
#include <abut/world/detail/pair_answers.h>
#include <abut/world/detail/pair_memory.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/detail/query_trees.h>
#include <abut/world/scene.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace abut::detail {

/// Bodies that one task takes at least. Where they have moved, a box costs some tens of nanoseconds.
inline constexpr std::size_t kBodyGrain = 64;
/// Pairs that one task of a batch takes at least: a solved pair costs a microsecond or more.
inline constexpr std::size_t kPairGrain = 8;

/// The settings. @throws InvalidInput  naming the one that is out of its range.
const SceneSettings& checked(const SceneSettings& settings);

/// Box for the broad phase, which takes finite ones: unbounded sides become the largest number. Coordinates at the end
/// of the range of double may overflow to NaN; such a body meets all.
[[nodiscard]] Aabb world_box(const Shape& shape, const Pose& world_from_body);

/// What a body adds to the distance up to which a shape that is cast is in contact with it.
[[nodiscard]] inline ToleranceShare tolerance_share(const Body& body) {
  return {body.obb, body.pose, Vector3d::Zero()};
}

/// "field[index]".
[[nodiscard]] std::string indexed(const char* field, std::size_t index);

struct SceneState {
  explicit SceneState(const SceneSettings& initial) : settings(checked(initial)), broad_phase(initial.contact_margin) {}

  void move(std::uint32_t slot, const Pose& world_from_body) {
    Body& body = bodies[slot];
    if (body.pose == world_from_body) return;
    bodies.motion(slot).move(body.obb, body.pose, world_from_body, step_count + 1);
    body.pose = world_from_body;
    note_cast_width(slot);
    has_moved[slot] = 1;
    outdate_queries(body.motion);
  }

  /// After a change of a body's shape or pose.
  void note_cast_width(std::uint32_t slot) {
    const ToleranceShare share = tolerance_share(bodies[slot]);
    cast_widths[slot] = share.by_size + share.by_rounding;
  }

  /// After a change of a body of that motion.
  void outdate_queries(Motion motion) {
    queries_outdated.set();
    if (motion == Motion::fixed) query_trees.fixed_changed();
  }

  /// Makes the pairs of a body start without what they know of earlier steps.
  void forget_pairs(std::uint32_t slot);

  void reshape(std::uint32_t slot, const Shape& shape);

  /// Gives the broad phase the boxes of the bodies that have moved. They stay marked.
  void update_boxes();
  /// Once the marks have been used.
  void forget_moves();
  /// Finds the pairs of the broad phase. Where that fails for want of memory the next call makes it anew.
  void update_broad_phase();
  /// After a step that has failed for want of memory: there are no candidates and no contacts, and no pair remembers
  /// anything.
  void forget_last_step() noexcept;
  /// Gives it the boxes of these bodies, eight at most. Several threads may each give it some.
  void set_boxes(std::span<const std::uint32_t> slots);
  /// Makes the candidates of bodies that were given another shape start cold.
  void forget_reshaped();

  /// Makes the trees that queries walk, where a body has changed since.
  void prepare_queries();
  [[nodiscard]] bool is_ready_for_queries() const { return !queries_outdated.is_set(); }

  /// @throws InvalidInput  naming "a" or "b" unless the pair has a distance.
  void require_distance(const BodyPair& pair) const;
  /// The same for each of a list, naming pairs[i].
  void require_distances(std::span<const BodyPair> pairs) const;
  /// @throws InvalidInput  naming `field` unless the body stands where it stood in the last step.
  void require_unmoved(BodyId body, const char* field) const;

  [[nodiscard]] Separation distance_at(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] SeparationDerivatives derivatives_of(const BodyPair& pair, const Separation& separation) const;

  SceneSettings settings;
  BodyTable bodies;
  std::vector<std::uint8_t> has_moved;  // by slot: since the last step, or reshaped; bytes, written in parallel
  // Slots whose pairs start anew, given another shape, or made a sensor or none: ascending, each once.
  std::vector<std::uint32_t> reshaped;
  IgnoredPairs ignored;
  PairAnswers answers;
  SweepAndPrune broad_phase;        // proxies are slots
  std::vector<double> cast_widths;  // by slot: a body's share of the tolerance of shape casts, metres
  QueryTrees query_trees;           // of the broad phase's boxes, so much wider
  ChangeFlag queries_outdated;      // set by every change of a shape, a pose or a motion, by add and by remove
  CandidateSelection selection;
  Candidates candidates;
  Candidates last_candidates;
  PairMemory pair_memory;
  NarrowPhase narrow_phase;
  ContactList contacts;
  ContactEvents events;
  StepStatistics statistics;
  std::uint64_t step_count = 0;
  std::vector<std::size_t> last_mention;  // by slot, scratch of set_poses
  bool is_broad_phase_whole = true;       // but while it is updated, and after that has failed
};

}  // namespace abut::detail

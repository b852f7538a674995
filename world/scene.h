// Scene: bodies that the caller moves, and who touches whom, frame after frame.
#pragma once

#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/contact.h>
#include <abut/world/step_statistics.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut {

class Scene;

namespace detail {
struct SceneState;
/// For the queries about a scene.
[[nodiscard]] const SceneState& state_of(const Scene& scene);
}  // namespace detail

struct SceneSettings {
  /// Pairs at most this far apart are contacts, metres, finite and >= 0.
  double contact_margin = 0.0;
  Solver solver = Solver::automatic;  ///< Pairs that it does not serve have the automatic one.
  WarmStart warm_start = WarmStart::previous;
  /// Absolute error of distances, metres; 0: relative to the shapes (see DistanceOptions).
  double tolerance = 0.0;
  /// Of one normal of a contact, 1 … Contact::kMaxPatchPoints. Who needs no more than the deepest pair of points asks
  /// for one, and saves the search for the others.
  int max_points = static_cast<int>(Contact::kMaxPatchPoints);
  /// Pairs that have not moved, or were farther apart than they can have come since, are not looked at again. The
  /// contacts are the same without, but for the last digits of those that a warm start finds once more.
  bool coherence = true;
};

/// A collision world. One frame: move bodies with set_pose or set_poses, call step(), read contacts(), began() and
/// ended(). Work runs in parallel in the calling thread's TBB arena; the same calls give the same bits whatever the
/// number of threads. In steady state step() allocates nothing; memory that only few frames need is given back.
///
/// Two unbounded bodies (half-spaces, compounds with one) have no distance: they are never candidates or contacts.
///
/// Threads: const member functions may run concurrently with each other, not with a non-const one.
/// Errors: every function that takes a BodyId throws InvalidInput, naming slot and generation, when it is stale or was
/// never given out; the scene is unchanged then. When memory runs out step() throws std::bad_alloc: it has had no
/// effect then, or the scene has forgotten its last step, has no contacts, and all contacts of the next step are new
/// ones. A scene that was moved from may only be destroyed or assigned to.
class Scene {
 public:
  /// @throws InvalidInput  naming the setting.
  explicit Scene(const SceneSettings& settings = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Adds a body, in the lowest free slot.
  /// @throws InvalidInput  naming what is not finite in "pose", or "motion" when it is none; then nothing has changed.
  BodyId add(const BodyDescription& body);
  /// Removes it. Its contacts end in the next step().
  void remove(BodyId body);

  [[nodiscard]] bool contains(BodyId body) const;
  [[nodiscard]] std::size_t body_count() const;
  /// All bodies in slot order.
  [[nodiscard]] std::vector<BodyId> bodies() const;

  // The references stay valid until the next add() or remove().
  [[nodiscard]] const Pose& pose(BodyId body) const;  ///< world_from_body
  [[nodiscard]] const Shape& shape(BodyId body) const;
  [[nodiscard]] Motion motion(BodyId body) const;
  [[nodiscard]] const CollisionFilter& filter(BodyId body) const;
  [[nodiscard]] bool is_sensor(BodyId body) const;

  /// @throws InvalidInput  naming "body", or what is not finite in "world_from_body".
  void set_pose(BodyId body, const Pose& world_from_body);
  /// Moves many bodies, in parallel. A body may occur more than once; its last pose counts.
  /// @throws InvalidInput  when the sizes differ, an id is stale or a pose is not finite; then none has moved.
  void set_poses(std::span<const BodyId> bodies, std::span<const Pose> world_from_bodies);
  /// Gives a body another shape, in its place. Its contacts that last neither end nor begin by that.
  void set_shape(BodyId body, const Shape& shape);
  /// @throws InvalidInput  naming "body", or "motion" when it is none.
  void set_motion(BodyId body, Motion motion);
  /// Takes effect in the next step(): contacts that the filter excludes end there. A pair filter is asked again about
  /// all pairs of the body.
  void set_filter(BodyId body, const CollisionFilter& filter);
  /// See BodyDescription::is_sensor. Takes effect in the next step(), as set_filter; contacts that last are marked or
  /// not from there on, and neither end nor begin by that.
  void set_sensor(BodyId body, bool is_sensor);

  /// Never test this pair, until consider_pair. The order of the two does not matter; a body with itself is never
  /// tested anyway. Forgotten when one of the two is removed.
  void ignore_pair(BodyId a, BodyId b);
  void consider_pair(BodyId a, BodyId b);
  [[nodiscard]] bool is_ignored(BodyId a, BodyId b) const;

  /// A function that decides about pairs when layers, masks, groups and the like do not say enough. step() asks it
  /// about each pair that becomes a candidate (along no axis are the boxes farther apart than the contact margin, and
  /// no other filter excludes the pair), once: the answer holds until the pair is no candidate any more in some step,
  /// one of the two is removed, given another filter or made a sensor or none (set_sensor()), or another function is
  /// set. The function is called in slot order by the thread that calls step(). It may ask the scene but must not
  /// change it.
  ///
  /// When it throws, the exception leaves step(), which has had no effect then: contacts(), events and all else are
  /// those of the step before, and the next step() asks again.
  /// @param filter  Returns whether the pair is to be tested. Empty: every pair is.
  void set_pair_filter(PairFilter filter);

  [[nodiscard]] const SceneSettings& settings() const;
  /// Takes effect in the next step() and for later distances(). @throws InvalidInput  naming the setting; then nothing
  /// has changed.
  void set_settings(const SceneSettings& settings);

  /// Finds all contacts at the current poses and compares them with those of the step before.
  void step();

  /// Of the last step(), ordered by (body_a.slot, body_b.slot).
  [[nodiscard]] std::span<const Contact> contacts() const;
  /// Pairs that are contacts now and were not in the step before; same order.
  [[nodiscard]] std::span<const BodyPair> began() const;
  /// Pairs that were contacts in the step before and are not now; handles of removed bodies may occur here.
  [[nodiscard]] std::span<const BodyPair> ended() const;
  /// Pairs that are contacts now and were in the step before; same order. With began() they are all of contacts().
  [[nodiscard]] std::span<const BodyPair> persisted() const;
  /// One a pair of began(): 1 where one of the two is a sensor, else 0.
  [[nodiscard]] std::span<const std::uint8_t> began_with_sensor() const;
  /// One a pair of ended(): 1 where one of the two was a sensor in the last step in which they were a contact, else 0.
  [[nodiscard]] std::span<const std::uint8_t> ended_with_sensor() const;
  /// Pairs whose boxes, rounded outwards to floats, were along no axis farther apart than the contact margin in the
  /// last step() and that no filter excluded; same order.
  [[nodiscard]] std::span<const BodyPair> candidate_pairs() const;
  [[nodiscard]] const StepStatistics& statistics() const;
  /// Derivatives of the distance, the nearest or deepest points and the normal of each of contacts(), computed in
  /// parallel, at the poses of the last step(). Allocates nothing.
  /// @param derivatives  Written, in the order of contacts().
  /// @throws InvalidInput  naming "derivatives" unless it has the size of contacts(), or contacts[i].body_a or body_b
  ///                       when that body has been moved, reshaped or removed since; then nothing is written.
  void contact_derivatives(std::span<SeparationDerivatives> derivatives) const;

  /// Signed distances at the current poses, one a pair, in the order of `pairs`, computed in parallel; filters do not
  /// apply. Each is a cold start: the answer does not depend on earlier frames.
  /// @throws InvalidInput  naming pairs[i].a or pairs[i].b: a stale id, a body with itself, two unbounded bodies.
  [[nodiscard]] std::vector<Separation> distances(std::span<const BodyPair> pairs) const;
  [[nodiscard]] Separation distance(BodyId a, BodyId b) const;
  /// Derivatives of what distances() answered at the current poses, in parallel.
  /// @param derivatives  Written, in the order of `pairs`.
  /// @throws InvalidInput  as distances(), or naming "separations" or "derivatives" when the sizes differ; then nothing
  ///                       is written.
  void distance_derivatives(std::span<const BodyPair> pairs, std::span<const Separation> separations,
                            std::span<SeparationDerivatives> derivatives) const;

  /// Makes the queries of queries.h and the pose sets of pose_sets.h answer for the bodies as they are. Needed after
  /// bodies were added, removed, moved, or given another shape or Motion; independent of step(). Costs 0.2 to 0.4 us a
  /// body where anything has changed.
  void prepare_queries();
  [[nodiscard]] bool is_ready_for_queries() const;

 private:
  friend const detail::SceneState& detail::state_of(const Scene& scene);
  friend Scene restore(std::span<const std::byte> bytes, PairFilter pair_filter);

  std::unique_ptr<detail::SceneState> state_;
};

}  // namespace abut

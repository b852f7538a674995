// Scene: bodies that the caller moves, and who touches whom, frame after frame.
#pragma once

#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/contact.h>
#include <abut/world/step_statistics.h>

#include <memory>
#include <span>
#include <vector>

namespace abut {

struct SceneSettings {
  /// Pairs at most this far apart are contacts, metres, finite and >= 0.
  double contact_margin = 0.0;
  Solver solver = Solver::automatic;  ///< Pairs that it does not serve have the automatic one.
  WarmStart warm_start = WarmStart::previous;
  /// Absolute error of distances, metres; 0: relative to the shapes (see DistanceOptions).
  double tolerance = 0.0;
};

/// A collision world. One frame: move bodies with set_pose or set_poses, call step(), read contacts(), began() and
/// ended(). Work runs in parallel in the calling thread's TBB arena; the same calls give the same bits whatever the
/// number of threads. In steady state step() allocates nothing.
///
/// Two unbounded bodies (half-spaces, compounds with one) have no distance: they are never candidates or contacts.
///
/// Threads: const member functions may run concurrently with each other, not with a non-const one.
/// Errors: every function that takes a BodyId throws InvalidInput, naming slot and generation, when it is stale or was
/// never given out; the scene is unchanged then.
/// A scene that was moved from may only be destroyed or assigned to.
class Scene {
 public:
  /// @throws InvalidInput  naming the setting.
  explicit Scene(const SceneSettings& settings = {});
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Adds a body. Slots of removed bodies are used again, lowest first.
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

  void set_pose(BodyId body, const Pose& world_from_body);
  /// Moves many bodies, in parallel. A body may occur more than once; its last pose counts.
  /// @throws InvalidInput  when the sizes differ or an id is stale; then none has moved.
  void set_poses(std::span<const BodyId> bodies, std::span<const Pose> world_from_bodies);
  void set_motion(BodyId body, Motion motion);
  void set_filter(BodyId body, const CollisionFilter& filter);

  /// Never test this pair, until consider_pair. The order of the two does not matter; a body with itself is never
  /// tested anyway. Forgotten when one of the two is removed.
  void ignore_pair(BodyId a, BodyId b);
  void consider_pair(BodyId a, BodyId b);
  [[nodiscard]] bool is_ignored(BodyId a, BodyId b) const;

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
  /// Pairs whose boxes, grown by the contact margin, overlapped in the last step() and that no filter excluded; same
  /// order.
  [[nodiscard]] std::span<const BodyPair> candidate_pairs() const;
  [[nodiscard]] const StepStatistics& statistics() const;
  /// Derivatives of the distance, the nearest or deepest points and the normal of each of contacts(), computed in
  /// parallel, at the poses of the last step(). Allocates nothing.
  /// @param derivatives  Written, in the order of contacts().
  /// @throws InvalidInput  naming "derivatives" unless it has the size of contacts(), or contacts[i].body_a or body_b
  ///                       when that body has been moved or removed since; then nothing is written.
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

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace abut

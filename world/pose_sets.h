// Poses as arguments: whether a group of bodies would collide, and how near it would be, at poses that the scene does
// not have. For planners and learners, which ask for thousands of configurations and move none.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/scene.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace abut {

struct PoseSetOptions {
  /// check(): bodies at most this far apart collide, metres, finite and >= 0.
  double security_margin = 0.0;
  /// distances(): pairs farther apart are not looked at, metres, not NaN.
  double max_distance = std::numeric_limits<double>::infinity();
  bool with_itself = true;  ///< Pairs within the group count.
  bool with_scene = true;   ///< Pairs of the group with the other bodies of the scene count.
};

/// Answer for one set.
struct PoseSetCheck {
  bool collides = false;
  BodyPair pair;  ///< A pair that does, a body of the group first; not necessarily the deepest.
};

struct PoseSetDistance {
  bool is_within = false;  ///< Some pair is at most max_distance apart; otherwise the rest means nothing.
  BodyPair pair;           ///< The nearest pair, or the most deeply overlapping one, a body of the group first.
  Separation separation;   ///< World frame; a is the first of the pair.
};

// A set is one pose (world_from_body) for each body of the group, in its order; sets lie one after another. The other
// bodies stand where the scene has them. Layers, masks, groups and ignored pairs of the scene are honoured, and two
// sensors never meet; the pair filter is not asked. One sensor is met like any body: a query that should not see those
// gives them a layer of their own. The bodies of the group count as moving, whatever their Motion. Two unbounded bodies
// make no pair.
//
// Both need Scene::prepare_queries() and only read the scene; several threads may ask at once. The sets are answered in
// parallel in the caller's TBB arena, and the answers do not depend on the number of threads.
//
// @throws InvalidInput  naming "scene": not prepared; "group[i]": a stale handle or a body that occurs twice; "poses":
//                       not a multiple of the size of the group; "poses[i].translation" or ".rotation": not finite;
//                       "answers": not one element a set; or an option.

/// Whether each set collides. Ends each set at the first pair found, and looks first where earlier sets collided.
/// @param answers  One a set.
void check(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
           const PoseSetOptions& options, std::span<PoseSetCheck> answers);
[[nodiscard]] std::vector<PoseSetCheck> check(const Scene& scene, std::span<const BodyId> group,
                                              std::span<const Pose> poses, const PoseSetOptions& options = {});

/// The smallest signed distance of each set.
/// @param answers  One a set.
void distances(const Scene& scene, std::span<const BodyId> group, std::span<const Pose> poses,
               const PoseSetOptions& options, std::span<PoseSetDistance> answers);
[[nodiscard]] std::vector<PoseSetDistance> distances(const Scene& scene, std::span<const BodyId> group,
                                                     std::span<const Pose> poses, const PoseSetOptions& options = {});

}  // namespace abut

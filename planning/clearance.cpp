// The gradient follows from the envelope theorem: a distance changes as its witness points move along the normal, each
// with its own body; the bodies move as their joints do.
#include <abut/core/infinity.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <abut/planning/clearance.h>
#include <abut/planning/configuration_check.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace abut::detail {
namespace {

/// May be NaN or infinite where squares overflow.
double bound_by_balls(const CheckerState& state, const CheckedPieces& pair) {
  const std::vector<Piece>& pieces = state.world->robot->pieces;
  const Piece& a = pieces[pair.a];
  const Vector3d center = state.frames[a.frame] * a.center;
  if (!pair.is_obstacle) {
    const Piece& b = pieces[pair.b];
    return (center - state.frames[b.frame] * b.center).norm() - a.radius - b.radius;
  }
  const Obb& box = state.world->obstacle_boxes[pair.b];
  if (!box.half_extents.allFinite()) return -kInfinity;
  // The centre's signed distance: to part from the box takes no more than that and the radius.
  const Vector3d beyond = (box.axes.transpose() * (center - box.center)).cwiseAbs() - box.half_extents;
  return std::min(beyond.maxCoeff(), 0.0) + beyond.cwiseMax(0.0).norm() - a.radius;
}

double lower_bound(const CheckerState& state, const CheckedPieces& pair) {
  const double bound = bound_by_balls(state, pair);
  return std::isfinite(bound) ? bound : -kInfinity;
}

/// Adds the derivative of direction · point by the configuration, where the point moves with a frame, seen from a frame
/// that carries that one.
void add_motion(const CheckerState& state, std::uint32_t frame, std::uint32_t from, const Vector3d& point,
                const Vector3d& direction, std::span<double> gradient) {
  const Kinematics& kinematics = state.world->robot->kinematics;
  for (std::uint32_t f = frame; f != from; f = kinematics.frames()[f].parent) {
    const MovingFrame& joint = kinematics.frames()[f];
    const Pose& pose = state.frames[f];
    const Vector3d axis = pose.rotation().col(2);
    const Vector3d velocity = joint.slides ? axis : axis.cross(point - pose.translation());
    gradient[joint.variable] += joint.multiplier * direction.dot(velocity);
  }
}

}  // namespace

NearestPair nearest_pair(CheckerState& state) {
  const CheckedWorld& world = *state.world;
  NearestPair nearest;
  nearest.separation.distance = kInfinity;
  for (const StillPair& still : world.still_pairs) {
    if (!nearest.is_found || still.separation.distance < nearest.separation.distance) {
      nearest = {true, still.pair, still.separation};
    }
  }
  if (nearest.is_found && !nearest.pair.is_obstacle) {
    transform(nearest.separation, state.frames[world.robot->pieces[nearest.pair.a].frame]);
  }
  state.bounds.clear();
  for (const CheckedPieces& pair : world.moving_pairs) state.bounds.emplace_back(lower_bound(state, pair), pair);
  std::stable_sort(state.bounds.begin(), state.bounds.end(),
                   [](const auto& p, const auto& q) { return p.first < q.first; });
  for (const auto& [bound, pair] : state.bounds) {
    if (bound > nearest.separation.distance) break;
    const PlacedPair placed = placed_pair(state, pair);
    DistanceOptions options;
    options.max_distance = nearest.separation.distance;
    const Separation separation = distance(placed.shape_a, placed.root_from_a, placed.shape_b, placed.root_from_b,
                                           options, &cache_of(state, pair));
    if (separation.status == SolveStatus::beyond_limit) continue;
    if (!nearest.is_found || separation.distance < nearest.separation.distance) nearest = {true, pair, separation};
  }
  return nearest;
}

void distance_gradient(const CheckerState& state, const CheckedPieces& pair, const Separation& separation,
                       std::span<double> gradient) {
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const std::vector<Piece>& pieces = state.world->robot->pieces;
  if (pair.is_obstacle) {
    add_motion(state, pieces[pair.a].frame, 0, separation.point_a, -separation.normal, gradient);
    return;
  }
  // What carries both moves neither against the other.
  const std::uint32_t common = state.world->robot->kinematics.common_frame(pieces[pair.a].frame, pieces[pair.b].frame);
  add_motion(state, pieces[pair.a].frame, common, separation.point_a, -separation.normal, gradient);
  add_motion(state, pieces[pair.b].frame, common, separation.point_b, separation.normal, gradient);
}

}  // namespace abut::detail

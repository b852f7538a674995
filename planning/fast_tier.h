// What the fast tier proves of one configuration: balls around and inside pieces of geometry, and tables of pairs that
// are always near. Where the pieces are, and what the balls around whole pieces leave open, is up to a Placement with
// these members; the last three show what is not proven apart until a visit returns true, and return whether one did.
//
// - pose(frame): a frame's rotation row by row, then its translation, in the root's frame, twelve floats.
// - center(piece): the centre of the ball around all of a piece, root frame, three floats.
// - visit_tabled_pairs(visit): visit(pair of balls, what its table says).
// - visit_obstacles(piece, visit): visit(place of an obstacle that the ball around the piece is near).
// - visit_free_pairs(visit): visit(pair of balls without a table).
#pragma once

#include <abut/planning/checked_world.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace abut::detail {

/// The balls of a piece, placed once a question.
template <class Placement>
BallSet placed_balls(CheckerState& state, const Placement& placement, std::uint32_t p) {
  const Piece& piece = state.world->robot->pieces[p];
  PlacedBalls& placed = state.placed[p];
  BallSet balls = piece.balls.view();
  if (placed.made_for != state.question) {
    float* const center[3] = {placed.center[0].data(), placed.center[1].data(), placed.center[2].data()};
    state.kernels.place_balls(placement.pose(piece.frame).data(), balls, center);
    placed.made_for = state.question;
  }
  for (std::size_t k = 0; k < 3; ++k) balls.center[k] = placed.center[k].data();
  return balls;
}

template <class Placement>
LaneVerdict test_balls(CheckerState& state, const Placement& placement, const CheckedPieces& pair) {
  const BallSet a = placed_balls(state, placement, pair.a);
  if (!pair.is_obstacle) {
    return state.kernels.balls_against_balls(a, placement.center(pair.a).data(),
                                             state.world->robot->pieces[pair.a].whole.outer[0],
                                             placed_balls(state, placement, pair.b));
  }
  const std::uint32_t place = state.world->place_of[pair.b];
  return state.kernels.balls_against_obstacle(a, state.world->blocks[place / kLanes], place % kLanes);
}

template <class Placement>
bool are_apart(const Placement& placement, const PairOfBalls& pair) {
  const std::array<float, 3>& a = placement.center(pair.a);
  const std::array<float, 3>& b = placement.center(pair.b);
  const float x = a[0] - b[0];
  const float y = a[1] - b[1];
  const float z = a[2] - b[2];
  return x * x + y * y + z * z > pair.radii * pair.radii;
}

/// What the table of a pair says of a configuration, as PairTable::at.
inline float tabled_distance(const CheckedRobot& robot, const PairOfBalls& pair, const double* configuration,
                             std::size_t stride = 1) {
  return robot.tables[static_cast<std::size_t>(robot.pairs[pair.pair].table)]->at(configuration, stride);
}

/// Asks about all pairs, in an order that finds collisions early.
/// @param visit  Called with each pair that is not proven apart, and its verdict; true ends the search.
template <class Placement, class Visit>
void visit_near_pairs(CheckerState& state, const Placement& placement, const Visit& visit) {
  const CheckedWorld& world = *state.world;
  const CheckedRobot& robot = *world.robot;
  const auto test = [&](const CheckedPieces& pair) {
    const LaneVerdict verdict = test_balls(state, placement, pair);
    return verdict != LaneVerdict::clear && visit(pair, verdict);
  };
  const auto test_tabled = [&](const PairOfBalls& pair, float least) {
    const CheckedPieces pieces = {pair.a, pair.b, pair.pair, false};
    if (least < 0.0F) return visit(pieces, LaneVerdict::collides);
    return !are_apart(placement, pair) && test(pieces);
  };
  if (placement.visit_tabled_pairs(test_tabled)) return;
  // What is last in the chain moves most.
  for (std::size_t i = robot.pieces.size(); i-- > 0;) {
    if (robot.pieces[i].frame == 0) continue;
    const auto p = static_cast<std::uint32_t>(i);
    const auto test_obstacle = [&](std::uint32_t place) {
      return test(CheckedPieces{p, world.obstacle_at[place], 0, true});
    };
    if (placement.visit_obstacles(p, test_obstacle)) return;
  }
  placement.visit_free_pairs([&](const PairOfBalls& pair) {
    return test(CheckedPieces{pair.a, pair.b, pair.pair, false});
  });
}

/// A pair that is proven to collide; otherwise those that are not proven apart are in state.open.
template <class Placement>
std::optional<CheckedPieces> find_proof(CheckerState& state, const Placement& placement) {
  std::optional<CheckedPieces> proven;
  state.open.clear();
  visit_near_pairs(state, placement, [&](const CheckedPieces& pair, LaneVerdict verdict) {
    if (verdict == LaneVerdict::collides) {
      proven = pair;
    } else {
      state.open.push_back(pair);
    }
    return proven.has_value();
  });
  return proven;
}

}  // namespace abut::detail

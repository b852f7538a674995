#include <abut/narrowphase/distance.h>
#include <abut/planning/configuration_check.h>

#include <array>
#include <span>

namespace abut::detail {
namespace {

/// All pairs; of obstacles only those within reach, which means something while slides are within their limits.
void all_pairs(CheckerState& state, const double* configuration) {
  const CheckedWorld& world = *state.world;
  const bool is_in_range = world.robot->in_range(configuration);
  state.open.clear();
  for (const CheckedPieces& pair : world.moving_pairs) {
    if (!is_in_range || !pair.is_obstacle || world.is_wanted(pair.a, pair.b)) state.open.push_back(pair);
  }
}

/// The centres of the balls that hold whole pieces.
void place_whole_balls(CheckerState& state) {
  const CheckedRobot& robot = *state.world->robot;
  for (std::size_t p = 0; p < robot.pieces.size(); ++p) {
    const Piece& piece = robot.pieces[p];
    const Vector3d center = state.frames[piece.frame] * piece.center;
    state.centers[p] = {static_cast<float>(center.x()), static_cast<float>(center.y()), static_cast<float>(center.z())};
  }
}

/// A pose as LaneKernels::place_balls takes it.
std::array<float, 12> in_floats(const Pose& pose) {
  std::array<float, 12> result;
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index k = 0; k < 3; ++k) {
      result[static_cast<std::size_t>(3 * i + k)] = static_cast<float>(pose.rotation()(i, k));
    }
    result[static_cast<std::size_t>(9 + i)] = static_cast<float>(pose.translation()[i]);
  }
  return result;
}

/// The balls of a piece, placed once a question.
BallSet placed_balls(CheckerState& state, std::uint32_t p, const LaneKernels& kernels) {
  const Piece& piece = state.world->robot->pieces[p];
  PlacedBalls& placed = state.placed[p];
  BallSet balls = piece.balls.view();
  if (placed.made_for != state.question) {
    float* const center[3] = {placed.center[0].data(), placed.center[1].data(), placed.center[2].data()};
    kernels.place_balls(in_floats(state.frames[piece.frame]).data(), balls, center);
    placed.made_for = state.question;
  }
  for (std::size_t k = 0; k < 3; ++k) balls.center[k] = placed.center[k].data();
  return balls;
}

Verdict test_balls(CheckerState& state, const CheckedPieces& pair, const LaneKernels& kernels) {
  const BallSet a = placed_balls(state, pair.a, kernels);
  if (!pair.is_obstacle) {
    return kernels.balls_against_balls(a, state.centers[pair.a].data(),
                                       state.world->robot->pieces[pair.a].whole.outer[0],
                                       placed_balls(state, pair.b, kernels));
  }
  const std::uint32_t place = state.world->place_of[pair.b];
  return kernels.balls_against_obstacle(a, state.world->blocks[place / kLanes], place % kLanes);
}

bool are_balls_apart(const CheckerState& state, const PairOfBalls& pair) {
  const std::array<float, 3>& a = state.centers[pair.a];
  const std::array<float, 3>& b = state.centers[pair.b];
  const float x = a[0] - b[0];
  const float y = a[1] - b[1];
  const float z = a[2] - b[2];
  return x * x + y * y + z * z > pair.radii * pair.radii;
}

/// Asks the fast tier about all pairs, in an order that finds collisions early.
/// @param visit  Called with each pair that is not proven apart, and its verdict; true ends the search.
template <class Visit>
void visit_near_pairs(CheckerState& state, const double* configuration, const Visit& visit) {
  const CheckedWorld& world = *state.world;
  const CheckedRobot& robot = *world.robot;
  const LaneKernels& kernels = lane_kernels();
  place_whole_balls(state);

  for (const PairOfBalls& pair : robot.tabled_pairs) {
    const float least = robot.tables[static_cast<std::size_t>(robot.pairs[pair.pair].table)]->at(configuration);
    if (least > 0.0F || (least == 0.0F && are_balls_apart(state, pair))) continue;
    const CheckedPieces pieces = {pair.a, pair.b, pair.pair, false};
    const Verdict verdict = least < 0.0F ? Verdict::collides : test_balls(state, pieces, kernels);
    if (verdict != Verdict::clear && visit(pieces, verdict)) return;
  }
  // What is last in the chain moves most.
  const std::size_t blocks = world.blocks.size();
  for (std::size_t p = robot.pieces.size(); p-- > 0;) {
    if (robot.pieces[p].frame == 0) continue;
    const std::size_t count =
        kernels.obstacles_near(world.blocks.data(), blocks, world.wanted.data() + p * blocks, state.centers[p].data(),
                               robot.pieces[p].whole.outer[0], state.near.data());
    for (const std::uint32_t place : std::span(state.near).first(count)) {
      const CheckedPieces pieces = {static_cast<std::uint32_t>(p), world.obstacle_at[place], 0, true};
      const Verdict verdict = test_balls(state, pieces, kernels);
      if (verdict != Verdict::clear && visit(pieces, verdict)) return;
    }
  }
  for (const PairOfBalls& pair : robot.free_pairs) {
    if (are_balls_apart(state, pair)) continue;
    const CheckedPieces pieces = {pair.a, pair.b, pair.pair, false};
    const Verdict verdict = test_balls(state, pieces, kernels);
    if (verdict != Verdict::clear && visit(pieces, verdict)) return;
  }
}

bool is_fast(const CheckerState& state, const double* configuration) {
  const CheckedRobot& robot = *state.world->robot;
  return robot.options.fast_tier && robot.in_range(configuration);
}

}  // namespace

void place_frames(CheckerState& state, const double* configuration) {
  const Kinematics& kinematics = state.world->robot->kinematics;
  kinematics.poses({configuration, kinematics.dimension()}, state.frames);
  ++state.question;
}

PlacedPair placed_pair(const CheckerState& state, const CheckedPieces& pair) {
  const std::vector<Piece>& pieces = state.world->robot->pieces;
  const Piece& a = pieces[pair.a];
  const Pose root_from_a = state.frames[a.frame] * a.frame_from_shape;
  if (pair.is_obstacle) {
    const PlacedObstacle& b = state.world->obstacles[pair.b];
    return {a.shape, root_from_a, b.shape, b.root_from_obstacle};
  }
  const Piece& b = pieces[pair.b];
  return {a.shape, root_from_a, b.shape, state.frames[b.frame] * b.frame_from_shape};
}

PairCache& cache_of(CheckerState& state, const CheckedPieces& pair) {
  const CheckedWorld& world = *state.world;
  return state.caches[pair.is_obstacle ? world.obstacle_pair(pair.a, pair.b) : world.piece_pair(pair.pair)];
}

CheckedPair names_of(const CheckedWorld& world, const CheckedPieces& pair) {
  const CheckedRobot& robot = *world.robot;
  const std::string& link = robot.body_names[robot.pieces[pair.a].body];
  if (pair.is_obstacle) return {link, world.obstacles[pair.b].name};
  return {link, robot.body_names[robot.pieces[pair.b].body]};
}

std::optional<CheckedPieces> find_contact(CheckerState& state, const double* configuration) {
  if (state.world->still_contact) return state.world->still_contact;
  if (is_fast(state, configuration)) {
    std::optional<CheckedPieces> proven;
    state.open.clear();
    visit_near_pairs(state, configuration, [&](const CheckedPieces& pair, Verdict verdict) {
      if (verdict == Verdict::collides) {
        proven = pair;
      } else {
        state.open.push_back(pair);
      }
      return proven.has_value();
    });
    if (proven) return proven;
  } else {
    all_pairs(state, configuration);
  }
  for (const CheckedPieces& pair : state.open) {
    const PlacedPair placed = placed_pair(state, pair);
    if (collides(placed.shape_a, placed.root_from_a, placed.shape_b, placed.root_from_b, 0.0, {},
                 &cache_of(state, pair))) {
      return pair;
    }
  }
  return std::nullopt;
}

void find_near_pairs(CheckerState& state, const double* configuration) {
  if (!is_fast(state, configuration)) return all_pairs(state, configuration);
  state.open.clear();
  visit_near_pairs(state, configuration, [&](const CheckedPieces& pair, Verdict) {
    state.open.push_back(pair);
    return false;
  });
}

}  // namespace abut::detail

#include <abut/narrowphase/distance.h>
#include <abut/planning/configuration_check.h>

#include <bit>

namespace abut::detail {
namespace {

/// A pair that is in collision wherever the robot is.
std::optional<CheckedPieces> still_contact(const CheckedWorld& world) {
  for (const StillPair& still : world.still_pairs) {
    if (is_contact(still.separation)) return still.pair;
  }
  return std::nullopt;
}

/// All pairs; of obstacles only those within reach, which means something while slides are within their limits.
void all_pairs(CheckerState& state, const double* configuration) {
  const CheckedWorld& world = *state.world;
  const bool is_in_range = world.robot->in_range(configuration);
  state.open.clear();
  for (const CheckedPieces& pair : world.moving_pairs) {
    if (!is_in_range || !pair.is_obstacle || world.is_wanted(pair.a, pair.b)) state.open.push_back(pair);
  }
}

/// Frames in floats, and the centres of the balls that hold whole pieces.
void place_whole_balls(CheckerState& state) {
  const CheckedRobot& robot = *state.world->robot;
  for (std::size_t f = 0; f < state.frames.size(); ++f) {
    const Matrix3d& rotation = state.frames[f].rotation();
    const Vector3d& translation = state.frames[f].translation();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      for (std::size_t k = 0; k < 3; ++k) {
        state.float_frames[f][3 * i + k] = static_cast<float>(rotation(row, static_cast<Eigen::Index>(k)));
      }
      state.float_frames[f][9 + i] = static_cast<float>(translation[row]);
    }
  }
  for (std::size_t p = 0; p < robot.pieces.size(); ++p) {
    const Piece& piece = robot.pieces[p];
    const Vector3d center = state.frames[piece.frame] * piece.center;
    for (std::size_t k = 0; k < 3; ++k) state.centers[k][p] = static_cast<float>(center[static_cast<Eigen::Index>(k)]);
  }
}

/// The balls of a piece, placed once a question.
BallSet placed_balls(CheckerState& state, std::uint32_t p, const LaneKernels& kernels) {
  const Piece& piece = state.world->robot->pieces[p];
  PlacedBalls& placed = state.placed[p];
  BallSet balls = piece.balls.view();
  if (placed.made_for != state.question) {
    float* const center[3] = {placed.center[0].data(), placed.center[1].data(), placed.center[2].data()};
    kernels.place_balls(state.float_frames[piece.frame].data(), balls, center);
    placed.made_for = state.question;
  }
  for (std::size_t k = 0; k < 3; ++k) balls.center[k] = placed.center[k].data();
  return balls;
}

/// The pairs whose whole balls are not proven apart, into state.open. @return One that a table proves to collide.
std::optional<CheckedPieces> test_whole_balls(CheckerState& state, const double* configuration,
                                              const LaneKernels& kernels) {
  const CheckedWorld& world = *state.world;
  const CheckedRobot& robot = *world.robot;
  state.open.clear();
  std::optional<CheckedPieces> found;
  for (std::uint32_t i = 0; i < robot.pairs.size(); ++i) {
    const PiecePair& pair = robot.pairs[i];
    if (pair.table >= 0) {
      const float least = robot.tables[static_cast<std::size_t>(pair.table)]->at(configuration);
      if (least > 0.0F) continue;
      if (least < 0.0F && !found) found = CheckedPieces{pair.a, pair.b, i, false};
    }
    const float x = state.centers[0][pair.a] - state.centers[0][pair.b];
    const float y = state.centers[1][pair.a] - state.centers[1][pair.b];
    const float z = state.centers[2][pair.a] - state.centers[2][pair.b];
    const float radii = robot.pieces[pair.a].whole.outer[0] + robot.pieces[pair.b].whole.outer[0];
    if (x * x + y * y + z * z > radii * radii) continue;
    state.open.push_back({pair.a, pair.b, i, false});
  }
  for (std::uint32_t p = 0; p < robot.pieces.size(); ++p) {
    const Piece& piece = robot.pieces[p];
    if (piece.frame == 0) continue;
    const float center[3] = {state.centers[0][p], state.centers[1][p], state.centers[2][p]};
    kernels.obstacles_near(world.blocks.data(), world.blocks.size(), world.wanted.data() + p * world.blocks.size(),
                           center, piece.whole.outer[0], state.near.data());
    for (std::size_t block = 0; block < world.blocks.size(); ++block) {
      for (unsigned bits = state.near[block]; bits != 0; bits &= bits - 1) {
        const std::size_t place = block * kLanes + static_cast<std::size_t>(std::countr_zero(bits));
        state.open.push_back({p, world.obstacle_at[place], 0, true});
      }
    }
  }
  return found;
}

Verdict test_balls(CheckerState& state, const CheckedPieces& pair, const LaneKernels& kernels) {
  const BallSet a = placed_balls(state, pair.a, kernels);
  if (!pair.is_obstacle) return kernels.balls_against_balls(a, placed_balls(state, pair.b, kernels), 0.0F);
  const std::uint32_t place = state.world->place_of[pair.b];
  return kernels.balls_against_obstacle(a, state.world->blocks[place / kLanes], place % kLanes);
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

bool is_contact(const Separation& separation) {
  return separation.distance - separation.distance_error <= 0.0;
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
  if (const std::optional<CheckedPieces> still = still_contact(*state.world)) return still;
  if (is_fast(state, configuration)) {
    const LaneKernels& kernels = lane_kernels();
    place_whole_balls(state);
    if (const std::optional<CheckedPieces> proven = test_whole_balls(state, configuration, kernels)) return proven;
    std::size_t left = 0;
    for (const CheckedPieces& pair : state.open) {
      const Verdict verdict = test_balls(state, pair, kernels);
      if (verdict == Verdict::collides) return pair;
      if (verdict == Verdict::unknown) state.open[left++] = pair;
    }
    state.open.resize(left);
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
  const LaneKernels& kernels = lane_kernels();
  place_whole_balls(state);
  static_cast<void>(test_whole_balls(state, configuration, kernels));
  std::erase_if(state.open,
                [&](const CheckedPieces& pair) { return test_balls(state, pair, kernels) == Verdict::clear; });
}

}  // namespace abut::detail

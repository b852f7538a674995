#include <abut/narrowphase/distance.h>
#include <abut/planning/configuration_check.h>
#include <abut/planning/fast_tier.h>

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

/// A configuration by itself: the frames of the state.
class PlacedFrames {
 public:
  PlacedFrames(CheckerState& state, const double* configuration) : state_(state), configuration_(configuration) {
    const CheckedRobot& robot = *state.world->robot;
    for (std::size_t p = 0; p < robot.pieces.size(); ++p) {
      const Piece& piece = robot.pieces[p];
      const Vector3d center = state.frames[piece.frame] * piece.center;
      state.centers[p] = {static_cast<float>(center.x()), static_cast<float>(center.y()),
                          static_cast<float>(center.z())};
    }
  }

  [[nodiscard]] std::array<float, 12> pose(std::uint32_t frame) const {
    const Pose& placed = state_.frames[frame];
    std::array<float, 12> result;
    for (Eigen::Index i = 0; i < 3; ++i) {
      for (Eigen::Index k = 0; k < 3; ++k) {
        result[static_cast<std::size_t>(3 * i + k)] = static_cast<float>(placed.rotation()(i, k));
      }
      result[static_cast<std::size_t>(9 + i)] = static_cast<float>(placed.translation()[i]);
    }
    return result;
  }

  [[nodiscard]] const std::array<float, 3>& center(std::uint32_t piece) const { return state_.centers[piece]; }

  template <class Visit>
  bool visit_tabled_pairs(const Visit& visit) const {
    const CheckedRobot& robot = *state_.world->robot;
    for (const PairOfBalls& pair : robot.tabled_pairs) {
      const float least = tabled_distance(robot, pair, configuration_);
      if (!(least > 0.0F) && visit(pair, least)) return true;
    }
    return false;
  }

  template <class Visit>
  bool visit_obstacles(std::uint32_t p, const Visit& visit) const {
    const CheckedWorld& world = *state_.world;
    const std::size_t blocks = world.blocks.size();
    const std::size_t count =
        state_.kernels.obstacles_near(world.blocks.data(), blocks, world.wanted.data() + p * blocks, center(p).data(),
                                      world.robot->pieces[p].whole.outer[0], state_.near.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (visit(state_.near[i])) return true;
    }
    return false;
  }

  template <class Visit>
  bool visit_free_pairs(const Visit& visit) const {
    for (const PairOfBalls& pair : state_.world->robot->free_pairs) {
      if (!are_apart(*this, pair) && visit(pair)) return true;
    }
    return false;
  }

 private:
  CheckerState& state_;
  const double* configuration_;
};

/// Whether the fast tier can be asked about a configuration.
bool is_fast(const CheckerState& state, const double* configuration) {
  const CheckedRobot& robot = *state.world->robot;
  return robot.is_fast && robot.in_range(configuration);
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
    if (const auto proven = find_proof(state, PlacedFrames(state, configuration))) return proven;
  } else {
    all_pairs(state, configuration);
  }
  return exact_contact(state);
}

std::optional<CheckedPieces> exact_contact(CheckerState& state) {
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
  visit_near_pairs(state, PlacedFrames(state, configuration), [&](const CheckedPieces& pair, LaneVerdict) {
    state.open.push_back(pair);
    return false;
  });
}

}  // namespace abut::detail

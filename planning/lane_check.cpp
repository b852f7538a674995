#include <abut/planning/configuration_check.h>
#include <abut/planning/fast_tier.h>
#include <abut/planning/lane_check.h>

#include <algorithm>
#include <array>

namespace abut::detail {
namespace {

/// With fewer than this it is cheaper to place one after another.
constexpr std::size_t kFewestLanes = 3;

/// One of the lanes.
class PlacedInLane {
 public:
  PlacedInLane(const CheckerState& state, std::size_t lane) : state_(state), lane_(lane) {}

  [[nodiscard]] std::array<float, 12> pose(std::uint32_t frame) const {
    const LanePose& placed = state_.lane_poses[frame];
    std::array<float, 12> result;
    for (std::size_t k = 0; k < 9; ++k) result[k] = placed.rotation[k][lane_];
    for (std::size_t k = 0; k < 3; ++k) result[9 + k] = placed.translation[k][lane_];
    return result;
  }

  [[nodiscard]] std::array<float, 3> center(std::uint32_t piece) const {
    const LaneCenter& placed = state_.lane_centers[piece];
    return {placed.at[0][lane_], placed.at[1][lane_], placed.at[2][lane_]};
  }

  template <class Visit>
  bool visit_tabled_pairs(const Visit& visit) const {
    const CheckedRobot& robot = *state_.world->robot;
    return visit_near(state_.lane_tables, [&](std::uint32_t which) {
      const PairOfBalls& pair = robot.tabled_pairs[which];
      return visit(pair, tabled_distance(robot, pair, state_.lane_values.data() + lane_, kLanes));
    });
  }

  template <class Visit>
  bool visit_obstacles(std::uint32_t piece, const Visit& visit) const {
    return visit_near(state_.lane_obstacles[piece], visit);
  }

  template <class Visit>
  bool visit_free_pairs(const Visit& visit) const {
    return visit_near(state_.lane_pairs,
                      [&](std::uint32_t which) { return visit(state_.world->robot->free_pairs[which]); });
  }

 private:
  template <class Visit>
  bool visit_near(const NearPlaces& places, const Visit& visit) const {
    for (std::size_t i = places.begin; i < places.end; ++i) {
      const NearInLanes& near = state_.lane_near[i];
      if (((near.lanes >> lane_) & 1U) != 0 && visit(near.which)) return true;
    }
    return false;
  }

  const CheckerState& state_;
  std::size_t lane_;
};

}  // namespace

void put_in_lane(CheckerState& state, std::size_t lane, const double* configuration) {
  for (std::size_t v = 0; v < state.work.size(); ++v) state.lane_values[kLanes * v + lane] = configuration[v];
}

LaneCheck::LaneCheck(CheckerState& state, std::size_t count, bool are_in_range) : state_(state) {
  if (count < kFewestLanes || !are_in_range || !state.world->robot->is_fast) return;
  for (std::size_t v = 0; v < state.work.size(); ++v) {
    double* const values = state.lane_values.data() + kLanes * v;
    std::fill(values + count, values + kLanes, values[0]);
  }
  place_pieces();
}

NearPlaces LaneCheck::noted(std::size_t count) {
  const NearPlaces places = {found_, found_ + count};
  for (; found_ < places.end; ++found_) open_ |= state_.lane_near[found_].lanes;
  return places;
}

void LaneCheck::place_pieces() {
  const CheckedWorld& world = *state_.world;
  const CheckedRobot& robot = *world.robot;
  const LaneKernels& kernels = state_.kernels;
  state_.lane_tables = noted(look_into_tables());
  kernels.poses(robot.lane_frames.data(), robot.lane_frames.size(), state_.lane_values.data(),
                state_.lane_poses.data());
  const std::size_t blocks = world.blocks.size();
  for (std::size_t p = 0; p < robot.pieces.size(); ++p) {
    const Piece& piece = robot.pieces[p];
    LaneCenter& center = state_.lane_centers[p];
    kernels.centers(state_.lane_poses[piece.frame], piece.whole.view(), 1, &center);
    if (piece.frame == 0) continue;
    state_.lane_obstacles[p] =
        noted(kernels.states_near_obstacles(world.blocks.data(), blocks, world.wanted.data() + p * blocks, center,
                                            piece.whole.outer[0], state_.lane_near.data() + found_));
  }
  state_.lane_pairs = noted(kernels.states_near_each_other(
      robot.free_pairs.data(), robot.free_pairs.size(), state_.lane_centers.data(), state_.lane_near.data() + found_));
  is_placed_ = true;
}

std::size_t LaneCheck::look_into_tables() {
  const CheckedRobot& robot = *state_.world->robot;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < robot.tabled_pairs.size(); ++i) {
    unsigned lanes = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double* const configuration = state_.lane_values.data() + lane;
      if (!(tabled_distance(robot, robot.tabled_pairs[i], configuration, kLanes) > 0.0F)) lanes |= 1U << lane;
    }
    if (lanes != 0) state_.lane_near[found_ + count++] = {i, lanes};
  }
  return count;
}

const double* LaneCheck::configuration_of(std::size_t lane) {
  for (std::size_t v = 0; v < state_.work.size(); ++v) state_.work[v] = state_.lane_values[kLanes * v + lane];
  return state_.work.data();
}

std::optional<CheckedPieces> LaneCheck::find_contact(std::size_t lane) {
  if (state_.world->still_contact) return state_.world->still_contact;
  if (!is_placed_) {
    const double* const configuration = configuration_of(lane);
    place_frames(state_, configuration);
    return detail::find_contact(state_, configuration);
  }
  if (((open_ >> lane) & 1U) == 0) return std::nullopt;
  ++state_.question;
  if (const auto proven = find_proof(state_, PlacedInLane(state_, lane))) return proven;
  if (state_.open.empty()) return std::nullopt;
  place_frames(state_, configuration_of(lane));
  return exact_contact(state_);
}

void check_configurations(CheckerState& state, const double* configurations, std::span<std::uint8_t> valid) {
  const CheckedRobot& robot = *state.world->robot;
  for (std::size_t first = 0; first < valid.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, valid.size() - first);
    bool are_in_range = true;
    for (std::size_t lane = 0; lane < count; ++lane) {
      const double* const one = configurations + (first + lane) * robot.kinematics.dimension();
      put_in_lane(state, lane, one);
      are_in_range = are_in_range && robot.in_range(one);
    }
    LaneCheck check(state, count, are_in_range);
    for (std::size_t lane = 0; lane < count; ++lane) valid[first + lane] = check.find_contact(lane) ? 0 : 1;
  }
}

}  // namespace abut::detail

#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <abut/planning/checked_world.h>
#include <abut/planning/clearance.h>
#include <abut/planning/configuration_check.h>
#include <abut/planning/lane_check.h>
#include <abut/planning/motion_check.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace abut {
namespace {

void require_size(std::string_view field, std::size_t size, std::size_t wanted) {
  if (size == wanted) return;
  throw InvalidInput(std::string(field),
                     "must have " + std::to_string(wanted) + " numbers, not " + std::to_string(size));
}

std::string element(std::string_view field, std::size_t i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

/// @param values  Of configurations, one after another.
void require_values(std::string_view field, std::span<const double> values, const detail::CheckedRobot& robot) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(std::abs(values[i]) <= ValidityChecker::kLargestValue)) detail::require_value(element(field, i), values[i]);
  }
  for (const detail::Follower& follower : robot.followers) {
    for (std::size_t i = follower.variable; i < values.size(); i += robot.kinematics.dimension()) {
      const double value = follower.multiplier * values[i] + follower.offset;
      if (!(std::abs(value) <= ValidityChecker::kLargestValue)) {
        detail::require_followed(element(field, i), values[i], robot.robot.joints()[follower.joint].name,
                                 follower.multiplier, follower.offset);
      }
    }
  }
}

void require_configuration(std::string_view field, std::span<const double> configuration,
                           const detail::CheckedRobot& robot) {
  require_size(field, configuration.size(), robot.kinematics.dimension());
  require_values(field, configuration, robot);
}

/// Calls run(first, count, state) for all of 0 … count - 1, in parallel, with a state a thread.
template <class Run>
void for_runs_in_parallel(const ValidityChecker& checker, std::size_t count, const Run& run) {
  constexpr std::size_t kRun = 2 * detail::kLanes;
  tbb::enumerable_thread_specific<ValidityChecker::State> states(
      [&checker] { return ValidityChecker::State(checker); });
  tbb::parallel_for(std::size_t{0}, (count + kRun - 1) / kRun,
                    [&](std::size_t i) { run(i * kRun, std::min(kRun, count - i * kRun), states.local()); });
}

std::size_t configuration_count(std::string_view field, std::span<const double> configurations,
                                const detail::CheckedRobot& robot) {
  const std::size_t dimension = robot.kinematics.dimension();
  require_values(field, configurations, robot);
  if (dimension == 0 ? configurations.empty() : configurations.size() % dimension == 0) {
    return dimension == 0 ? 0 : configurations.size() / dimension;
  }
  throw InvalidInput(std::string(field), "must have a multiple of " + std::to_string(dimension) + " numbers, not " +
                                             std::to_string(configurations.size()));
}

}  // namespace

ValidityChecker::State::State(const ValidityChecker& checker)
    : state_(std::make_unique<detail::CheckerState>(checker.world_)) {}
ValidityChecker::State::~State() = default;
ValidityChecker::State::State(State&&) noexcept = default;
ValidityChecker::State& ValidityChecker::State::operator=(State&&) noexcept = default;

void ValidityChecker::State::forget() {
  std::fill(state_->caches.begin(), state_->caches.end(), PairCache());
}

ValidityChecker::ValidityChecker(const RobotModel& robot, std::vector<Obstacle> obstacles,
                                 const ValidityOptions& options)
    : world_(std::make_shared<const detail::CheckedWorld>(
          std::make_shared<const detail::CheckedRobot>(robot, options, std::vector<AttachedBody>()),
          std::move(obstacles))) {}

ValidityChecker ValidityChecker::with_obstacles(std::vector<Obstacle> obstacles) const {
  return ValidityChecker(std::make_shared<const detail::CheckedWorld>(world_->robot, std::move(obstacles)));
}

ValidityChecker ValidityChecker::with_attached(const AttachedBody& body) const {
  std::vector<AttachedBody> attached = world_->robot->attached;
  attached.push_back(body);
  return ValidityChecker(std::make_shared<const detail::CheckedWorld>(
      std::make_shared<const detail::CheckedRobot>(*world_->robot, attached), world_->given));
}

ValidityChecker ValidityChecker::without_attached(std::string_view name) const {
  std::vector<AttachedBody> attached = world_->robot->attached;
  if (std::erase_if(attached, [&name](const AttachedBody& body) { return body.name == name; }) == 0) {
    throw InvalidInput("attached", "there is no attached body '" + std::string(name) + "'");
  }
  for (AttachedBody& body : attached) std::erase(body.touch_links, name);
  return ValidityChecker(std::make_shared<const detail::CheckedWorld>(
      std::make_shared<const detail::CheckedRobot>(*world_->robot, attached), world_->given));
}

std::size_t ValidityChecker::dimension() const {
  return world_->robot->kinematics.dimension();
}
std::span<const std::size_t> ValidityChecker::variables() const {
  return world_->robot->variables;
}
const RobotModel& ValidityChecker::robot() const {
  return world_->robot->robot;
}
void ValidityChecker::require_value(std::string_view field, std::size_t i, double value) const {
  detail::require_value(field, value);
  const detail::CheckedRobot& checked = *world_->robot;
  for (const detail::Follower& follower : checked.followers) {
    if (follower.variable != i) continue;
    detail::require_followed(field, value, checked.robot.joints()[follower.joint].name, follower.multiplier,
                             follower.offset);
  }
}
std::size_t ValidityChecker::pair_count() const {
  return world_->moving_pairs.size() + world_->still_pairs.size();
}

detail::CheckerState& ValidityChecker::begin(State& state, std::span<const double> configuration) const {
  require_configuration("configuration", configuration, *world_->robot);
  return ready(state);
}

detail::CheckerState& ValidityChecker::ready(State& state) const {
  if (state.state_->world != world_) throw InvalidInput("state", "was made for another checker");
  return *state.state_;
}

bool ValidityChecker::is_valid(std::span<const double> configuration, State& state) const {
  detail::CheckerState& work = begin(state, configuration);
  detail::place_frames(work, configuration.data());
  return !detail::find_contact(work, configuration.data());
}

std::optional<CheckedPair> ValidityChecker::first_contact(std::span<const double> configuration, State& state) const {
  detail::CheckerState& work = begin(state, configuration);
  detail::place_frames(work, configuration.data());
  const std::optional<detail::CheckedPieces> found = detail::find_contact(work, configuration.data());
  return found ? std::optional(detail::names_of(*world_, *found)) : std::nullopt;
}

std::vector<CheckedSeparation> ValidityChecker::contacts(std::span<const double> configuration, State& state) const {
  detail::CheckerState& work = begin(state, configuration);
  detail::place_frames(work, configuration.data());
  detail::find_near_pairs(work, configuration.data());
  const Pose& world_from_root = world_->robot->options.world_from_root;
  std::vector<CheckedSeparation> result;
  const auto add = [&](const detail::CheckedPieces& pair, Separation separation) {
    detail::transform(separation, world_from_root);
    result.push_back({detail::names_of(*world_, pair), separation});
  };
  for (const detail::StillPair& still : world_->still_pairs) {
    if (!detail::is_contact(still.separation)) continue;
    Separation separation = still.separation;
    if (!still.pair.is_obstacle) {
      detail::transform(separation, work.frames[world_->robot->pieces[still.pair.a].frame]);
    }
    add(still.pair, separation);
  }
  for (const detail::CheckedPieces& pair : work.open) {
    const detail::PlacedPair placed = detail::placed_pair(work, pair);
    const Separation separation = distance(placed.shape_a, placed.root_from_a, placed.shape_b, placed.root_from_b, {},
                                           &detail::cache_of(work, pair));
    if (detail::is_contact(separation)) add(pair, separation);
  }
  return result;
}

Clearance ValidityChecker::clearance(std::span<const double> configuration, State& state) const {
  return clearance(configuration, state, {});
}

Clearance ValidityChecker::clearance(std::span<const double> configuration, State& state,
                                     std::span<double> gradient) const {
  detail::CheckerState& work = begin(state, configuration);
  if (!gradient.empty()) require_size("gradient", gradient.size(), dimension());
  detail::place_frames(work, configuration.data());
  detail::NearestPair nearest = detail::nearest_pair(work);
  Clearance result;
  if (!nearest.is_found) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    result.distance = kInfinity;
    return result;
  }
  if (!gradient.empty()) {
    const detail::PlacedPair placed = detail::placed_pair(work, nearest.pair);
    nearest.separation =
        refined(placed.shape_a, placed.root_from_a, placed.shape_b, placed.root_from_b, nearest.separation);
    detail::distance_gradient(work, nearest.pair, nearest.separation, gradient);
  }
  result.separation = nearest.separation;
  detail::transform(result.separation, world_->robot->options.world_from_root);
  result.distance = nearest.separation.distance;
  result.distance_error = nearest.separation.distance_error;
  result.pair = detail::names_of(*world_, nearest.pair);
  return result;
}

MotionCheck ValidityChecker::described(const detail::MotionOutcome& outcome) const {
  MotionCheck result;
  result.is_valid = outcome.is_valid;
  result.last_valid = outcome.last_valid;
  result.first_invalid = outcome.first_invalid;
  if (!outcome.is_valid) result.pair = detail::names_of(*world_, outcome.pair);
  return result;
}

detail::CheckerState& ValidityChecker::begin(State& state, std::span<const double> from,
                                             std::span<const double> to) const {
  require_configuration("from", from, *world_->robot);
  require_configuration("to", to, *world_->robot);
  return ready(state);
}

bool ValidityChecker::is_motion_valid(std::span<const double> from, std::span<const double> to, double resolution,
                                      State& state) const {
  require_positive("resolution", resolution);
  return detail::sampled_motion(begin(state, from, to), from.data(), to.data(), resolution, /*find_first=*/false)
      .is_valid;
}

MotionCheck ValidityChecker::check_motion(std::span<const double> from, std::span<const double> to, double resolution,
                                          State& state) const {
  require_positive("resolution", resolution);
  return described(
      detail::sampled_motion(begin(state, from, to), from.data(), to.data(), resolution, /*find_first=*/true));
}

bool ValidityChecker::is_motion_valid(std::span<const double> from, std::span<const double> to, State& state) const {
  detail::CheckerState& work = begin(state, from, to);
  detail::require_provable("to", work, from.data(), to.data());
  return detail::certified_motion(work, from.data(), to.data(), /*find_first=*/false).is_valid;
}

MotionCheck ValidityChecker::check_motion(std::span<const double> from, std::span<const double> to,
                                          State& state) const {
  detail::CheckerState& work = begin(state, from, to);
  detail::require_provable("to", work, from.data(), to.data());
  return described(detail::certified_motion(work, from.data(), to.data(), /*find_first=*/true));
}

void ValidityChecker::are_valid(std::span<const double> configurations, std::span<std::uint8_t> valid) const {
  const std::size_t count = configuration_count("configurations", configurations, *world_->robot);
  require_size("valid", valid.size(), count);
  for_runs_in_parallel(*this, count, [&](std::size_t first, std::size_t in_run, State& state) {
    detail::check_configurations(ready(state), configurations.data() + first * dimension(),
                                 valid.subspan(first, in_run));
  });
}

void ValidityChecker::are_motions_valid(std::span<const double> from, std::span<const double> to,
                                        std::span<std::uint8_t> valid) const {
  const std::size_t count = configuration_count("from", from, *world_->robot);
  require_size("to", to.size(), from.size());
  static_cast<void>(configuration_count("to", to, *world_->robot));
  require_size("valid", valid.size(), count);
  const auto start = [&](std::size_t i) { return from.data() + i * dimension(); };
  const auto end = [&](std::size_t i) { return to.data() + i * dimension(); };
  // Before any is answered: which one is refused does not depend on the threads.
  State first_state(*this);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      detail::require_provable("to", ready(first_state), start(i), end(i));
    } catch (const InvalidInput& error) {
      throw InvalidInput("motion " + std::to_string(i), error.what());
    }
  }
  for_runs_in_parallel(*this, count, [&](std::size_t first, std::size_t in_run, State& state) {
    for (std::size_t i = first; i < first + in_run; ++i) {
      valid[i] = detail::certified_motion(ready(state), start(i), end(i), /*find_first=*/false).is_valid ? 1 : 0;
    }
  });
}

}  // namespace abut

// Certified motions go by two tiers. Eight states along the way are looked at side by side: between one and the next a
// ball around a piece stays within its reach of the middle, so that what is clear of all balls, thus widened, is clear
// all along, and a ball inside a piece that meets an obstacle is a collision. The rest goes pair by pair: a distance at
// the middle of a stretch clears as much of it as the pair cannot close that distance in (conservative advancement; the
// directional bound follows Zhang, Lee, Kim, "Interactive Continuous Collision Detection for Non-Convex Polyhedra",
// 2006), and what is left on both sides is looked at in turn.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/separate.h>
#include <abut/planning/configuration_check.h>
#include <abut/planning/lane_check.h>
#include <abut/planning/motion_check.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut::detail {
namespace {

/// Stretches between eight states.
constexpr std::size_t kStretches = kLanes - 1;
constexpr unsigned kAllStretches = (1U << kStretches) - 1U;
/// Fractions of a motion are told no more finely than this.
constexpr double kFinestFraction = 1e-7;

void configuration_at(const double* from, const double* to, double t, std::span<double> configuration) {
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    configuration[i] = t == 1.0 ? to[i] : from[i] + t * (to[i] - from[i]);
  }
}

/// Puts states of a motion side by side into state.lane_values. @param t  Their fractions.
void put_in_lanes(CheckerState& state, const double* from, const double* to, const std::array<double, kLanes>& t) {
  for (std::size_t v = 0; v < state.work.size(); ++v) {
    double* const values = state.lane_values.data() + kLanes * v;
    const double change = to[v] - from[v];
    for (std::size_t i = 0; i < kLanes; ++i) values[i] = t[i] == 1.0 ? to[v] : from[v] + t[i] * change;
  }
}

/// Order in which the samples 0 … count - 1 of a motion are looked at, kLanes together.
class SampleOrder {
 public:
  /// @param as_they_come  Else a first few all along the motion, then the others from its end to its start, so that
  ///                      those that are looked at together are near each other.
  SampleOrder(std::size_t count, bool as_they_come) : count_(count), left_(count), as_they_come_(as_they_come) {
    constexpr std::size_t kMany = 32;
    if (!as_they_come && count >= kLanes) few_ = count < kMany ? kLanes : 2 * kLanes;
  }

  /// The next of them. @return How many there are; 0 when none is left.
  std::size_t next(std::array<std::size_t, kLanes>& samples) {
    std::size_t count = 0;
    while (count < kLanes && next_of_few_ < few_) {
      const std::size_t i = next_of_few_++;
      samples[count++] = of_few(i % kLanes * (few_ / kLanes) + i / kLanes);
    }
    while (count < kLanes && left_ > 0) {
      --left_;
      const std::size_t sample = as_they_come_ ? count_ - 1 - left_ : left_;
      const bool was_one_of_few = few_ != 0 && of_few((sample * few_ + count_ - 1) / count_) == sample;
      if (!was_one_of_few) samples[count++] = sample;
    }
    return count;
  }

 private:
  /// Evenly spread.
  [[nodiscard]] std::size_t of_few(std::size_t i) const { return i * count_ / few_; }

  std::size_t count_;
  std::size_t left_;
  bool as_they_come_;
  std::size_t few_ = 0;
  std::size_t next_of_few_ = 0;
};

/// One certified motion.
class CertifiedMotion {
 public:
  CertifiedMotion(CheckerState& state, const double* from, const double* to, bool find_first)
      : state_(state), world_(*state.world), robot_(*world_.robot), from_(from), to_(to), find_first_(find_first) {
    for (std::size_t i = 0; i < state.change.size(); ++i) state.change[i] = to[i] - from[i];
  }

  MotionOutcome run() {
    if (world_.still_contact) return {false, -1.0, 0.0, *world_.still_contact};
    // Planners mostly ask for motions out of what is free into what may not be: a collision at the end ends the
    // question.
    if (!find_first_) {
      place_frames(state_, to_);
      if (const std::optional<CheckedPieces> contact = find_contact(state_, to_)) {
        found(*contact, 1.0);
        return outcome_;
      }
    }
    ++state_.question;
    state_.bound.begin(robot_, state_.change.data(), from_);
    state_.stretches.clear();
    const bool is_in_range = robot_.in_range(from_) && robot_.in_range(to_);
    if (robot_.is_fast && is_in_range) {
      look_at_states();
    } else {
      for (const CheckedPieces& pair : world_.moving_pairs) {
        const bool is_wanted = !is_in_range || !pair.is_obstacle || world_.is_wanted(pair.a, pair.b);
        if (is_wanted) state_.stretches.push_back({pair, kAllStretches});
      }
    }
    if (!is_done()) prove_stretches();
    outcome_.last_valid = std::min(outcome_.last_valid, outcome_.first_invalid);
    return outcome_;
  }

 private:
  static double fraction(std::size_t state) { return static_cast<double>(state) / static_cast<double>(kStretches); }
  [[nodiscard]] bool is_done() const { return !outcome_.is_valid && !find_first_; }

  void found(const CheckedPieces& pair, double t) {
    if (t >= outcome_.first_invalid) return;
    outcome_.is_valid = false;
    outcome_.first_invalid = t;
    outcome_.pair = pair;
  }

  /// Notes a collision in the first of the states that hit.
  void found_states(const CheckedPieces& pair, unsigned hits) {
    if (hits != 0) found(pair, fraction(static_cast<std::size_t>(std::countr_zero(hits))));
  }

  /// How far a curve comes from the chord between one state and the next: a parabola's height over it, with room for
  /// the rounding of this.
  static float sag_of(double bend) {
    constexpr double kHalf = 0.5 / static_cast<double>(kStretches);
    constexpr double kRoundedUp = 1.0 + 1e-6;
    return static_cast<float>(0.5 * kHalf * kHalf * bend * kRoundedUp);
  }

  void look_at_states() {
    const LaneKernels& kernels = state_.kernels;
    std::array<double, kLanes> t;
    for (std::size_t i = 0; i < kLanes; ++i) t[i] = fraction(i);
    put_in_lanes(state_, from_, to_, t);
    kernels.poses(robot_.lane_frames.data(), robot_.lane_frames.size(), state_.lane_values.data(),
                  state_.lane_poses.data());
    // What is last in the chain moves most.
    for (std::size_t p = robot_.pieces.size(); p-- > 0 && !is_done();) {
      if (robot_.pieces[p].frame != 0) look_at_obstacles(static_cast<std::uint32_t>(p), kernels);
    }
    if (!is_done()) look_at_pairs(kernels);
  }

  void look_at_obstacles(std::uint32_t p, const LaneKernels& kernels) {
    const Piece& piece = robot_.pieces[p];
    const LanePose& pose = state_.lane_poses[piece.frame];
    const float sag = sag_of(state_.bound.bend(piece, 0));
    LanePath whole;
    kernels.paths(pose, piece.whole.view(), 1, sag, &whole);
    const std::size_t blocks = world_.blocks.size();
    const std::size_t count =
        kernels.path_near_obstacles(world_.blocks.data(), blocks, world_.wanted.data() + p * blocks, whole,
                                    piece.whole.outer[0], state_.lane_near.data());
    if (count == 0) return;
    kernels.paths(pose, piece.balls.view(), piece.balls.count, sag, state_.paths.data());
    for (const NearInLanes& near : std::span(state_.lane_near).first(count)) {
      const CheckedPieces pair = {p, world_.obstacle_at[near.which], 0, true};
      unsigned hits = 0;
      const unsigned open = kernels.paths_near_obstacle(
          state_.paths.data(), piece.balls.outer.data(), piece.balls.inner.data(), piece.balls.count,
          world_.blocks[near.which / kLanes], near.which % kLanes, near.lanes, &hits);
      found_states(pair, hits);
      if (is_done()) return;
      if (open != 0) state_.stretches.push_back({pair, open});
    }
  }

  void look_at_pairs(const LaneKernels& kernels) {
    std::uint32_t frame_a = 0;
    std::uint32_t frame_b = 0;  // no pair is within one frame
    for (std::uint32_t i = 0; i < robot_.pairs.size(); ++i) {
      const PiecePair& pair = robot_.pairs[i];
      const CheckedPieces checked = {pair.a, pair.b, i, false};
      if (pair.table >= 0) {
        const PairTable& table = *robot_.tables[static_cast<std::size_t>(pair.table)];
        const PairTable::Way along = table.along(from_, state_.change.data(), kStretches);
        if (along.contact <= 1.0) found(checked, along.contact);
        if (is_done()) return;
        // Balls would not prove more.
        if (along.open != 0) state_.stretches.push_back({checked, along.open});
        continue;
      }
      const Piece& a = robot_.pieces[pair.a];
      const Piece& b = robot_.pieces[pair.b];
      if (a.frame != frame_a || b.frame != frame_b) {
        frame_a = a.frame;
        frame_b = b.frame;
        kernels.relative_pose(state_.lane_poses[frame_a], state_.lane_poses[frame_b], &state_.relative_pose);
      }
      const float sag = sag_of(state_.bound.relative_bend(pair));
      LanePath whole;
      kernels.paths(state_.relative_pose, b.whole.view(), 1, sag, &whole);
      unsigned hits = 0;
      unsigned open = kernels.paths_near_balls(&whole, b.whole.outer.data(), b.whole.inner.data(), 1, a.whole.view(), 1,
                                               kAllStretches, &hits);
      if (open != 0 && hits == 0) open = look_at_balls(a, b, sag, open, hits, kernels);
      found_states(checked, hits);
      if (is_done()) return;
      if (open != 0) state_.stretches.push_back({checked, open});
    }
  }

  /// All balls of two pieces, seen from the first. @return The stretches that are not proven clear.
  unsigned look_at_balls(const Piece& a, const Piece& b, float sag, unsigned open, unsigned& hits,
                         const LaneKernels& kernels) {
    LanePath* paths = state_.paths.data();
    kernels.paths(state_.relative_pose, b.balls.view(), b.balls.count, sag, paths);
    unsigned near = 0;
    for (std::size_t i = 0; i < b.balls.count && (open & ~near) != 0; ++i) {
      // First against the ball around all of the other piece.
      unsigned none = 0;
      constexpr float kNoInner = -kFloatInfinity;
      const unsigned wanted =
          kernels.paths_near_balls(&paths[i], &b.balls.outer[i], &kNoInner, 1, a.whole.view(), 1, open & ~near, &none);
      if (wanted == 0) continue;
      near |= kernels.paths_near_balls(&paths[i], &b.balls.outer[i], &b.balls.inner[i], 1, a.balls.view(),
                                       a.balls.count, wanted, &hits);
    }
    return near;
  }

  void place_frames_at(double t) {
    if (state_.frames_at == t && state_.frames_question == state_.question) return;
    configuration_at(from_, to_, t, state_.work);
    robot_.kinematics.poses(state_.work, state_.frames);
    state_.frames_at = t;
    state_.frames_question = state_.question;
  }

  struct Clear {
    bool is_contact = false;
    double before = 0.0;  ///< Proven clear for this long before and after.
    double after = 0.0;
  };

  /// @param half  No more is asked for, on either side.
  Clear look_at(const CheckedPieces& pair, double t, double half) {
    place_frames_at(t);
    const std::vector<Piece>& pieces = robot_.pieces;
    const Piece& a = pieces[pair.a];
    const Piece* b = pair.is_obstacle ? nullptr : &pieces[pair.b];
    const std::uint32_t common = pair.is_obstacle ? 0 : robot_.pairs[pair.pair].common;
    const PieceSpeed speed_a = state_.bound.speed(a, common, state_.frames);
    const PieceSpeed speed_b = b != nullptr ? state_.bound.speed(*b, common, state_.frames) : PieceSpeed();
    const double bend = speed_a.bend + speed_b.bend;
    const double fastest = speed_a.linear.norm() + speed_a.angular.norm() * a.radius + speed_b.linear.norm() +
                           (b != nullptr ? speed_b.angular.norm() * b->radius : 0.0);
    const double tolerance = robot_.options.motion_tolerance;

    const PlacedPair placed = placed_pair(state_, pair);
    const bool is_half_space = placed.shape_b.get_if<HalfSpace>() != nullptr;
    const bool is_convex = placed.shape_a.is_convex() && (placed.shape_b.is_convex() || is_half_space);
    PairCache& cache = cache_of(state_, pair);
    MovingPlane plane;
    double still_b = 0.0;
    const auto set_plane = [&](const Vector3d& n, const Vector3d& point_b) {
      plane = {n, state_.bound.reach_along(a, common, n, state_.frames), {}, bend};
      if (b != nullptr) {
        plane.reach_b = state_.bound.reach_along(*b, common, -n, state_.frames);
      } else {
        still_b = is_half_space ? -n.dot(point_b) : farthest(placed.shape_b, placed.root_from_b, -n);
      }
    };
    const auto left_after = [&](double tau) {
      return plane.gap(tau, placed.shape_a, placed.root_from_a, placed.shape_b, placed.root_from_b,
                       b == nullptr ? &still_b : nullptr) -
             0.5 * tolerance;
    };
    if (is_convex && !is_half_space && cache.has_solution) {
      set_plane(placed.root_from_a.rotate(cache.normal_a), Vector3d::Zero());
      // Farther apart throughout than what is called a contact below: what is remembered changes no answer.
      const double least_left = 0.5 * tolerance;
      if (left_after(-half) > least_left && left_after(half) > least_left) return {false, half, half};
    }
    PairQuery query;
    query.needs_depth = false;
    query.options.max_distance = tolerance + half * (fastest + 0.5 * half * bend);
    Separation separation = separate(Part(placed.shape_a), Part(placed.shape_b),
                                     Pose::relative(placed.root_from_a, placed.root_from_b), query, &cache);
    transform(separation, placed.root_from_a);
    if (separation.status == SolveStatus::beyond_limit) return {false, half, half};
    // What stays of the tolerance at the ends of a stretch is more than any rounding.
    const double least = separation.distance - separation.distance_error;
    const double gap = least - 0.5 * tolerance;
    if (gap <= 0.5 * tolerance) return {true, 0.0, 0.0};
    if (!is_convex) {
      // Other leaves may be as near in another direction.
      const double time = 2.0 * gap / (fastest + std::sqrt(fastest * fastest + 2.0 * bend * gap));
      return {false, time, time};
    }
    set_plane(separation.normal, separation.point_b);
    const auto time_to_close = [&](double tau) {
      const double left = left_after(tau);
      // Concave: above its chord.
      return left >= 0.0 ? half : half * gap / (gap - left);
    };
    return {false, time_to_close(-half), time_to_close(half)};
  }

  /// Every open way is looked at once before any is looked at closely, since what collides mostly collides in its
  /// middle already.
  void prove_stretches() {
    state_.left.clear();
    for (const OpenStretches& open : state_.stretches) {
      for (std::size_t i = 0; i < kStretches; ++i) {
        if (((open.stretches >> i) & 1U) == 0) continue;
        std::size_t end = i + 1;
        while (end < kStretches && ((open.stretches >> end) & 1U) != 0) ++end;
        const double hi = std::min(fraction(end), outcome_.first_invalid);
        if (fraction(i) < hi || i == 0) prove({open.pair, fraction(i), hi}, state_.left);
        if (is_done()) return;
        i = end;
      }
    }
    // The last first: the earlier part of a way is put down after the later one.
    while (!state_.left.empty()) {
      OpenWay way = state_.left.back();
      state_.left.pop_back();
      way.hi = std::min(way.hi, outcome_.first_invalid);
      if (way.lo >= way.hi && way.lo > 0.0) continue;
      prove(way, state_.left);
      if (is_done()) return;
    }
  }

  /// Looks at the middle of a way; what that does not prove goes to `left`.
  void prove(const OpenWay& way, std::vector<OpenWay>& left) {
    const double t = 0.5 * (way.lo + way.hi);
    const double half = 0.5 * (way.hi - way.lo);
    if (way.hi >= outcome_.first_invalid && half < kFinestFraction) return settle_start(way.pair, way.lo);
    const Clear clear = look_at(way.pair, t, half);
    // Where there is no number between the ends, what is open cannot be told from a collision.
    const bool is_finest = half > 0.0 && !(way.lo < t && t < way.hi) && std::min(clear.before, clear.after) < half;
    if (clear.is_contact || is_finest) {
      found(way.pair, t);
      left.push_back({way.pair, way.lo, t});
      return;
    }
    if (clear.after < half) left.push_back({way.pair, t + clear.after, way.hi});
    if (clear.before < half) left.push_back({way.pair, way.lo, t - clear.before});
  }

  /// The stretch before a collision that is too short to be told from it begins here.
  void settle_start(const CheckedPieces& pair, double start) {
    outcome_.last_valid = std::min(outcome_.last_valid, start);
    if (start > 0.0) return;
    if (look_at(pair, 0.0, 0.0).is_contact) {
      found(pair, 0.0);
      outcome_.last_valid = -1.0;
    }
  }

  CheckerState& state_;
  const CheckedWorld& world_;
  const CheckedRobot& robot_;
  const double* from_;
  const double* to_;
  bool find_first_;
  MotionOutcome outcome_;
};

}  // namespace

MotionOutcome sampled_motion(CheckerState& state, const double* from, const double* to, double resolution,
                             bool find_first) {
  double largest = 0.0;
  for (std::size_t i = 0; i < state.work.size(); ++i) largest = std::max(largest, std::abs(to[i] - from[i]));
  const double steps = std::ceil(largest / resolution);
  constexpr double kMaxSteps = 1e9;
  if (!(steps <= kMaxSteps)) throw InvalidInput("resolution", "must make at most 1e9 steps of the motion", resolution);
  const auto last = static_cast<std::size_t>(steps);
  MotionOutcome outcome;
  const auto found = [&](std::size_t sample, const CheckedPieces& pair) {
    const double count = static_cast<double>(std::max<std::size_t>(last, 1));
    outcome.is_valid = false;
    outcome.pair = pair;
    outcome.first_invalid = static_cast<double>(sample) / count;
    outcome.last_valid = sample == 0 ? -1.0 : (static_cast<double>(sample) - 1.0) / count;
  };
  // Planners mostly ask for motions out of what is free: where any collision will do, the end is looked at by itself.
  if (!find_first) {
    place_frames(state, to);
    if (const std::optional<CheckedPieces> contact = find_contact(state, to)) {
      found(last, *contact);
      return outcome;
    }
  }
  const CheckedRobot& robot = *state.world->robot;
  const bool are_in_range = robot.in_range(from) && robot.in_range(to);
  SampleOrder order(find_first ? last + 1 : last, find_first);
  std::array<std::size_t, kLanes> samples;
  while (const std::size_t count = order.next(samples)) {
    std::array<double, kLanes> t{};
    for (std::size_t i = 0; i < count && last > 0; ++i) {
      t[i] = static_cast<double>(samples[i]) / static_cast<double>(last);
    }
    put_in_lanes(state, from, to, t);
    LaneCheck check(state, count, are_in_range);
    for (std::size_t i = 0; i < count; ++i) {
      if (const std::optional<CheckedPieces> contact = check.find_contact(i)) {
        found(samples[i], *contact);
        return outcome;
      }
    }
  }
  return outcome;
}

void require_provable(std::string_view field, CheckerState& state, const double* from, const double* to) {
  const CheckedRobot& robot = *state.world->robot;
  double turns = 0.0;
  for (const MovingFrame& frame : robot.kinematics.frames().subspan(1)) {
    if (!frame.slides) turns += std::abs(frame.multiplier * (to[frame.variable] - from[frame.variable]));
  }
  // Radians. Thousands of turns about a gap of a centimetre are looked at within seconds, also of surfaces.
  constexpr double kMostTurns = 1e4;
  if (!(turns <= kMostTurns)) {
    throw InvalidInput(std::string(field), "the turns of a certified motion must come to at most 1e4 radians together",
                       turns);
  }
  // Metres. With the turns above some million looks.
  constexpr double kFarthestCarried = 1e8;
  if (turns == 0.0) return;  // slides by themselves are straight
  if (turns * robot.reach <= kFarthestCarried && robot.in_range(from) && robot.in_range(to)) return;
  for (std::size_t i = 0; i < state.change.size(); ++i) state.change[i] = to[i] - from[i];
  state.bound.begin(robot, state.change.data(), from);
  const double carried = state.bound.carried();
  if (carried <= kFarthestCarried) return;
  throw InvalidInput(std::string(field), "the turns of a certified motion must carry no link farther than 1e8 metres",
                     carried);
}

MotionOutcome certified_motion(CheckerState& state, const double* from, const double* to, bool find_first) {
  return CertifiedMotion(state, from, to, find_first).run();
}

}  // namespace abut::detail

// A planner's load in the plane: one footprint at ten thousand poses among three hundred obstacles of 4 to 12 corners.
//
// Rows: <query>/<poses>/<footprint>/<method>. Queries: collides (some obstacle or none), clearance (the nearest),
// pair_collides and pair_distance (every pose against every obstacle). Poses: random over the field, or along a path.
// Footprints: rectangle, 4.5 m x 1.8 m; rounded, the same with corners of 0.3 m. Methods: loop calls one function a
// pair; batch gives all poses to one call; index is ObstacleIndex. Counters: checks, poses times obstacles a second;
// per_pose, the time of a pose; hits, the share of poses that collide; wrong, answers that differ from the loop's.
#include <abut/narrowphase/planar/obstacle_index.h>
#include <abut/narrowphase/planar/planar_batch.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <benchmark/benchmark.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using abut::planar::Clearance;
using abut::planar::Obstacle;
using abut::planar::ObstacleIndex;
using abut::planar::Pose;
using abut::planar::Shape;
using abut::planar::Vector2d;
using abut::samples::Random;

constexpr std::size_t kPoses = 10'000;
constexpr std::size_t kObstacles = 300;
constexpr double kHalfField = 100.0;  // metres
constexpr double kMinSeconds = 0.2;

Shape random_obstacle(Random& random) {
  const auto corners = 4 + random.below(9);
  const double radius_x = random.uniform(0.5, 3.0);
  const double radius_y = random.uniform(0.5, 3.0);
  std::vector<Vector2d> points;
  for (std::uint32_t i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.05, 0.95)) / corners;
    points.emplace_back(radius_x * std::cos(angle), radius_y * std::sin(angle));
  }
  return Shape::polygon(points);
}

Pose random_pose(Random& random) {
  const double x = random.uniform(-kHalfField, kHalfField);
  const double y = random.uniform(-kHalfField, kHalfField);
  return {{x, y}, random.uniform(-std::numbers::pi, std::numbers::pi)};
}

const std::vector<Obstacle>& obstacles() {
  static const std::vector<Obstacle> kAll = [] {
    Random random(1);
    std::vector<Obstacle> all;
    while (all.size() < kObstacles) all.push_back({random_obstacle(random), random_pose(random)});
    return all;
  }();
  return kAll;
}

const std::vector<Pose>& random_poses() {
  static const std::vector<Pose> kAll = [] {
    Random random(2);
    std::vector<Pose> all;
    while (all.size() < kPoses) all.push_back(random_pose(random));
    return all;
  }();
  return kAll;
}

// A path of 1 km in steps of 0.1 m, whose curvature swings.
const std::vector<Pose>& path_poses() {
  static const std::vector<Pose> kAll = [] {
    std::vector<Pose> all;
    Vector2d place(-60.0, -60.0);
    double heading = 0.3;
    while (all.size() < kPoses) {
      all.emplace_back(place, heading);
      place += 0.1 * Vector2d(std::cos(heading), std::sin(heading));
      heading += 0.1 * (0.02 + 0.1 * std::sin(0.003 * static_cast<double>(all.size())));
    }
    return all;
  }();
  return kAll;
}

Shape footprint(bool is_rounded) {
  const double radius = is_rounded ? 0.3 : 0.0;
  const double x = 2.25 - radius;
  const double y = 0.9 - radius;
  const std::vector<Vector2d> corners{{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  return Shape::polygon(corners, radius);
}

struct Load {
  Shape shape;
  const std::vector<Pose>& poses;
};

std::vector<std::uint8_t> loop_collides(const Load& load) {
  std::vector<std::uint8_t> answers;
  for (const Pose& pose : load.poses) {
    const bool answer = std::any_of(obstacles().begin(), obstacles().end(), [&](const Obstacle& obstacle) {
      return collides(load.shape, pose, obstacle.shape, obstacle.world_from_obstacle);
    });
    answers.push_back(answer ? 1 : 0);
  }
  return answers;
}

std::vector<Clearance> loop_clearances(const Load& load) {
  std::vector<Clearance> answers;
  for (const Pose& pose : load.poses) {
    Clearance best{std::numeric_limits<double>::infinity(), abut::planar::kNoObstacle};
    for (std::size_t j = 0; j < obstacles().size(); ++j) {
      const double found = distance(load.shape, pose, obstacles()[j].shape, obstacles()[j].world_from_obstacle);
      if (found < best.distance) best = {found, static_cast<std::uint32_t>(j)};
    }
    answers.push_back(best);
  }
  return answers;
}

using Ask = std::function<void()>;

void measure(benchmark::State& state, const Ask& ask) {
  for (auto _ : state) {
    ask();
    benchmark::ClobberMemory();
  }
  const double poses = static_cast<double>(kPoses);
  state.counters["checks"] =
      benchmark::Counter(poses * static_cast<double>(kObstacles), benchmark::Counter::kIsIterationInvariantRate);
  state.counters["per_pose"] =
      benchmark::Counter(poses, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

double differing(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  double count = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1.0 : 0.0;
  return count;
}

void collides_loop(benchmark::State& state, const Load& load) {
  std::vector<std::uint8_t> answers;
  measure(state, [&] { answers = loop_collides(load); });
  state.counters["hits"] = static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / kPoses;
}

void collides_index(benchmark::State& state, const Load& load) {
  const ObstacleIndex index(obstacles());
  std::vector<std::uint8_t> answers(kPoses);
  measure(state, [&] { index.collides(load.shape, load.poses, answers); });
  state.counters["wrong"] = differing(answers, loop_collides(load));
  state.counters["hits"] = static_cast<double>(std::count(answers.begin(), answers.end(), 1)) / kPoses;
}

void first_hit_index(benchmark::State& state, const Load& load) {
  const ObstacleIndex index(obstacles());
  std::vector<std::uint32_t> answers(kPoses);
  measure(state, [&] { index.first_hits(load.shape, load.poses, answers); });
}

void collides_single(benchmark::State& state, const Load& load) {
  const ObstacleIndex index(obstacles());
  std::vector<std::uint8_t> answers(kPoses);
  measure(state, [&] {
    for (std::size_t i = 0; i < kPoses; ++i) answers[i] = index.collides(load.shape, load.poses[i]) ? 1 : 0;
  });
}

// The answers of each obstacle joined.
void collides_batch(benchmark::State& state, const Load& load) {
  std::vector<std::uint8_t> answers(kPoses);
  std::vector<std::uint8_t> of_one(kPoses);
  measure(state, [&] {
    std::fill(answers.begin(), answers.end(), std::uint8_t{0});
    for (const Obstacle& obstacle : obstacles()) {
      collides(load.shape, load.poses, obstacle.shape, obstacle.world_from_obstacle, of_one);
      for (std::size_t i = 0; i < kPoses; ++i) answers[i] |= of_one[i];
    }
  });
  state.counters["wrong"] = differing(answers, loop_collides(load));
}

void pair_collides_loop(benchmark::State& state, const Load& load) {
  std::vector<std::uint8_t> answers(kPoses);
  measure(state, [&] {
    for (const Obstacle& obstacle : obstacles()) {
      for (std::size_t i = 0; i < kPoses; ++i) {
        if (collides(load.shape, load.poses[i], obstacle.shape, obstacle.world_from_obstacle)) answers[i] = 1;
      }
    }
  });
}

void clearance_loop(benchmark::State& state, const Load& load) {
  std::vector<Clearance> answers;
  measure(state, [&] { answers = loop_clearances(load); });
}

void clearance_batch(benchmark::State& state, const Load& load) {
  std::vector<double> answers(kPoses);
  std::vector<double> of_one(kPoses);
  measure(state, [&] {
    std::fill(answers.begin(), answers.end(), std::numeric_limits<double>::infinity());
    for (const Obstacle& obstacle : obstacles()) {
      distances(load.shape, load.poses, obstacle.shape, obstacle.world_from_obstacle, of_one);
      for (std::size_t i = 0; i < kPoses; ++i) answers[i] = std::min(answers[i], of_one[i]);
    }
  });
}

template <bool kSingle>
void clearance_index(benchmark::State& state, const Load& load, double bound) {
  const ObstacleIndex index(obstacles());
  std::vector<Clearance> answers(kPoses);
  measure(state, [&] {
    if constexpr (kSingle) {
      for (std::size_t i = 0; i < kPoses; ++i) answers[i] = index.clearance(load.shape, load.poses[i], bound);
    } else {
      index.clearances(load.shape, load.poses, answers, bound);
    }
  });
  const std::vector<Clearance> expected = loop_clearances(load);
  double wrong = 0.0;
  for (std::size_t i = 0; i < kPoses; ++i) {
    const bool is_within = expected[i].distance <= bound;
    const bool is_right =
        is_within ? answers[i].distance == expected[i].distance && answers[i].obstacle == expected[i].obstacle
                  : answers[i].obstacle == abut::planar::kNoObstacle;
    wrong += is_right ? 0.0 : 1.0;
  }
  state.counters["wrong"] = wrong;
}

void build(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(ObstacleIndex(obstacles()));
}

bool add_all_rows() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  benchmark::RegisterBenchmark("build/300", build)->MinTime(kMinSeconds)->Unit(benchmark::kMicrosecond);
  for (const bool is_path : {false, true}) {
    for (const bool is_rounded : {false, true}) {
      const Load load{footprint(is_rounded), is_path ? path_poses() : random_poses()};
      const std::string middle =
          std::string(is_path ? "/path" : "/random") + (is_rounded ? "/rounded/" : "/rectangle/");
      const auto add = [&](const std::string& query, const std::string& method, const auto& run) {
        benchmark::RegisterBenchmark((query + middle + method).c_str(),
                                     [load, run](benchmark::State& state) { run(state, load); })
            ->MinTime(kMinSeconds)
            ->Unit(benchmark::kMillisecond);
      };
      add("collides", "loop", collides_loop);
      add("collides", "batch", collides_batch);
      add("collides", "index_single", collides_single);
      add("collides", "index", collides_index);
      add("first_hit", "index", first_hit_index);
      add("pair_collides", "loop", pair_collides_loop);
      add("clearance", "loop", clearance_loop);
      add("clearance", "batch", clearance_batch);
      add("clearance", "index_single",
          [](benchmark::State& state, const Load& l) { clearance_index<true>(state, l, kInfinity); });
      add("clearance", "index",
          [](benchmark::State& state, const Load& l) { clearance_index<false>(state, l, kInfinity); });
      add("clearance_2m", "index",
          [](benchmark::State& state, const Load& l) { clearance_index<false>(state, l, 2.0); });
    }
  }
  return true;
}

[[maybe_unused]] const bool kAllRowsAdded = add_all_rows();

}  // namespace

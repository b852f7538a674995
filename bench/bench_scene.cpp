// Scene::step() over moving scenes of mixed bodies, contact margin 1 mm, with manifolds.
//
// Recorded: the pile that ABUT_TRAJECTORY_DIR holds, falling and at rest, as it is and side by side with copies.
// RecordedPiles: at rest, a scene of its own for each thread, which share nothing: what the machine's cores give
//     together, beside which the gain of one scene by several threads is to be read.
// RecordedTurns: at rest, a scene of one thread and one of several that are stepped by turns, some frames each, so that
//     what disturbs a shared machine for minutes disturbs both: the gain is the median over the turns.
// Pile: dense, most bodies touch a few others and stay in touch; the narrow phase and its warm starts are at work.
// Drift: sparse, fast, most candidates end at the oriented boxes; the broad phase weighs more.
#include <abut/world/scene.h>
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#ifdef ABUT_BENCH_WITH_IO
#include "recorded_pile.h"
#include "turns.h"
#endif
#include <support/random_scenes.h>

namespace abut {
namespace {

/// Sums of the statistics of many steps.
struct Totals {
  double candidate_pairs = 0.0;
  double contacts = 0.0;
  double iterations = 0.0;
  double solved_pairs = 0.0;
  double boxes_ms = 0.0;
  double broad_ms = 0.0;
  double narrow_ms = 0.0;
  double events_ms = 0.0;

  void add(const StepStatistics& step) {
    candidate_pairs += static_cast<double>(step.candidate_pairs);
    contacts += static_cast<double>(step.contacts);
    iterations += static_cast<double>(step.iterations);
    solved_pairs += static_cast<double>(step.solved_pairs);
    boxes_ms += 1e3 * step.boxes_seconds;
    broad_ms += 1e3 * step.broad_phase_seconds;
    narrow_ms += 1e3 * step.narrow_phase_seconds;
    events_ms += 1e3 * step.events_seconds;
  }
};

/// A scene and the bodies of it that move.
struct MovingBodies {
  /// @param moving  Indices into bodies.
  MovingBodies(const std::vector<BodyDescription>& bodies, const std::vector<std::size_t>& moving) {
    std::vector<BodyId> all;
    for (const BodyDescription& body : bodies) all.push_back(scene.add(body));
    for (const std::size_t body : moving) ids.push_back(all[body]);
  }
  void step(const std::vector<Pose>& poses) {
    scene.set_poses(ids, poses);
    scene.step();
  }

  Scene scene{{.contact_margin = 0.001}};
  std::vector<BodyId> ids;
};

/// @param moving     Indices into bodies.
/// @param threads    That step the scene.
/// @param pass       Steps before the clock starts.
/// @param played     Poses of the moving ones at a step.
template <class Played>
void run_steps(benchmark::State& state, const std::vector<BodyDescription>& bodies,
               const std::vector<std::size_t>& moving, int threads, std::size_t pass, const Played& played) {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);

  MovingBodies moved(bodies, moving);
  Totals totals;
  std::size_t next = 0;
  arena.execute([&] {
    for (; next < pass; ++next) moved.step(played(next));
    for (auto _ : state) {
      moved.step(played(next++));
      totals.add(moved.scene.statistics());
    }
  });

  using benchmark::Counter;
  const auto per_step = [](double total) { return Counter(total, Counter::kAvgIterations); };
  state.counters["pairs"] = per_step(totals.candidate_pairs);
  state.counters["contacts"] = per_step(totals.contacts);
  state.counters["iterations_per_solve"] =
      Counter(totals.solved_pairs > 0.0 ? totals.iterations / totals.solved_pairs : 0.0, Counter::kAvgThreads);
  state.counters["boxes_ms"] = per_step(totals.boxes_ms);
  state.counters["broad_ms"] = per_step(totals.broad_ms);
  state.counters["narrow_ms"] = per_step(totals.narrow_ms);
  state.counters["events_ms"] = per_step(totals.events_ms);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(moved.ids.size()));
}

/// Of the rows whose second argument they are.
int threads_of(const benchmark::State& state) {
  return static_cast<int>(state.range(1));
}

/// @param period  Frames in one period of the paths.
void run_paths(benchmark::State& state, const samples::MovingScene& scene, std::size_t period) {
  constexpr std::size_t kFrames = 64;  // played forwards, then backwards, so that no frame is a jump
  std::vector<std::vector<Pose>> frames;
  for (std::size_t frame = 0; frame < kFrames; ++frame) frames.push_back(scene.poses(frame, period));
  for (std::size_t frame = kFrames - 1; frame-- > 1;) frames.push_back(frames[frame]);
  std::vector<std::size_t> moving(scene.bodies.size());
  std::iota(moving.begin(), moving.end(), std::size_t{0});
  run_steps(state, scene.bodies, moving, threads_of(state), /*pass=*/1,
            [&](std::size_t step) -> const std::vector<Pose>& { return frames[step % frames.size()]; });
}

/// One and two, and on larger machines their double as far as there are cores.
std::vector<std::int64_t> thread_counts() {
  std::vector<std::int64_t> counts = {1, 2};
  while (2 * counts.back() <= static_cast<std::int64_t>(std::thread::hardware_concurrency())) {
    counts.push_back(2 * counts.back());
  }
  return counts;
}

#ifdef ABUT_BENCH_WITH_IO
void run_recorded(benchmark::State& state, const bench::RecordedPileOptions& options, int threads, std::size_t pass) {
  const std::optional<bench::RecordedPile> pile = bench::recorded_pile(options);
  if (!pile) return state.SkipWithError("ABUT_TRAJECTORY_DIR names no folder");
  run_steps(state, pile->bodies, pile->moving, threads, pass,
            [&](std::size_t step) -> const std::vector<Pose>& { return pile->played(step); });
}

/// From the fall to the rest, a pass of the whole recording.
void BM_RecordedFall(benchmark::State& state) {
  run_recorded(state, {.max_vertices = static_cast<std::size_t>(state.range(0))}, threads_of(state), /*pass=*/1);
}

constexpr std::size_t kFramesAtRest = 32;
constexpr std::size_t kPassAtRest = 2 * kFramesAtRest - 2;  // steps until all frames have been seen

/// @param bodies  600, or more by copies.
bench::RecordedPileOptions pile_at_rest(std::int64_t vertices, std::int64_t bodies) {
  return {.first_frame = 260,
          .frame_count = kFramesAtRest,
          .copies = static_cast<std::size_t>(bodies) / 600,
          .max_vertices = static_cast<std::size_t>(vertices)};
}

/// At rest, once all its frames have been stepped.
void run_at_rest(benchmark::State& state, std::int64_t vertices, std::int64_t bodies, int threads) {
  run_recorded(state, pile_at_rest(vertices, bodies), threads, kPassAtRest);
}

void BM_RecordedPile(benchmark::State& state) {
  run_at_rest(state, state.range(0), state.range(2), threads_of(state));
}

/// Its time is that of all threads together, by the number of frames of all of them.
void BM_RecordedPiles(benchmark::State& state) {
  run_at_rest(state, state.range(0), state.range(1), /*threads=*/1);
}

/// Its time is a frame's with all threads.
void BM_RecordedTurns(benchmark::State& state) {
  const std::optional<bench::RecordedPile> pile = bench::recorded_pile(pile_at_rest(state.range(0), state.range(2)));
  if (!pile) return state.SkipWithError("ABUT_TRAJECTORY_DIR names no folder");
  MovingBodies by_one(pile->bodies, pile->moving);
  MovingBodies by_all(pile->bodies, pile->moving);
  tbb::task_arena one(1);
  tbb::task_arena all(threads_of(state));
  const auto run = [&](MovingBodies& moved, tbb::task_arena& arena, std::size_t first, std::size_t count) {
    arena.execute([&] {
      for (std::size_t i = 0; i < count; ++i) moved.step(pile->played(first + i));
    });
  };
  const auto run_by_one = [&](std::size_t first, std::size_t count) { run(by_one, one, first, count); };
  const auto run_by_all = [&](std::size_t first, std::size_t count) { run(by_all, all, first, count); };
  const bench::Turns turns(state, kPassAtRest, run_by_one, run_by_all);
  state.counters["one_thread_ms"] = 1e3 * turns.p();
  state.counters["gain"] = turns.p_by_q();
}

BENCHMARK(BM_RecordedFall)
    ->ArgsProduct({{40, 0}, thread_counts()})
    ->ArgNames({"vertices", "threads"})
    ->Iterations(598)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RecordedPile)
    ->ArgsProduct({{40, 0}, thread_counts(), {600, 6000, 30000}})
    ->ArgNames({"vertices", "threads", "bodies"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RecordedTurns)
    ->ArgsProduct({{40, 0}, thread_counts(), {600, 6000, 30000}})
    ->ArgNames({"vertices", "threads", "bodies"})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RecordedPiles)
    ->ArgsProduct({{40, 0}, {600, 6000, 30000}})
    ->ArgNames({"vertices", "bodies"})
    ->ThreadRange(1, static_cast<int>(thread_counts().back()))
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
#endif

void BM_ScenePile(benchmark::State& state) {
  run_paths(state, samples::pile(static_cast<int>(state.range(0))), /*period=*/1000);
}

void BM_SceneDrift(benchmark::State& state) {
  run_paths(state, samples::drift(static_cast<int>(state.range(0))), /*period=*/250);
}

BENCHMARK(BM_ScenePile)
    ->ArgsProduct({{600, 6000}, thread_counts()})
    ->ArgNames({"bodies", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SceneDrift)
    ->ArgsProduct({{600, 6000}, thread_counts()})
    ->ArgNames({"bodies", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace abut

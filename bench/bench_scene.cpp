// Scene::step() over moving scenes of mixed bodies.
//
// Pile: dense, most bodies touch a few others and stay in touch; the narrow phase and its warm starts are at work.
// Drift: sparse, fast, most candidates end at the oriented boxes; the broad phase weighs more.
#include <abut/world/scene.h>
#include <benchmark/benchmark.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <vector>

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

/// @param period  Frames in one period of the paths.
void run_steps(benchmark::State& state, const samples::MovingScene& moving, std::size_t period) {
  constexpr std::size_t kFrames = 64;  // played forwards, then backwards, so that no frame is a jump
  const int threads = static_cast<int>(state.range(1));
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);

  std::vector<std::vector<Pose>> frames;
  for (std::size_t frame = 0; frame < kFrames; ++frame) frames.push_back(moving.poses(frame, period));
  for (std::size_t frame = kFrames - 1; frame-- > 1;) frames.push_back(frames[frame]);

  Scene scene({.contact_margin = 0.001});
  std::vector<BodyId> ids;
  for (const BodyDescription& body : moving.bodies) ids.push_back(scene.add(body));

  Totals totals;
  std::size_t next = 0;
  arena.execute([&] {
    scene.step();
    for (auto _ : state) {
      scene.set_poses(ids, frames[next++ % frames.size()]);
      scene.step();
      totals.add(scene.statistics());
    }
  });

  using benchmark::Counter;
  const auto per_step = [](double total) { return Counter(total, Counter::kAvgIterations); };
  state.counters["pairs"] = per_step(totals.candidate_pairs);
  state.counters["contacts"] = per_step(totals.contacts);
  state.counters["iterations_per_solve"] = totals.solved_pairs > 0.0 ? totals.iterations / totals.solved_pairs : 0.0;
  state.counters["boxes_ms"] = per_step(totals.boxes_ms);
  state.counters["broad_ms"] = per_step(totals.broad_ms);
  state.counters["narrow_ms"] = per_step(totals.narrow_ms);
  state.counters["events_ms"] = per_step(totals.events_ms);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(ids.size()));
}

void BM_ScenePile(benchmark::State& state) {
  run_steps(state, samples::pile(static_cast<int>(state.range(0))), /*period=*/1000);
}

void BM_SceneDrift(benchmark::State& state) {
  run_steps(state, samples::drift(static_cast<int>(state.range(0))), /*period=*/250);
}

BENCHMARK(BM_ScenePile)
    ->ArgsProduct({{600, 6000}, {1, 2}})
    ->ArgNames({"bodies", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SceneDrift)
    ->ArgsProduct({{600, 6000}, {1, 2}})
    ->ArgNames({"bodies", "threads"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace abut

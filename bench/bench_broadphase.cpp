// The broad phase on drifting boxes: setting the moved boxes and finding all pairs, per frame.
//
// Arguments: number of boxes, threads. Items are boxes, so the inverse of items_per_second is the time per box and
// frame; "time_per_box" says it outright. "pairs" is the number of pairs of the last frame.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <benchmark/benchmark.h>
#include <support/drifting_boxes.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace {

using abut::test::DriftingBoxes;

constexpr std::size_t kFrames = 8;

template <class Broad>
void run_frames(benchmark::State& state, DriftingBoxes scene) {
  abut::test::Random random(7);
  // Boxes of the movers, frame by frame.
  std::vector<std::vector<abut::Aabb>> frames(kFrames);
  for (std::vector<abut::Aabb>& frame : frames) {
    for (const std::uint32_t id : scene.movers) frame.push_back(scene.boxes[id]);
    scene.advance(random);
  }
  Broad broad;
  for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
  std::vector<abut::ProxyPair> pairs;
  tbb::task_arena arena(static_cast<int>(state.range(1)));
  arena.execute([&broad, &pairs] { broad.find_pairs(pairs); });

  std::size_t count = 0;
  for (auto _ : state) {
    // Forwards and backwards in turn, so that every step is one of the scene's.
    const std::size_t phase = count++ % (2 * kFrames - 2);
    const std::vector<abut::Aabb>& frame = frames[phase < kFrames ? phase : 2 * kFrames - 2 - phase];
    arena.execute([&broad, &pairs, &frame, &scene] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, frame.size(), 512),
                        [&broad, &frame, &scene](const tbb::blocked_range<std::size_t>& range) {
                          for (std::size_t i = range.begin(); i != range.end(); ++i) {
                            broad.set_box(scene.movers[i], frame[i]);
                          }
                        });
      broad.find_pairs(pairs);
    });
    benchmark::DoNotOptimize(pairs.data());
  }
  const auto boxes = static_cast<double>(scene.boxes.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scene.boxes.size()));
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.counters["time_per_box"] =
      benchmark::Counter(boxes, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

std::size_t count_of(const benchmark::State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void BM_SweepAndPruneSlowCloud(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::uniform_cloud(count_of(state), 0.01, 1));
}
void BM_SweepAndPruneFastCloud(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::uniform_cloud(count_of(state), 1.0, 1));
}
void BM_SweepAndPruneLayer(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::layer(count_of(state), 1));
}
void BM_SweepAndPruneMixedSizes(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::log_uniform_sizes(count_of(state), 1));
}
void BM_SweepAndPruneMoversAmongFixed(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::movers_among_fixed(count_of(state), 1));
}
void BM_SweepAndPruneTowers(benchmark::State& state) {
  run_frames<abut::SweepAndPrune>(state, abut::test::towers(count_of(state), 1));
}
void BM_BruteForceSlowCloud(benchmark::State& state) {
  run_frames<abut::BruteForce>(state, abut::test::uniform_cloud(count_of(state), 0.01, 1));
}

void sizes_and_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{1000, 10000, 100000}, {1, 2}})->ArgNames({"boxes", "threads"})->UseRealTime();
}

BENCHMARK(BM_SweepAndPruneSlowCloud)->Apply(sizes_and_threads);
BENCHMARK(BM_SweepAndPruneFastCloud)->Apply(sizes_and_threads);
BENCHMARK(BM_SweepAndPruneLayer)->Apply(sizes_and_threads);
BENCHMARK(BM_SweepAndPruneMixedSizes)->Apply(sizes_and_threads);
BENCHMARK(BM_SweepAndPruneMoversAmongFixed)->Apply(sizes_and_threads);
BENCHMARK(BM_SweepAndPruneTowers)->Apply(sizes_and_threads);
BENCHMARK(BM_BruteForceSlowCloud)->ArgNames({"boxes", "threads"})->Args({100, 1})->Args({1000, 1})->UseRealTime();

}  // namespace

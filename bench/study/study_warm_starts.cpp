// Figure 13 of the GJK++ paper: yes or no along trajectories of two hulls, for four warm starts.
#include <abut/core/obb.h>
#include <abut/narrowphase/distance.h>
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"
#include "library_queries.h"
#include "reference_gjk.h"
#include "studies.h"
#include "trajectories.h"

namespace abut::study {
namespace {

constexpr std::array<std::pair<const char*, WarmStart>, 4> kStarts = {
    {{"none", WarmStart::none},
     {"obb", WarmStart::obb},
     {"previous", WarmStart::previous},
     {"transformed_previous", WarmStart::transformed_previous}}};
constexpr int kPasses = 3;

struct Frame {
  const Trajectory* trajectory;
  std::size_t index;  ///< Of the trajectory.
  std::size_t frame;
};

/// All frames of all trajectories whose oriented boxes overlap, frame by frame, as a simulation asks them.
std::vector<Frame> frames_to_ask(const Trajectories& trajectories, const Hulls& hulls) {
  std::vector<Frame> frames;
  for (std::size_t frame = 0; frame < trajectories.all[0].world_from_a.size(); ++frame) {
    for (std::size_t i = 0; i < trajectories.all.size(); ++i) {
      const Trajectory& t = trajectories.all[i];
      const Obb box_a = t.world_from_a[frame] * obb(hulls.shapes[t.a]);
      const Obb box_b = t.world_from_b[frame] * obb(hulls.shapes[t.b]);
      if (!(separation_bound(box_a, box_b) > 0.0)) frames.push_back({&t, i, frame});
    }
  }
  return frames;
}

/// One memory a pair; that of a pair whose boxes were apart in the frame before is empty, as in the paper.
class Memory {
 public:
  explicit Memory(std::size_t pairs) : caches_(pairs), last_frames_(pairs, -2) {}

  PairCache& of(const Frame& frame) {
    PairCache& cache = caches_[frame.index];
    if (last_frames_[frame.index] != static_cast<long>(frame.frame) - 1) cache = PairCache();
    last_frames_[frame.index] = static_cast<long>(frame.frame);
    return cache;
  }

 private:
  std::vector<PairCache> caches_;
  std::vector<long> last_frames_;
};

/// One of the things compared: where the solver starts, and which one it is.
struct Contender {
  std::string name;
  DistanceOptions options;
};

std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const auto& [start_name, start] : kStarts) {
    for (const Variant& variant : kVariants) {
      all.push_back({std::string(start_name) + "/" + variant.name, {.solver = variant.solver, .warm_start = start}});
    }
  }
  return all;
}

/// Of one contender, one entry a frame.
struct Samples {
  std::vector<std::vector<double>> times;
  std::vector<double> iterations;
  double collisions = 0.0;
};

/// One pass over all frames. The hint of a frame is the separation that the frame before had, depth included, as in a
/// simulation.
void run(const Trajectories& trajectories, const Hulls& hulls, const std::vector<Frame>& frames,
         const DistanceOptions& options, Samples& samples) {
  const bool is_first = samples.iterations.empty();
  samples.times.resize(frames.size());
  Memory memory(trajectories.all.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Trajectory& t = *frames[i].trajectory;
    const Shape& a = hulls.shapes[t.a];
    const Shape& b = hulls.shapes[t.b];
    const Pose& world_from_a = t.world_from_a[frames[i].frame];
    const Pose& world_from_b = t.world_from_b[frames[i].frame];
    PairCache& cache = memory.of(frames[i]);
    PairCache hint = cache;
    samples.times[i].push_back(timed([&] {
      if (options.solver == Solver::automatic) {
        benchmark::DoNotOptimize(collides(a, world_from_a, b, world_from_b, 0.0, options, &hint));
      } else {
        benchmark::DoNotOptimize(boolean_separation(a, world_from_a, b, world_from_b, options, &hint));
      }
    }));
    if (is_first) {
      hint = cache;
      samples.iterations.push_back(boolean_separation(a, world_from_a, b, world_from_b, options, &hint).iterations);
    }
    const Separation solved = distance(a, world_from_a, b, world_from_b, options, &cache);
    if (is_first) samples.collisions += solved.distance <= 0.0 ? 1.0 : 0.0;
  }
}

}  // namespace

void study_warm_starts(Results& results, const Hulls& hulls) {
  const Trajectories trajectories = load_trajectories(hulls);
  const std::vector<Frame> frames = frames_to_ask(trajectories, hulls);
  results.note("trajectories", trajectories.source);
  const std::vector<Contender> all = contenders();
  std::vector<Samples> samples(all.size());
  for (int pass = 0; pass < kPasses; ++pass) {  // outermost: all contenders meet the same load of the machine
    for (std::size_t c = 0; c < all.size(); ++c) run(trajectories, hulls, frames, all[c].options, samples[c]);
  }
  for (std::size_t c = 0; c < all.size(); ++c) {
    std::vector<double> medians;
    for (const std::vector<double>& of_frame : samples[c].times) medians.push_back(summary_of(of_frame).p50);
    results.row("fig13/" + all[c].name)
        .add("queries", static_cast<double>(frames.size()))
        .add("collisions", samples[c].collisions)
        .add("iterations", samples[c].iterations)
        .add("time_ns", medians);
  }
}

}  // namespace abut::study

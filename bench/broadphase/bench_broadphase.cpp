// The broad phase on moving scenes: nanoseconds for a box and frame, setting the moved boxes and finding all pairs.
//
//   bench_broadphase [--sizes 1000,10000] [--scenes cloud_slow,layer] [--threads 1,2] [--orders random,coherent]
//                    [--seconds 0.3] [--peers] [--csv]
//
// A line is the fastest frame of a scene, the median and the mean of all. "pairs" copies the list to the caller;
// "events" also lists the pairs that began and ended. "growth" is the exponent p of the fastest time for a box, N^p,
// from the size before.
#include "peer.h"
#include "scenes.h"

#include <abut/broadphase/sweep_and_prune.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using abut::bench::IdOrder;
using abut::bench::MovingScene;

struct Options {
  std::vector<std::size_t> sizes = {1000, 10000, 100000};
  std::vector<std::string> scenes = abut::bench::scene_names();
  std::vector<int> threads = {1};
  std::vector<std::string> orders = {"random"};
  double seconds = 0.3;
  bool peers = false;
};

/// Times of frames, seconds.
struct Times {
  double fastest = 0.0;
  double median = 0.0;
  double mean = 0.0;
};

/// Runs frames until the time is over, the first four to warm up.
template <class Frame>
Times time_frames(double seconds, const Frame& frame) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  for (std::size_t k = 0;; ++k) {
    const Clock::time_point before = Clock::now();
    frame(k);
    const Clock::time_point after = Clock::now();
    if (k >= 4) times.push_back(std::chrono::duration<double>(after - before).count());
    if (times.size() >= 3 && std::chrono::duration<double>(after - start).count() > seconds) break;
  }
  std::sort(times.begin(), times.end());
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  return {times.front(), times[times.size() / 2], sum / static_cast<double>(times.size())};
}

void set_boxes(abut::SweepAndPrune& broad, const MovingScene& scene, const std::vector<abut::Aabb>& frame) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, frame.size(), 1024),
                    [&](const tbb::blocked_range<std::size_t>& range) {
                      for (std::size_t i = range.begin(); i != range.end(); ++i) {
                        broad.set_box(scene.movers[i], frame[i]);
                      }
                    });
}

struct Result {
  Times times;
  std::size_t pairs = 0;
  std::size_t memory = 0;
};

Result run_abut(const MovingScene& scene, int threads, bool with_events, double seconds) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  abut::SweepAndPrune broad;
  for (std::uint32_t id = 0; id < scene.size(); ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
  std::vector<abut::ProxyPair> pairs;
  std::vector<abut::ProxyPair> began;
  std::vector<abut::ProxyPair> ended;
  Result result;
  tbb::task_arena arena(threads);
  arena.execute([&] {
    result.times = time_frames(seconds, [&](std::size_t k) {
      set_boxes(broad, scene, scene.frame(k));
      if (with_events) {
        broad.update(began, ended);
        pairs.assign(broad.pairs().begin(), broad.pairs().end());
      } else {
        broad.find_pairs(pairs);
      }
    });
  });
  result.pairs = pairs.size();
  result.memory = broad.memory();
  return result;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

[[noreturn]] void refuse(const std::string& argument) {
  std::fprintf(stderr, "bench_broadphase: cannot use \"%s\"; see the head of bench_broadphase.cpp\n", argument.c_str());
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--peers") {
      options.peers = true;
      continue;
    }
    if (i + 1 == argc) refuse(name);
    const std::vector<std::string> values = split(argv[++i]);
    if (name == "--sizes") {
      options.sizes.clear();
      for (const std::string& value : values) options.sizes.push_back(std::stoul(value));
    } else if (name == "--scenes") {
      options.scenes = values;
    } else if (name == "--threads") {
      options.threads.clear();
      for (const std::string& value : values) options.threads.push_back(std::stoi(value));
    } else if (name == "--orders") {
      options.orders = values;
    } else if (name == "--seconds") {
      options.seconds = std::stod(values.at(0));
    } else {
      refuse(name);
    }
  }
  const std::vector<std::string>& known = abut::bench::scene_names();
  for (const std::string& scene : options.scenes) {
    if (std::find(known.begin(), known.end(), scene) == known.end()) refuse(scene);
  }
  for (const std::string& order : options.orders) {
    if (order != "random" && order != "coherent") refuse(order);
  }
  return options;
}

/// Prints a line, and the growth since the last smaller scene of the same kind.
class Table {
 public:
  void start() { last_size_ = 0; }
  void add(const MovingScene& scene, const std::string& order, const std::string& what, int threads,
           const Result& result) {
    const auto size = static_cast<double>(scene.size());
    const double fastest = 1e9 * result.times.fastest / size;
    std::printf("%-11s %-9s %8zu %-22s %2d  %9.2f %9.2f %9.2f  %9zu", scene.name.c_str(), order.c_str(), scene.size(),
                what.c_str(), threads, fastest, 1e9 * result.times.median / size, 1e9 * result.times.mean / size,
                result.pairs);
    std::printf(result.memory != 0 ? "  %7.1f" : "        -", static_cast<double>(result.memory) / size);
    if (last_size_ != 0)
      std::printf("  %5.2f", std::log(fastest / last_) / std::log(size / static_cast<double>(last_size_)));
    std::printf("\n");
    std::fflush(stdout);
    last_size_ = scene.size();
    last_ = fastest;
  }

 private:
  std::size_t last_size_ = 0;
  double last_ = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::printf("%-11s %-9s %8s %-22s %2s  %9s %9s %9s  %9s  %7s  %5s\n", "scene", "ids", "boxes", "broad phase", "th",
              "ns fast", "ns median", "ns mean", "pairs", "bytes", "growth");
  for (const std::string& name : options.scenes) {
    for (const std::string& order : options.orders) {
      const IdOrder id_order = order == "random" ? IdOrder::random : IdOrder::coherent;
      std::vector<MovingScene> scenes;
      for (const std::size_t size : options.sizes) scenes.push_back(abut::bench::make_scene(name, size, id_order));
      Table table;
      for (const int threads : options.threads) {
        for (const bool with_events : {false, true}) {
          table.start();
          for (const MovingScene& scene : scenes) {
            table.add(scene, order, with_events ? "abut, events" : "abut, pairs", threads,
                      run_abut(scene, threads, with_events, options.seconds));
          }
        }
      }
      if (!options.peers) continue;
      for (const abut::bench::BroadPeerKind& kind : abut::bench::broad_peers()) {
        table.start();
        for (const MovingScene& scene : scenes) {
          if (scene.size() > kind.largest) continue;
          const std::unique_ptr<abut::bench::BroadPeer> peer = kind.make(scene);
          Result result;
          result.times =
              time_frames(options.seconds, [&](std::size_t k) { result.pairs = peer->run_frame(scene.frame(k)); });
          table.add(scene, order, kind.name, 1, result);
        }
      }
    }
  }
  return 0;
}

// Large scenes: what a frame costs, how long the longest one takes, and memory a body.
//
//   bench_scale [--bodies N] [--fixed N] [--frames N] [--filter TEXT]
//
// mixed    bodies of all kinds (hulls, capsules, cylinders, boxes, smooth bodies, small meshes, height fields and
//          compounds) packed so that most touch a few others, on a fixed height field, with all contact points; each
//          moves in every frame, or one in ten of them does.
// fixed    a thousand bodies that move among many fixed ones; building, the first frame, and the tree of the queries.
//
// One thread, then two. Medians of the frames, and the longest of them.
#include <abut/world/queries.h>
#include <abut/world/scene.h>
#include <abut/world/scene_memory.h>
#include <support/random_scenes.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace abut::bench {
namespace {

using samples::Random;

struct ScaleOptions {
  int bodies = 100000;
  int fixed = 1000000;
  int frames = 20;
  std::string filter;
};

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// What the frames of a run took, by phase.
class FrameTimes {
 public:
  void add(double set_poses, double step, const StepStatistics& statistics) {
    all_.push_back(set_poses + step);
    poses_ += set_poses;
    boxes_ += 1e3 * statistics.boxes_seconds;
    broad_ += 1e3 * statistics.broad_phase_seconds;
    narrow_ += 1e3 * statistics.narrow_phase_seconds;
    events_ += 1e3 * statistics.events_seconds;
  }
  void print(const char* title, int threads, const Scene& scene) {
    std::vector<double> sorted = all_;
    std::sort(sorted.begin(), sorted.end());
    const auto n = static_cast<double>(sorted.size());
    std::printf(
        "%-28s %d thread%s %9.1f ms a frame, longest %9.1f   (poses %.1f boxes %.1f broad %.1f narrow %.1f events "
        "%.1f; "
        "%zu candidates, %zu contacts)\n",
        title, threads, threads == 1 ? " " : "s", sorted[sorted.size() / 2], sorted.back(), poses_ / n, boxes_ / n,
        broad_ / n, narrow_ / n, events_ / n, scene.candidate_pairs().size(), scene.contacts().size());
  }

 private:
  std::vector<double> all_;
  double poses_ = 0.0;
  double boxes_ = 0.0;
  double broad_ = 0.0;
  double narrow_ = 0.0;
  double events_ = 0.0;
};

void print_memory(const Scene& scene) {
  const SceneMemory memory = memory_of(scene);
  const auto per_body = [&](std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(scene.body_count());
  };
  std::printf("    bytes a body: %.0f (bodies %.0f, broad phase %.0f, pairs %.0f, contacts %.0f, queries %.0f)\n",
              per_body(memory.total()), per_body(memory.bodies), per_body(memory.broad_phase), per_body(memory.pairs),
              per_body(memory.contacts), per_body(memory.queries));
}

/// Calls work(threads) with one thread, then with two.
template <class Work>
void with_threads(const Work& work) {
  for (const int threads : {1, 2}) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    arena.execute([&] { work(threads); });
  }
}

/// @param stride  Every so many of the bodies move in a frame.
void run_mixed(const ScaleOptions& options, std::size_t stride) {
  const std::string title = "mixed " + std::to_string(options.bodies) + (stride == 1 ? "" : ", a tenth moves");
  if (title.find(options.filter) == std::string::npos) return;
  const samples::MovingScene moving = samples::pile(options.bodies);
  with_threads([&](int threads) {
    Scene scene({.contact_margin = 0.001});
    std::vector<BodyId> ids;
    const double added = milliseconds([&] {
      for (const BodyDescription& body : moving.bodies) ids.push_back(scene.add(body));
    });
    const double first = milliseconds([&] { scene.step(); });
    FrameTimes times;
    std::vector<BodyId> some_ids;
    std::vector<Pose> some_poses;
    constexpr std::size_t kPeriod = 1000;
    constexpr int kPass = 2;
    for (int frame = 0; frame < options.frames + kPass; ++frame) {
      some_ids.clear();
      some_poses.clear();
      const double phase = static_cast<double>(frame + 1) / kPeriod;
      for (std::size_t i = 0; i < ids.size(); i += stride) {
        if (moving.bodies[i].motion == Motion::fixed) continue;
        some_ids.push_back(ids[i]);
        some_poses.push_back(moving.paths[i].at(phase));
      }
      const double poses = milliseconds([&] { scene.set_poses(some_ids, some_poses); });
      const double step = milliseconds([&] { scene.step(); });
      if (frame >= kPass) times.add(poses, step, scene.statistics());
    }
    times.print(title.c_str(), threads, scene);
    std::printf("    added in %.0f ms, first step %.0f ms\n", added, first);
    if (threads == 2) print_memory(scene);
  });
}

void run_fixed(const ScaleOptions& options) {
  const std::string title = "fixed " + std::to_string(options.fixed) + ", 1000 move";
  if (title.find(options.filter) == std::string::npos) return;
  constexpr double kSpacing = 1.0;
  const int side = static_cast<int>(std::ceil(std::sqrt(options.fixed)));
  Random shapes_random(7);
  std::vector<Shape> shapes;
  for (int i = 0; i < 8; ++i) {
    shapes.emplace_back(Box(shapes_random.vector(0.1, 0.4)));
    shapes.push_back(samples::random_shape(samples::ShapeKind::convex_hull, 0.4, shapes_random));
    shapes.push_back(samples::random_shape(samples::ShapeKind::cylinder, 0.4, shapes_random));
    shapes.push_back(samples::random_shape(samples::ShapeKind::capsule, 0.4, shapes_random));
  }
  with_threads([&](int threads) {
    Random random(8);
    Scene scene({.contact_margin = 0.001});
    const double added = milliseconds([&] {
      for (int i = 0; i < options.fixed; ++i) {
        const Vector3d place(kSpacing * (i % side), kSpacing * (i / side), random.uniform(-0.2, 0.2));
        scene.add({.shape = shapes[static_cast<std::size_t>(i) % shapes.size()],
                   .pose = Pose(place, random.rotation()),
                   .motion = Motion::fixed,
                   .filter = {}});
      }
    });
    constexpr int kMoving = 1000;
    std::vector<BodyId> ids;
    std::vector<Vector3d> places;
    std::vector<Vector3d> ways;
    for (int i = 0; i < kMoving; ++i) {
      places.push_back(kSpacing * side * Vector3d(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0), 0.0));
      ways.push_back(0.05 * Vector3d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0));
      ids.push_back(scene.add({.shape = shapes[static_cast<std::size_t>(i) % shapes.size()],
                               .pose = Pose(places.back()),
                               .motion = Motion::moving,
                               .filter = {}}));
    }
    const double first = milliseconds([&] { scene.step(); });
    // What rests is sorted once and for all in the second step.
    const double second = milliseconds([&] {
      scene.set_pose(ids[0], Pose(places[0] + 0.1 * ways[0]));
      scene.step();
    });
    FrameTimes times;
    std::vector<Pose> poses(ids.size());
    for (int frame = 1; frame <= 5 * options.frames; ++frame) {
      for (std::size_t i = 0; i < ids.size(); ++i) poses[i] = Pose(places[i] + frame * ways[i]);
      const double posed = milliseconds([&] { scene.set_poses(ids, poses); });
      const double step = milliseconds([&] { scene.step(); });
      times.add(posed, step, scene.statistics());
    }
    times.print(title.c_str(), threads, scene);
    // One body comes and one goes in each frame.
    FrameTimes churn;
    for (int frame = 0; frame < options.frames; ++frame) {
      const auto i = static_cast<std::size_t>(frame) % ids.size();
      const double changed = milliseconds([&] {
        scene.remove(ids[i]);
        ids[i] = scene.add({.shape = shapes[i % shapes.size()], .pose = poses[i]});
      });
      const double step = milliseconds([&] { scene.step(); });
      churn.add(changed, step, scene.statistics());
    }
    churn.print("  one comes, one goes", threads, scene);
    const double prepared = milliseconds([&] { scene.prepare_queries(); });
    std::vector<Ray> rays;
    for (int i = 0; i < 10000; ++i) {
      const Vector3d from = kSpacing * side * Vector3d(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0), 0.0);
      rays.push_back({from + Vector3d(0, 0, 3), random.vector(-20.0, 20.0) - Vector3d(0, 0, 23)});
    }
    std::vector<std::optional<BodyRayHit>> hits(rays.size());
    const double asked = milliseconds([&] { ray_cast(scene, rays, {}, hits); });
    std::printf("    added in %.0f ms, steps 1 and 2 %.0f and %.0f ms, queries prepared in %.0f ms, a ray %.2f us\n",
                added, first, second, prepared, 1e3 * asked / static_cast<double>(rays.size()));
    if (threads == 2) print_memory(scene);
  });
}

}  // namespace
}  // namespace abut::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  abut::bench::ScaleOptions options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--bodies") == 0) options.bodies = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--fixed") == 0) options.fixed = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--frames") == 0) options.frames = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--filter") == 0) options.filter = argv[i + 1];
  }
  abut::bench::run_mixed(options, 1);
  abut::bench::run_mixed(options, 10);
  abut::bench::run_fixed(options);
  return 0;
}

// Questions about a scene of 100 000 boxes, in abut and in other libraries where those are installed: microseconds a
// question on one thread, the fastest of a few rounds; then casts on a mesh, beside Embree.
// Usage: bench_queries [number of boxes] [library, or "meshes" for those alone].
#include "mesh_casts.h"
#include "peer.h"

#include <abut/world/pose_sets.h>
#include <abut/world/queries.h>
#include <support/random.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace abut::bench {
namespace {

using samples::Random;

constexpr int kRounds = 3;

class AbutQueries : public QueryPeer {
 public:
  explicit AbutQueries(std::span<const QueryBox> boxes) {
    for (const QueryBox& box : boxes) scene_.add({.shape = Box(box.half_extents), .pose = box.pose});
  }
  void prepare() override { scene_.prepare_queries(); }
  Scene& scene() { return scene_; }
  static Ray of(const QueryRay& ray) { return {ray.origin, ray.way, 1.0}; }

  long first_hits(std::span<const QueryRay> rays) override {
    long hits = 0;
    for (const QueryRay& ray : rays) hits += ray_cast(scene_, of(ray), {}, context_) ? 1 : 0;
    return hits;
  }
  long any_hits(std::span<const QueryRay> rays) override {
    long hits = 0;
    for (const QueryRay& ray : rays) hits += any_hit(scene_, of(ray), {}, context_) ? 1 : 0;
    return hits;
  }
  long all_hits(std::span<const QueryRay> rays) override {
    long hits = 0;
    for (const QueryRay& ray : rays) {
      abut::all_hits(scene_, of(ray), {}, context_, hits_);
      hits += static_cast<long>(hits_.size());
    }
    return hits;
  }
  long casts(std::span<const QueryCast> casts) override {
    long hits = 0;
    for (const QueryCast& cast : casts) {
      const RigidMotion motion = RigidMotion::between(cast.box.pose, cast.end);
      hits += shape_cast(scene_, Box(cast.box.half_extents), motion, {}, {}, context_) ? 1 : 0;
    }
    return hits;
  }
  long overlaps(std::span<const QueryBox> boxes) override {
    long hits = 0;
    for (const QueryBox& box : boxes) {
      abut::overlaps(scene_, Box(box.half_extents), box.pose, 0.0, {}, context_, bodies_);
      hits += static_cast<long>(bodies_.size());
    }
    return hits;
  }
  long nearest(std::span<const Vector3d> points) override {
    long found = 0;
    for (const Vector3d& point : points) found += abut::nearest(scene_, point, kFar, {}, context_) ? 1 : 0;
    return found;
  }
  long nearest(std::span<const QueryBox> boxes) override {
    long found = 0;
    for (const QueryBox& box : boxes) {
      found += abut::nearest(scene_, Box(box.half_extents), box.pose, kFar, {}, context_) ? 1 : 0;
    }
    return found;
  }

 private:
  static constexpr double kFar = std::numeric_limits<double>::infinity();

  Scene scene_;
  QueryContext context_;
  std::vector<BodyRayHit> hits_;
  std::vector<BodyId> bodies_;
};

double seconds(const std::function<void()>& run) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void report(const char* library, const char* question, std::size_t count, const std::function<long()>& ask) {
  long answer = 0;
  const double time = seconds([&] { answer = ask(); });
  if (answer < 0) return;
  const auto n = static_cast<double>(count);
  std::printf("  %-8s %-28s %9.3f us   %.3f found a question\n", library, question, time / n * 1e6,
              static_cast<double>(answer) / n);
}

/// Boxes of 0.4 to 1.4 m in a cube whose side is so many boxes' mean distance.
std::vector<QueryBox> boxes_of(std::size_t count, double spacing, Random& random) {
  const double half_side = 0.5 * spacing * std::cbrt(static_cast<double>(count));
  std::vector<QueryBox> boxes;
  for (std::size_t i = 0; i < count; ++i) boxes.push_back({random.vector(0.2, 0.7), random.pose(half_side)});
  return boxes;
}

long count_found(const auto& answers) {
  return std::count_if(answers.begin(), answers.end(), [](const auto& answer) { return answer.has_value(); });
}

/// All questions of a kind in one call.
void report_batches(const Scene& scene, std::span<const Ray> rays, std::span<const PlacedShape> shapes,
                    std::span<const Vector3d> points) {
  QueryContext context;
  std::vector<std::optional<BodyRayHit>> first(rays.size());
  const auto first_hits = [&] {
    ray_cast(scene, rays, {}, first);
    return count_found(first);
  };
  report("abut", "one call: ray, first", rays.size(), first_hits);
  report("abut", "  on all threads", rays.size(), [&] { return tbb::task_arena().execute(first_hits); });
  std::vector<std::optional<BodyId>> some(rays.size());
  report("abut", "one call: ray, any", rays.size(), [&] {
    any_hit(scene, rays, {}, some);
    return count_found(some);
  });
  QueryLists<BodyRayHit> hits;
  report("abut", "one call: ray, all", rays.size(), [&] {
    all_hits(scene, rays, {}, context, hits);
    return static_cast<long>(hits.items.size());
  });
  QueryLists<BodyId> bodies;
  report("abut", "one call: overlap of a box", shapes.size(), [&] {
    overlaps(scene, shapes, 0.0, {}, context, bodies);
    return static_cast<long>(bodies.items.size());
  });
  std::vector<std::optional<BodySeparation>> near(shapes.size());
  const double any_distance = std::numeric_limits<double>::infinity();
  report("abut", "one call: nearest to a point", points.size(), [&] {
    nearest(scene, points, any_distance, {}, near);
    return count_found(near);
  });
  report("abut", "one call: nearest to a box", shapes.size(), [&] {
    nearest(scene, shapes, any_distance, {}, near);
    return count_found(near);
  });
}

void run_scene(const char* name, std::size_t count, double spacing, const std::string& only) {
  Random random(1);
  const std::vector<QueryBox> boxes = boxes_of(count, spacing, random);
  const double half_side = 0.5 * spacing * std::cbrt(static_cast<double>(count));
  std::vector<QueryRay> rays;
  std::vector<QueryCast> casts;
  std::vector<QueryCast> turning;
  std::vector<QueryBox> places;
  std::vector<Vector3d> points;
  for (int i = 0; i < 5000; ++i) {
    rays.push_back({random.vector(-half_side, half_side), 4.0 * half_side * random.direction()});
    const QueryBox box{Vector3d(0.3, 0.4, 0.5), random.pose(half_side)};
    const Vector3d way = 10.0 * random.direction();
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(1.0, random.direction()));
    casts.push_back({box, way, Pose(box.pose.translation() + way, box.pose.quaternion())});
    turning.push_back({box, way, Pose(box.pose.translation() + way, turn * box.pose.quaternion())});
    places.push_back(box);
    points.push_back(random.vector(-half_side, half_side));
  }
  std::printf("%s: %zu boxes, %.1f m apart\n", name, count, spacing);
  const auto run = [&](const char* library, QueryPeer& peer) {
    if (!only.empty() && only != library) return;
    // A peer that takes long is asked less.
    const std::size_t few = std::string(library) == "abut" ? 5000 : 200;
    std::printf(
        "  %-8s %-28s %9.1f ms\n", library, "prepare", 1e3 * [&] {
          const auto start = std::chrono::steady_clock::now();
          peer.prepare();
          return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }());
    const auto some_rays = std::span(rays).first(few);
    report(library, "ray, first", few, [&] { return peer.first_hits(some_rays); });
    report(library, "ray, any", few, [&] { return peer.any_hits(some_rays); });
    report(library, "ray, all", few, [&] { return peer.all_hits(some_rays); });
    report(library, "box cast, 10 m", few, [&] { return peer.casts(std::span(casts).first(few)); });
    report(library, "box cast, 10 m, 1 rad", few, [&] { return peer.casts(std::span(turning).first(few)); });
    report(library, "overlap of a box", few, [&] { return peer.overlaps(std::span(places).first(few)); });
    report(library, "nearest to a point", few, [&] { return peer.nearest(std::span(points).first(few)); });
    report(library, "nearest to a box", few, [&] { return peer.nearest(std::span(places).first(few)); });
  };
  {
    AbutQueries abut(boxes);
    run("abut", abut);
    if (only.empty() || only == "abut") {
      Scene& scene = abut.scene();
      std::vector<Ray> asked;
      for (const QueryRay& ray : rays) asked.push_back(AbutQueries::of(ray));
      std::vector<PlacedShape> placed;
      for (const QueryBox& box : places) placed.push_back({Box(box.half_extents), box.pose});
      report_batches(scene, asked, placed, points);
      std::vector<BodyId> group;
      for (int i = 0; i < 8; ++i) {
        group.push_back(scene.add({.shape = Capsule(0.1, 0.3), .pose = Pose(Vector3d(0, 0, 9.0 * half_side))}));
      }
      for (std::size_t i = 0; i + 1 < group.size(); ++i) scene.ignore_pair(group[i], group[i + 1]);
      scene.prepare_queries();
      constexpr std::size_t kSets = 5000;
      std::vector<Pose> poses;
      for (std::size_t k = 0; k < kSets; ++k) {
        const Vector3d base = random.vector(-half_side, half_side);
        for (std::size_t i = 0; i < group.size(); ++i) {
          poses.emplace_back(base + Vector3d(0, 0, 0.6 * static_cast<double>(i)) + random.vector(-0.1, 0.1),
                             random.rotation());
        }
      }
      report("abut", "pose set of 8, check", kSets, [&] {
        long hits = 0;
        for (const PoseSetCheck& one : check(scene, group, poses)) hits += one.collides ? 1 : 0;
        return hits;
      });
      report("abut", "pose set of 8, distance", kSets,
             [&] { return static_cast<long>(distances(scene, group, poses).size()); });
    }
  }
#if defined(ABUT_BENCH_BULLET)
  if (only.empty() || only == "bullet") run("bullet", *make_bullet(boxes));
#endif
#if defined(ABUT_BENCH_FCL)
  if (only.empty() || only == "fcl") run("fcl", *make_fcl(boxes));
#endif
}

}  // namespace
}  // namespace abut::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::size_t count = 100000;
  if (argc > 1) {
    const std::string_view number = argv[1];
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error != std::errc() || end != number.data() + number.size() || count == 0) {
      std::fprintf(stderr, "bench_queries: the number of boxes must be at least 1, got '%s'\n", argv[1]);
      return 2;
    }
  }
  const std::string only = argc > 2 ? argv[2] : "";
  static constexpr std::array<std::string_view, 5> kKnown = {"", "abut", "bullet", "fcl", "meshes"};
  if (argc > 3 || std::find(kKnown.begin(), kKnown.end(), only) == kKnown.end()) {
    std::fprintf(stderr, "usage: bench_queries [number of boxes] [abut, bullet, fcl or meshes]\n");
    return 2;
  }
  tbb::task_arena one(1);
  one.execute([&] {
    if (only != "meshes") {
      abut::bench::run_scene("dense", count, 1.0, only);
      abut::bench::run_scene("loose", count, 3.0, only);
    }
    if (only.empty() || only == "meshes") abut::bench::run_mesh_casts();
  });
}

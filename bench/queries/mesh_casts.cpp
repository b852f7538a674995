// Rays and moving shapes against one mesh: the mesh alone, as a shape with a pose, and as the only body of a scene;
// beside Embree where that is installed.
#include "mesh_casts.h"

#include "../mesh/mesh_samples.h"

#include <abut/narrowphase/cast/ray_mesh.h>
#include <abut/world/queries.h>
#include <support/random.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace abut::bench {
namespace {

using samples::Random;

struct CastRow {
  const char* name;
  std::function<bool(std::size_t)> ask;
};

/// The rows in turn, so that all meet the same load of the machine; the fastest of the rounds.
void report_casts(const char* question, std::size_t count, const std::vector<CastRow>& rows) {
  constexpr int kCastRounds = 15;
  std::vector<double> best(rows.size(), std::numeric_limits<double>::infinity());
  std::vector<long> hits(rows.size());
  for (int round = 0; round < kCastRounds; ++round) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      hits[r] = 0;
      const auto start = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < count; ++i) hits[r] += rows[r].ask(i) ? 1 : 0;
      best[r] = std::min(best[r], std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
  const auto n = static_cast<double>(count);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::printf("  %-20s %-22s %9.3f us   %.3f found a question\n", question, rows[r].name, 1e6 * best[r] / n,
                static_cast<double>(hits[r]) / n);
  }
}

void run_mesh(const MeshData& data) {
  const TriangleMesh mesh(data.vertices, data.triangles);
  const Vector3d center = mesh.aabb().center();
  const double size = 2.0 * mesh.aabb().half_extents().norm();
  std::printf("%s: %zu triangles\n", data.name.c_str(), mesh.triangles().size());
  const Shape shape(mesh);
  Scene scene;
  scene.add({.shape = shape, .motion = Motion::fixed});
  scene.prepare_queries();
  QueryContext context;

  Random random(5);
  constexpr std::size_t kRays = 4000;
  std::vector<abut::Ray> rays;
  for (std::size_t i = 0; i < kRays; ++i) {
    const Vector3d origin = center + size * random.direction();
    rays.push_back({origin, center + 0.25 * size * random.vector(-1.0, 1.0) - origin});
  }
  std::vector<CastRow> first = {
      {"mesh", [&](std::size_t i) { return first_hit(mesh, rays[i].origin, rays[i].direction).has_value(); }},
      {"shape, with normal", [&](std::size_t i) { return ray_cast(rays[i], shape, Pose()).has_value(); }},
      {"scene, with normal", [&](std::size_t i) { return ray_cast(scene, rays[i], {}, context).has_value(); }}};
  std::vector<CastRow> any = {
      {"mesh", [&](std::size_t i) { return any_hit(mesh, rays[i].origin, rays[i].direction); }},
      {"scene", [&](std::size_t i) { return any_hit(scene, rays[i], {}, context).has_value(); }}};
#if defined(ABUT_BENCH_EMBREE)
  const std::unique_ptr<MeshPeer> embree = make_embree(1);
  embree->add(data);
  const auto of = [&](std::size_t i) { return bench::Ray{rays[i].origin, rays[i].direction}; };
  first.push_back({"Embree", [&](std::size_t i) { return std::isfinite(embree->cast(0, of(i))); }});
  any.push_back({"Embree", [&](std::size_t i) { return embree->meets(0, of(i)); }});
#endif
  report_casts("ray, first", kRays, first);
  report_casts("ray, any", kRays, any);

  // From outside towards the middle; half of the way turns by a radian.
  constexpr std::size_t kCasts = 300;
  std::vector<RigidMotion> straight;
  std::vector<RigidMotion> turning;
  for (std::size_t i = 0; i < kCasts; ++i) {
    const Pose start(rays[i].origin, random.rotation());
    straight.push_back({.start = start, .linear = rays[i].direction});
    turning.push_back({.start = start, .linear = rays[i].direction, .angular = random.direction()});
  }
  const Shape sphere_shape = Sphere(0.01 * size);
  const Shape box_shape = Box(0.01 * size * Vector3d(1.0, 0.7, 0.5));
  const auto cast = [&](const Shape& moving, const RigidMotion& motion) {
    return shape_cast(scene, moving, motion, {}, {}, context).has_value();
  };
  report_casts("sphere cast", kCasts, {{"scene", [&](std::size_t i) { return cast(sphere_shape, straight[i]); }}});
  report_casts("box cast", kCasts, {{"scene", [&](std::size_t i) { return cast(box_shape, straight[i]); }}});
  report_casts("box cast, 1 rad", kCasts, {{"scene", [&](std::size_t i) { return cast(box_shape, turning[i]); }}});
}

}  // namespace

void run_mesh_casts() {
  run_mesh(ball("ball", 224, 9.0, 1.5));
  run_mesh(hills("hills", 224));
}

}  // namespace abut::bench

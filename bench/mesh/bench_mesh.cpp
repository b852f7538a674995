// Meshes: builds and refits, yes/no, distances and contacts of pairs of meshes, bodies on terrain, a hull on a height
// field, rays, distances of points; abut and, where they are installed, FCL, Coal, Embree, Bullet and CGAL on the same
// meshes and poses.
//
//   bench_mesh [--seconds S] [--filter TEXT] [--threads N]
//
// Meshes come from the folder that ABUT_SCENES_DIR names (armadillo_50k, bunny_69k, dragon_91k, terrain_100k), else
// they are generated; with a filter that says "million" a generated one of a million triangles besides.
// Builds and refits of abut and Embree use up to N threads, else one; all queries are made by one.
// Every figure is the least of several rounds over all poses or rays, per query; the answers of all libraries to one
// question are counted, so that a wrong one shows.
#include <abut/narrowphase/distance.h>
#include <support/random.h>
#include <tbb/global_control.h>

#if defined(ABUT_BENCH_WITH_IO)
#include <abut/io/mesh_file.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include "mesh_peer.h"
#include "mesh_samples.h"

namespace abut::bench {
namespace {

using samples::Random;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

MeshData load(const std::string& name, const std::function<MeshData(const std::string&)>& generate) {
#if defined(ABUT_BENCH_WITH_IO)
  if (const char* folder = std::getenv("ABUT_SCENES_DIR")) {
    MeshFile file = read_mesh_file(std::filesystem::path(folder) / (name + ".ply"), MeshContent::triangles);
    return {name, std::move(file.vertices), std::move(file.triangles)};
  }
#endif
  return generate(name);
}

double size_of(const MeshData& mesh) {
  Aabb box;
  for (const Vector3d& vertex : mesh.vertices) box.merge(vertex);
  return (box.upper - box.lower).norm();
}

Vector3d center_of(const MeshData& mesh) {
  Aabb box;
  for (const Vector3d& vertex : mesh.vertices) box.merge(vertex);
  return box.center();
}

void scale_to_size(MeshData& mesh, double size) {
  const double factor = size / size_of(mesh);
  for (Vector3d& vertex : mesh.vertices) vertex *= factor;
}

/// b comes from far along a random direction, turned at random, until it is `gap` away; negative: that far past the
/// first contact.
std::vector<Pose> approach(const Shape& a, const Shape& b, const Vector3d& center_a, const Vector3d& center_b,
                           double size, double gap, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Pose> poses;
  while (poses.size() < count) {
    const Quaterniond rotation = random.rotation();
    const Vector3d direction = random.direction();
    const auto at = [&](double distance) {
      return Pose(center_a + distance * direction - rotation * center_b, rotation);
    };
    const double wanted = std::max(gap, 1e-4 * size);
    double from_center = 2.0 * size;
    bool is_near = false;
    for (int i = 0; i < 200 && !is_near && from_center > 0.0; ++i) {
      const double d = distance(a, Pose(), b, at(from_center)).distance;
      is_near = d <= 1.02 * wanted;
      if (!is_near) from_center -= d - wanted;
    }
    if (!is_near) continue;  // passed through a hole
    poses.push_back(at(gap < 0.0 ? from_center + gap : from_center));
  }
  return poses;
}

class Table {
 public:
  Table(double seconds, std::string filter) : seconds_(seconds), filter_(std::move(filter)) {}

  [[nodiscard]] const std::string& filter() const { return filter_; }
  [[nodiscard]] bool wants(const std::string& title) const { return title.find(filter_) != std::string::npos; }

  using Query = std::function<double(std::size_t)>;

  /// One row a library, their rounds in turn, so that all meet the same load of the machine.
  /// @param queries  Of item i of `count`; they return something to be summed and shown.
  void rows(const std::string& title, std::size_t count,
            const std::vector<std::pair<std::string, Query>>& queries) const {
    std::vector<double> sums(queries.size());
    std::vector<double> best(queries.size(), std::numeric_limits<double>::infinity());
    double spent = 0.0;
    for (int round = 0; round < 3 || (spent < seconds_ * static_cast<double>(queries.size()) && round < 1000);
         ++round) {
      for (std::size_t q = 0; q < queries.size(); ++q) {
        sums[q] = 0.0;
        const double took = seconds_of([&] {
          for (std::size_t i = 0; i < count; ++i) sums[q] += queries[q].second(i);
        });
        best[q] = std::min(best[q], took);
        spent += took;
      }
    }
    for (std::size_t q = 0; q < queries.size(); ++q) print(title, queries[q].first, best[q], count, sums[q]);
  }

  /// @param query  Of item i of `count`; returns something to be summed and shown.
  void row(const std::string& title, const std::string& library, std::size_t count,
           const std::function<double(std::size_t)>& query) const {
    double sum = 0.0;
    double best = std::numeric_limits<double>::infinity();
    double spent = 0.0;
    for (int round = 0; round < 3 || (spent < seconds_ && round < 1000); ++round) {
      sum = 0.0;
      const double took = seconds_of([&] {
        for (std::size_t i = 0; i < count; ++i) sum += query(i);
      });
      best = std::min(best, took);
      spent += took;
      if (spent > 3.0 * seconds_) break;
    }
    print(title, library, best, count, sum);
  }

 private:
  static void print(const std::string& title, const std::string& library, double seconds, std::size_t count,
                    double sum) {
    std::printf("%-44s %-12s %10.3f us   (answers sum to %g)\n", title.c_str(), library.c_str(),
                1e6 * seconds / static_cast<double>(count), sum);
    std::fflush(stdout);
  }

  double seconds_;
  std::string filter_;
};

/// Distances of a body that trembles by a millimetre and a hundredth of a radian from query to query, without a memory
/// and with one.
void run_moving(const Table& table, const std::string& title, const Shape& a, const Shape& b,
                const std::vector<Pose>& poses) {
  if (!table.wants(title)) return;
  const auto moved = [](const Pose& pose, int query) {
    const double phase = query;
    const Vector3d shift(std::sin(0.7 * phase), std::sin(0.8 * phase), std::sin(0.9 * phase));
    return pose * Pose(0.001 * shift, Quaterniond(Eigen::AngleAxisd(0.01 * std::sin(phase), Vector3d::UnitZ())));
  };
  std::vector<PairCache> memories(poses.size());
  std::vector<int> queries(poses.size(), 0);
  std::vector<int> remembered_queries(poses.size(), 0);
  table.rows(title, poses.size(),
             {{"abut", [&](std::size_t i) { return distance(a, Pose(), b, moved(poses[i], queries[i]++)).distance; }},
              {"abut, memory", [&](std::size_t i) {
                 return distance(a, Pose(), b, moved(poses[i], remembered_queries[i]++), {}, &memories[i]).distance;
               }}});
}

/// The same ground as a height field and as a mesh, and a hull at heights at which it just touches or just does not.
void run_height_field(const Table& table) {
  const std::string title = "hull on height field";
  if (!table.wants(title)) return;
  constexpr int kCells = 224;
  const MeshData ground = hills("ground", kCells);
  Eigen::MatrixXd heights(kCells + 1, kCells + 1);
  for (int i = 0; i <= kCells; ++i) {
    for (int j = 0; j <= kCells; ++j) {
      heights(i, j) = ground.vertices[static_cast<std::size_t>(i * (kCells + 1) + j)].z();
    }
  }
  const double spacing = 22.4 / kCells;
  const Shape field(HeightField(heights, Eigen::Vector2d(spacing, spacing), -3.0));
  const Pose field_pose(Vector3d(-11.2, -11.2, 0.0));
  const Shape mesh(TriangleMesh(ground.vertices, ground.triangles));
  Random random(4);
  std::vector<Vector3d> points;
  for (int i = 0; i < 60; ++i) points.push_back(0.25 * random.direction());
  const Shape hull(ConvexHull::from_points(points));
  for (const double gap : {0.01, -0.02}) {
    std::vector<Pose> poses;
    while (poses.size() < 200) {
      const Quaterniond rotation = random.rotation();
      Vector3d at(random.uniform(-9.0, 9.0), random.uniform(-9.0, 9.0), 3.0);
      for (int i = 0; i < 100; ++i) {
        const double d = distance(mesh, Pose(), hull, Pose(at, rotation)).distance;
        if (d <= 1.05 * std::max(gap, 1e-4)) break;
        at.z() -= d - std::max(gap, 1e-4);
      }
      if (gap < 0.0) at.z() += gap;
      poses.emplace_back(at, rotation);
    }
    const std::string where = gap > 0.0 ? " near" : " overlapping";
    table.rows(title + where, poses.size(),
               {{"abut", [&](std::size_t i) { return collides(field, field_pose, hull, poses[i]) ? 1.0 : 0.0; }},
                {"abut, a mesh", [&](std::size_t i) { return collides(mesh, Pose(), hull, poses[i]) ? 1.0 : 0.0; }}});
    table.rows(title + where + ", distance", poses.size(),
               {{"abut", [&](std::size_t i) { return distance(field, field_pose, hull, poses[i]).distance; }},
                {"abut, a mesh", [&](std::size_t i) { return distance(mesh, Pose(), hull, poses[i]).distance; }}});
  }
}

/// Bodies half a metre in size on the terrain, which is mesh 3 of the peers: near it, and sunk into it.
void run_bodies(const Table& table, std::span<const std::unique_ptr<MeshPeer>> peers, const Shape& terrain) {
  Random random(3);
  std::vector<Vector3d> points;
  for (int i = 0; i < 60; ++i) points.push_back(0.25 * random.direction());
  const struct {
    const char* name;
    Shape shape;
  } bodies[] = {{"hull", ConvexHull::from_points(points)},
                {"box", Box({0.25, 0.2, 0.1})},
                {"sphere", Sphere(0.25)},
                {"capsule", Capsule(0.08, 0.17)},
                {"cylinder", Cylinder(0.15, 0.2)}};
  for (const auto& body : bodies) {
    for (const auto& peer : peers) peer->set_body(body.shape);
    for (const double gap : {0.01, -0.02}) {
      const std::string where = std::string(body.name) + " on terrain " + (gap > 0.0 ? "near" : "overlapping");
      const std::string distance_title = "distance " + where;
      const std::string points_title = "distance and points " + where;
      const std::string moving_title = "moving, distance " + where;
      if (!table.wants(where) && !table.wants(distance_title) && !table.wants(points_title) &&
          !table.wants(moving_title)) {
        continue;
      }
      std::vector<Pose> poses;
      while (poses.size() < 200) {
        const Vector3d over(random.uniform(-9.0, 9.0), random.uniform(-9.0, 9.0), 3.0);
        const Quaterniond rotation = random.rotation();
        double z = 3.0;
        for (int i = 0; i < 100; ++i) {
          const double d = distance(terrain, Pose(), body.shape, Pose({over.x(), over.y(), z}, rotation)).distance;
          if (d <= 1.05 * std::max(gap, 1e-4)) break;
          z -= d - std::max(gap, 1e-4);
        }
        poses.emplace_back(Vector3d(over.x(), over.y(), gap < 0.0 ? z + gap : z), rotation);
      }
      run_moving(table, moving_title, terrain, body.shape, poses);
      for (const auto& peer : peers) {
        if (!peer->has_bodies() || !table.wants(where)) continue;
        table.row(where, peer->name(), poses.size(),
                  [&](std::size_t i) { return peer->collide_body(3, poses[i]) ? 1.0 : 0.0; });
      }
      for (const auto& peer : peers) {
        if (!peer->has_body_distances() || !table.wants(distance_title)) continue;
        table.row(distance_title, peer->name(), poses.size(),
                  [&](std::size_t i) { return peer->distance_body(3, poses[i]); });
      }
      const double reach = std::max(gap, 0.0);
      for (const auto& peer : peers) {
        if (!peer->has_manifolds() || !table.wants(points_title)) continue;
        table.row(points_title, peer->name(), poses.size(),
                  [&](std::size_t i) { return static_cast<double>(peer->manifold_body(3, poses[i], reach)); });
      }
    }
  }
}

void run(const Table& table, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  std::vector<MeshData> meshes = {
      load("armadillo_50k", [](const std::string& name) { return ball(name, 158, 9.0, 1.0); }),
      load("bunny_69k", [](const std::string& name) { return ball(name, 186, 5.0, 1.5); }),
      load("dragon_91k", [](const std::string& name) { return ball(name, 213, 14.0, 2.0); }),
      load("terrain_100k", [](const std::string& name) { return hills(name, 224); }),
  };
  for (std::size_t i = 0; i < 3; ++i) scale_to_size(meshes[i], 1.0);
  // Last, for pairs are of the others; and alone, for the other libraries take their time with it.
  const bool with_million = table.filter().find("million") != std::string::npos;
  if (with_million) {
    meshes.push_back(ball("million", 708, 30.0, 1.2));
    scale_to_size(meshes.back(), 1.0);
  }

  std::vector<std::unique_ptr<MeshPeer>> peers;
  peers.push_back(make_abut(TreeKind::aabb));
  peers.push_back(make_abut(TreeKind::obb));
#if defined(ABUT_BENCH_FCL)
  peers.push_back(make_fcl());
#endif
#if defined(ABUT_BENCH_COAL)
  peers.push_back(make_coal());
#endif
#if defined(ABUT_BENCH_EMBREE)
  peers.push_back(make_embree(threads));
#endif
#if defined(ABUT_BENCH_BULLET)
  peers.push_back(make_bullet());
#endif
#if defined(ABUT_BENCH_CGAL)
  peers.push_back(make_cgal());
#endif
  for (const MeshData& mesh : meshes) {
    for (const auto& peer : peers) {
      const double first = seconds_of([&] { peer->add(mesh); });
      if (!table.wants("build " + mesh.name)) continue;
      const std::size_t place = static_cast<std::size_t>(&mesh - meshes.data());
      std::printf("%-44s %-12s %10.2f ms   %.2f million triangles a second, %.1f bytes a triangle\n",
                  ("build " + mesh.name).c_str(), peer->name().c_str(), 1e3 * first,
                  1e-6 * static_cast<double>(mesh.triangles.size()) / first,
                  static_cast<double>(peer->tree_bytes(place)) / static_cast<double>(mesh.triangles.size()));
    }
  }
  std::vector<Shape> shapes;
  for (const MeshData& mesh : meshes) shapes.emplace_back(TriangleMesh(mesh.vertices, mesh.triangles));

  constexpr std::size_t kPoses = 48;
  std::vector<std::array<std::size_t, 2>> pairs = {{0, 1}, {1, 2}, {2, 0}};
  if (with_million) pairs.push_back({4, 4});
  for (const auto& pair : pairs) {
    const std::size_t a = pair[0];
    const std::size_t b = pair[1];
    const auto poses = [&](double gap, std::uint64_t seed) {
      return approach(shapes[a], shapes[b], center_of(meshes[a]), center_of(meshes[b]), 1.0, gap, kPoses, seed);
    };
    const std::string names = " " + meshes[a].name + " " + meshes[b].name;
    const struct {
      const char* name;
      double gap;
    } cases[] = {{"near", 0.01}, {"touching", 0.001}, {"overlapping", -0.05}};
    for (const auto& one : cases) {
      const std::string title = std::string("yes/no ").append(one.name).append(names);
      const std::string distance_title = std::string("distance ").append(one.name).append(names);
      const std::string contacts_title = std::string("contacts ").append(one.name).append(names);
      const std::string moving_title = std::string("moving, distance ").append(one.name).append(names);
      if (!table.wants(title) && !table.wants(distance_title) && !table.wants(contacts_title) &&
          !table.wants(moving_title)) {
        continue;
      }
      const std::vector<Pose> at = poses(one.gap, 7);
      run_moving(table, moving_title, shapes[a], shapes[b], at);
      for (const auto& peer : peers) {
        if (peer->has_pairs() && table.wants(title)) {
          table.row(title, peer->name(), kPoses, [&](std::size_t i) { return peer->collide(a, b, at[i]) ? 1.0 : 0.0; });
        }
      }
      for (const auto& peer : peers) {
        if (peer->has_distance() && one.gap > 0.0 && table.wants(distance_title)) {
          table.row(distance_title, peer->name(), kPoses, [&](std::size_t i) { return peer->distance(a, b, at[i]); });
        }
      }
      for (const auto& peer : peers) {
        if (peer->has_contacts() && one.gap < 0.0 && table.wants(contacts_title)) {
          table.row(contacts_title, peer->name(), kPoses,
                    [&](std::size_t i) { return static_cast<double>(peer->contacts(a, b, at[i])); });
        }
      }
    }
    if (table.wants("depth overlapping" + names)) {
      const std::vector<Pose> at = poses(-0.05, 7);
      for (std::size_t p = 0; p < 2; ++p) {
        table.row("depth overlapping" + names, peers[p]->name(), kPoses,
                  [&](std::size_t i) { return peers[p]->distance(a, b, at[i]); });
      }
    }
  }

  run_bodies(table, peers, shapes[3]);
  run_height_field(table);

  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const std::string title = "distance of a point " + meshes[m].name;
    if (!table.wants(title)) continue;
    Random random(6);
    std::vector<Vector3d> points;
    for (int i = 0; i < 2000; ++i) {
      points.push_back(center_of(meshes[m]) + 0.6 * size_of(meshes[m]) * random.vector(-1.0, 1.0));
    }
    std::vector<std::pair<std::string, Table::Query>> queries;
    for (const auto& peer : peers) {
      if (!peer->has_nearest()) continue;
      queries.emplace_back(peer->name(), [&, m](std::size_t i) { return peer->nearest(m, points[i]); });
    }
    table.rows(title, points.size(), queries);
  }

  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const std::string title = "rays " + meshes[m].name;
    if (!table.wants(title)) continue;
    Random random(5);
    const double size = size_of(meshes[m]);
    const Vector3d center = center_of(meshes[m]);
    std::vector<Ray> rays;
    for (int i = 0; i < 4000; ++i) {
      const Vector3d origin = center + size * random.direction();
      const Vector3d target = center + 0.25 * size * random.vector(-1.0, 1.0);
      rays.push_back({origin, target - origin});
    }
    std::vector<std::pair<std::string, Table::Query>> queries;
    for (const auto& peer : peers) {
      if (!peer->has_rays()) continue;
      queries.emplace_back(peer->name(), [&, m](std::size_t i) {
        const double t = peer->cast(m, rays[i]);
        return std::isfinite(t) ? t : 0.0;
      });
    }
    table.rows(title, rays.size(), queries);
  }

  // Last, for trees may be worse afterwards.
  for (std::size_t m = 0; m < meshes.size(); ++m) {
    const std::string title = "refit " + meshes[m].name;
    if (!table.wants(title)) continue;
    std::vector<Vector3d> moved = meshes[m].vertices;
    for (Vector3d& vertex : moved) vertex.z() *= 1.1;
    for (const auto& peer : peers) {
      if (!peer->has_refit()) continue;
      bool is_moved = false;
      const auto refit = [&] { peer->refit(m, (is_moved = !is_moved) ? moved : meshes[m].vertices); };
      double best = std::numeric_limits<double>::infinity();
      for (int round = 0; round < 4; ++round) best = std::min(best, seconds_of(refit));  // even: as it was
      std::printf("%-44s %-12s %10.2f ms   %.2f million triangles a second\n", title.c_str(), peer->name().c_str(),
                  1e3 * best, 1e-6 * static_cast<double>(meshes[m].triangles.size()) / best);
    }
  }
}

}  // namespace
}  // namespace abut::bench

int main(int argc, char** argv) {
  double seconds = 0.5;
  std::string filter;
  int threads = 1;
  for (int i = 1; i < argc; i += 2) {
    const bool has_value = i + 1 < argc;
    if (has_value && std::strcmp(argv[i], "--seconds") == 0) {
      seconds = std::atof(argv[i + 1]);
    } else if (has_value && std::strcmp(argv[i], "--filter") == 0) {
      filter = argv[i + 1];
    } else if (has_value && std::strcmp(argv[i], "--threads") == 0 && std::atoi(argv[i + 1]) > 0) {
      threads = std::atoi(argv[i + 1]);
    } else {
      std::fprintf(stderr, "bench_mesh [--seconds S] [--filter TEXT] [--threads N]: cannot take %s\n", argv[i]);
      return 2;
    }
  }
  abut::bench::run(abut::bench::Table(seconds, filter), threads);
  return 0;
}

#include "pair_sets.h"

#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <utility>

#ifdef ABUT_BENCH_WITH_IO
#include <abut/io/mesh_file.h>
#endif

namespace abut::bench {
namespace {

using samples::Random;

// Lengths of bodies are between these, metres: what a gripper holds.
constexpr double kSmallest = 0.05;
constexpr double kLargest = 0.25;
constexpr std::size_t kShapesPerKind = 32;

double length(Random& random) {
  return random.uniform(kSmallest, kLargest);
}

Vector3d lengths(Random& random) {
  const double x = length(random);
  const double y = length(random);
  return {x, y, length(random)};
}

/// Corners on a superquadric, so that all of them are extreme; more of them where it is more curved, as scans have it.
ConvexHull hull_of(int count, Random& random) {
  const Vector3d radii = lengths(random);
  const double e1 = random.uniform(0.6, 1.4);
  const double e2 = random.uniform(0.6, 1.4);
  const Superquadric surface(radii, {e1, e2});
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(surface.core_support(random.direction()));
  return ConvexHull::from_points(points);
}

/// Waves on a square grid of 50 x 50 cells of 0.1 m: 5000 triangles.
TriangleMesh terrain() {
  constexpr std::uint32_t kCells = 50;
  constexpr double kSpacing = 0.1;
  std::vector<Vector3d> vertices;
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t j = 0; j <= kCells; ++j) {
      const double x = kSpacing * (j - 0.5 * kCells);
      const double y = kSpacing * (i - 0.5 * kCells);
      vertices.emplace_back(x, y, 0.15 * std::sin(2.3 * x + 0.4) * std::cos(1.7 * y));
    }
  }
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t j = 0; j < kCells; ++j) {
      const std::uint32_t corner = i * (kCells + 1) + j;
      triangles.push_back({corner, corner + 1, corner + kCells + 2});
      triangles.push_back({corner, corner + kCells + 2, corner + kCells + 1});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

using Maker = std::function<Shape(Random&)>;

Shape sphere(Random& random) {
  return Sphere(length(random));
}
Shape capsule(Random& random) {
  const double radius = length(random);
  return Capsule(0.5 * radius, length(random));
}
Shape box(Random& random) {
  return Box(lengths(random));
}
Shape cylinder(Random& random) {
  const double radius = length(random);
  return Cylinder(radius, length(random));
}
Shape cone(Random& random) {
  const double radius = length(random);
  return Cone(radius, length(random));
}
Shape ellipsoid(Random& random) {
  return Ellipsoid(lengths(random));
}
Shape superquadric(Random& random) {
  const Vector3d radii = lengths(random);
  const double e1 = random.uniform(0.3, 1.7);
  const double e2 = random.uniform(0.3, 1.7);
  return Superquadric(radii, {e1, e2});
}
Shape smooth_hull(Random& random) {
  const Vector3d radii = lengths(random);
  std::vector<Vector3d> points;
  for (int i = 0; i < 14; ++i) points.push_back(radii.cwiseProduct(random.direction()));
  return SmoothHull(std::move(points), random.uniform(8.0, 30.0));
}
Shape smooth_revolution(Random& random) {
  const double radius = length(random);
  const double half_length = length(random);
  return SmoothRevolution({{0.3 * radius, half_length}, {radius, 0.0}, {0.6 * radius, -half_length}},
                          random.uniform(8.0, 30.0), 0.05);
}
Maker hull(int count) {
  return [count](Random& random) { return Shape(hull_of(count, random)); };
}

/// What a set is made of: count_a shapes that may be a, then count_b that may be b.
struct Recipe {
  std::string name;
  Maker make_a;
  Maker make_b;
  std::size_t count_a = kShapesPerKind;
  std::size_t count_b = kShapesPerKind;
};

const std::vector<Recipe>& convex_recipes() {
  static const std::vector<Recipe> recipes{
      {"sphere_sphere", sphere, sphere},
      {"sphere_capsule", sphere, capsule},
      {"sphere_box", sphere, box},
      {"sphere_cylinder", sphere, cylinder},
      {"capsule_capsule", capsule, capsule},
      {"capsule_box", capsule, box},
      {"capsule_cylinder", capsule, cylinder},
      {"box_box", box, box},
      {"box_cylinder", box, cylinder},
      {"cylinder_cone", cylinder, cone},
      {"ellipsoid_ellipsoid", ellipsoid, ellipsoid},
      {"box_ellipsoid", box, ellipsoid},
      {"cylinder_ellipsoid", cylinder, ellipsoid},
      {"hull_ellipsoid", hull(200), ellipsoid},
      {"capsule_hull", capsule, hull(200)},
      {"box_hull", box, hull(200)},
      {"cylinder_hull", cylinder, hull(200)},
      {"hull_40", hull(40), hull(40)},
      {"hull_200", hull(200), hull(200)},
      {"hull_1000", hull(1000), hull(1000), 16, 16},
      {"hull_4000", hull(4000), hull(4000), 8, 8},
      {"superquadric", superquadric, superquadric},
      {"smooth_hull", smooth_hull, smooth_hull},
      {"smooth_revolution", smooth_revolution, smooth_revolution},
  };
  return recipes;
}

// Of 4 to 8 corners on an ellipse.
Shape padded_polygon(Random& random) {
  const double radius_x = length(random);
  const double radius_y = length(random);
  const int corners = 4 + static_cast<int>(random.below(5));
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.1, 0.9)) / corners;
    points.emplace_back(radius_x * std::cos(angle), radius_y * std::sin(angle));
  }
  return PaddedPolygon(points, 0.2 * length(random));
}

const std::vector<Recipe>& polygon_recipes() {
  static const std::vector<Recipe> recipes{
      {"polygon_polygon", padded_polygon, padded_polygon},
      {"polygon_capsule", padded_polygon, capsule},
  };
  return recipes;
}

Shape scaled_l_mesh(Random& random) {
  return samples::l_mesh(2.0 * length(random));
}
Shape wavy_terrain(Random& /*random*/) {
  return terrain();
}

const std::vector<Recipe>& mesh_recipes() {
  static const std::vector<Recipe> recipes{
      {"l_mesh_box", scaled_l_mesh, box, 8},
      {"l_mesh_hull_40", scaled_l_mesh, hull(40), 8},
      {"terrain_5000_box", wavy_terrain, box, 1},
      {"terrain_5000_hull_40", wavy_terrain, hull(40), 1},
      {"terrain_5000_sphere", wavy_terrain, sphere, 1},
  };
  return recipes;
}

constexpr const char* kYcbName = "hull_ycb";

std::optional<std::filesystem::path> ycb_folder() {
#ifdef ABUT_BENCH_WITH_IO
  const char* folder = std::getenv("ABUT_YCB_DIR");
  if (folder != nullptr && std::filesystem::is_directory(folder)) return folder;
#endif
  return std::nullopt;
}

std::vector<Shape> ycb_hulls([[maybe_unused]] const std::filesystem::path& folder) {
  std::vector<Shape> shapes;
#ifdef ABUT_BENCH_WITH_IO
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // folders list files in any order
  for (const std::filesystem::path& file : files) {
    shapes.emplace_back(ConvexHull::from_points(read_mesh_file(file, MeshContent::vertices).vertices));
  }
  if (shapes.empty()) throw InvalidInput("ABUT_YCB_DIR", "must hold OBJ files");
#endif
  return shapes;
}

/// A body at a pose that can be nudged without losing its exact rotation.
struct Placed {
  Vector3d translation;
  Quaterniond rotation;
  [[nodiscard]] Pose pose() const { return Pose(translation, rotation); }
};

/// Bodies somewhere near each other; over a mesh, b starts above its box, or beside it where it is no terrain.
Placed start_of_b(const Shape& a, const Pose& world_from_a, const Shape& b, Random& random) {
  const Aabb box_a = aabb(a, Pose());
  const double reach = 0.5 * aabb(b, Pose()).half_extents().norm() + 0.2;
  const Vector3d half = box_a.half_extents();
  const bool is_terrain = a.is_composite() && half.z() < 0.1 * half.x();
  Vector3d start_a = box_a.center() + (half.norm() + 2.0 * reach) * random.direction();
  if (is_terrain) {
    start_a = box_a.center() + Vector3d(random.uniform(-0.7, 0.7) * half.x(), random.uniform(-0.7, 0.7) * half.y(),
                                        half.z() + 2.0 * reach);
  }
  return {world_from_a * start_a, random.rotation()};
}

/// One pair at the gap, or none if moving along the normal did not lead there.
std::optional<PosedPair> place(const PairSet& set, PosedPair pair, double gap, Random& random) {
  constexpr int kMoves = 40;
  const Shape& a = set.shapes[pair.a];
  const Shape& b = set.shapes[pair.b];
  // The gap of a surface to a body that has sunk in has jumps: it is met to a tenth.
  const double accepted = a.is_composite() ? 0.1 * std::abs(gap) : 1e-9;
  pair.world_from_a = random.pose(1.0);
  Placed placed = start_of_b(a, pair.world_from_a, b, random);
  for (int move = 0; move < kMoves; ++move) {
    pair.world_from_b = placed.pose();
    const Separation found = distance(a, pair.world_from_a, b, pair.world_from_b);
    if (found.status == SolveStatus::converged && std::abs(found.distance - gap) <= accepted) {
      pair.distance = found.distance;
      const Quaterniond turn(Eigen::AngleAxisd(0.01, random.direction()));
      pair.world_from_b_before = Pose(placed.translation + 0.001 * random.direction(), turn * placed.rotation);
      return pair;
    }
    placed.translation += (gap - found.distance) * found.normal;
  }
  return std::nullopt;
}

PairSet make_set(std::vector<Shape> shapes, std::size_t first_b, std::size_t end_a, Random& random) {
  constexpr int kAttempts = 100;
  PairSet set;
  set.shapes = std::move(shapes);
  const auto count_b = static_cast<std::uint32_t>(set.shapes.size() - first_b);
  for (std::size_t g = 0; g < kGaps.size(); ++g) {
    for (std::size_t i = 0; i < kPairsPerGap; ++i) {
      std::optional<PosedPair> placed;
      for (int attempt = 0; !placed && attempt < kAttempts; ++attempt) {
        PosedPair pair;
        pair.a = random.below(static_cast<std::uint32_t>(end_a));
        pair.b = static_cast<std::uint32_t>(first_b) + random.below(count_b);
        placed = place(set, pair, kGaps[g], random);
      }
      if (!placed) throw InvalidInput("pair_set", "no pair of these shapes could be placed at the gap", kGaps[g]);
      set.pairs[g].push_back(*placed);
    }
  }
  return set;
}

PairSet make_set(const std::string& name) {
  Random random(1);
  for (const std::vector<Recipe>* recipes : {&convex_recipes(), &polygon_recipes(), &mesh_recipes()}) {
    for (const Recipe& recipe : *recipes) {
      if (recipe.name != name) continue;
      std::vector<Shape> shapes;
      for (std::size_t i = 0; i < recipe.count_a; ++i) shapes.push_back(recipe.make_a(random));
      for (std::size_t i = 0; i < recipe.count_b; ++i) shapes.push_back(recipe.make_b(random));
      return make_set(std::move(shapes), recipe.count_a, recipe.count_a, random);
    }
  }
  const std::optional<std::filesystem::path> folder = ycb_folder();
  if (name != kYcbName || !folder) throw InvalidInput("pair_set", "no set is called " + name);
  std::vector<Shape> shapes = ycb_hulls(*folder);
  const std::size_t count = shapes.size();
  return make_set(std::move(shapes), 0, count, random);  // any against any
}

std::vector<std::string> names_of(const std::vector<Recipe>& recipes) {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes) names.push_back(recipe.name);
  return names;
}

}  // namespace

std::vector<PosedPair> PairSet::shuffled(Gaps gaps) const {
  std::vector<PosedPair> all;
  for (std::size_t g = 0; g < kGaps.size(); ++g) {
    if (gaps == Gaps::all || (gaps == Gaps::apart) == (kGaps[g] > 0.0)) {
      all.insert(all.end(), pairs[g].begin(), pairs[g].end());
    }
  }
  Random random(2);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(static_cast<std::uint32_t>(i))]);
  return all;
}

std::vector<std::string> convex_set_names() {
  std::vector<std::string> names = names_of(convex_recipes());
  if (ycb_folder()) names.emplace_back(kYcbName);
  return names;
}

std::vector<std::string> polygon_set_names() {
  return names_of(polygon_recipes());
}

std::vector<std::string> mesh_set_names() {
  return names_of(mesh_recipes());
}

const PairSet& pair_set(const std::string& name) {
  static std::map<std::string, PairSet> sets;
  const auto known = sets.find(name);
  if (known != sets.end()) return known->second;
  return sets.emplace(name, make_set(name)).first->second;
}

}  // namespace abut::bench

#include "problems.h"

#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

namespace abut::study {
namespace {

using samples::Random;

/// Of the wished depth: shapes overlap that deep in one direction and less in another when they are thin.
constexpr double kAcceptedDepth = 0.01;
/// Metres: positive distances are met exactly but for rounding and the accuracy of smooth shapes.
constexpr double kAcceptedDistance = 1e-8;

double uniform_logarithm(Random& random, double lower, double upper) {
  return lower * std::pow(upper / lower, random.uniform(0.0, 1.0));
}

/// One pair at all gaps, or none where a gap was not met.
std::optional<std::vector<Problem>> place(const std::vector<Shape>& shapes, Problem problem,
                                          std::span<const double> gaps, Random& random) {
  const Shape& a = shapes[problem.a];
  const Shape& b = shapes[problem.b];
  problem.world_from_a = random.pose(1.0);
  const double reach = obb(a).half_extents.norm() + obb(b).half_extents.norm();
  const Quaterniond rotation = random.rotation();
  const Vector3d center_b = problem.world_from_a * obb(a).center + (reach + 0.1) * random.direction();
  problem.world_from_b = Pose(center_b - rotation * obb(b).center, rotation);
  const Separation apart = distance(a, problem.world_from_a, b, problem.world_from_b);
  problem.distance = apart.distance;
  problem.nearest = -apart.distance * apart.normal;
  std::vector<Problem> placed;
  for (const double gap : gaps) {
    const Problem moved = moved_to(problem, gap);
    const Separation found = distance(a, moved.world_from_a, b, moved.world_from_b);
    const double accepted = gap < 0.0 ? -kAcceptedDepth * gap : kAcceptedDistance;
    if (found.status != SolveStatus::converged || !(std::abs(found.distance - gap) <= accepted)) return std::nullopt;
    placed.push_back(moved);
  }
  return placed;
}

std::vector<Vector3d> vertices_of(const std::filesystem::path& obj_file) {
  std::ifstream in(obj_file);
  std::vector<Vector3d> vertices;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string kind;
    Vector3d p;
    if (words >> kind >> p.x() >> p.y() >> p.z() && kind == "v") vertices.push_back(p);
  }
  if (vertices.empty()) throw InvalidInput("ABUT_YCB_DIR", "holds a file without vertices: " + obj_file.string());
  return vertices;
}

Hulls hulls_of_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  }
  if (files.empty()) throw InvalidInput("ABUT_YCB_DIR", "must hold OBJ files: " + folder.string());
  std::sort(files.begin(), files.end());  // folders list files in any order
  Hulls hulls;
  hulls.is_ycb = true;
  for (const std::filesystem::path& file : files) {
    hulls.names.push_back(file.stem().string());
    hulls.shapes.emplace_back(ConvexHull::from_points(vertices_of(file)));
  }
  return hulls;
}

}  // namespace

Problem moved_to(const Problem& apart, double gap) {
  const Vector3d normal = -apart.nearest.normalized();  // from a to b
  Problem moved = apart;
  moved.world_from_b = Pose((gap - apart.distance) * normal) * apart.world_from_b;
  moved.distance = gap;
  moved.nearest = -std::max(gap, 0.0) * normal;
  return moved;
}

ProblemSet make_problems(std::vector<Shape> shapes, std::span<const double> gaps, std::size_t count,
                         const PairChooser& choose, std::uint64_t seed) {
  constexpr int kAttempts = 300;
  Random random(seed);
  ProblemSet set{std::move(shapes), {gaps.begin(), gaps.end()}, {}};
  set.problems.resize(gaps.size());
  for (std::size_t i = 0; i < count; ++i) {
    std::optional<std::vector<Problem>> placed;
    for (int attempt = 0; !placed && attempt < kAttempts; ++attempt) {
      Problem problem;
      std::tie(problem.a, problem.b) = choose(i);
      placed = place(set.shapes, problem, gaps, random);
    }
    if (!placed) throw InvalidInput("problems", "no pose of this pair meets all distances", static_cast<double>(i));
    for (std::size_t g = 0; g < gaps.size(); ++g) set.problems[g].push_back((*placed)[g]);
  }
  return set;
}

ProblemSet make_problems(std::vector<Shape> shapes, std::span<const double> gaps, std::size_t count,
                         std::uint64_t seed) {
  Random random(seed + 1);
  const auto shape_count = static_cast<std::uint32_t>(shapes.size());
  const auto choose = [&random, shape_count](std::size_t) {
    const std::uint32_t a = random.below(shape_count);
    return std::pair(a, random.below(shape_count));
  };
  return make_problems(std::move(shapes), gaps, count, choose, seed);
}

std::vector<Shape> random_ellipsoids(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < count; ++i) shapes.emplace_back(Ellipsoid(random.vector(0.05, 0.5)));
  return shapes;
}

std::vector<Shape> random_cubes(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < count; ++i) shapes.emplace_back(Box(Vector3d::Constant(random.uniform(0.05, 0.25))));
  return shapes;
}

Shape random_hull(int vertices, std::uint64_t seed) {
  Random random(seed);
  const Superquadric surface(random.vector(0.05, 0.25), {random.uniform(0.6, 1.4), random.uniform(0.6, 1.4)});
  std::vector<Vector3d> points;
  for (int i = 0; i < vertices; ++i) points.push_back(surface.core_support(random.direction()));
  return ConvexHull::from_points(points);
}

Hulls load_hulls() {
  const char* folder = std::getenv("ABUT_YCB_DIR");
  if (folder != nullptr && std::filesystem::is_directory(folder)) return hulls_of_folder(folder);
  constexpr std::size_t kGenerated = 24;
  Random random(1);
  Hulls hulls;
  for (std::size_t i = 0; i < kGenerated; ++i) {
    const int vertices = static_cast<int>(uniform_logarithm(random, 100.0, 8000.0));
    hulls.names.push_back("generated_" + std::to_string(vertices));
    hulls.shapes.push_back(random_hull(vertices, i));
  }
  return hulls;
}

std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  return order;
}

}  // namespace abut::study

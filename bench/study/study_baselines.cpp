// Table II of the RSS paper (is the simplex worth it: Frank-Wolfe, NESMINO, GJK) and table II of the GJK++ paper (a
// generic quadratic program against GJK).
#include <abut/narrowphase/distance.h>
#include <benchmark/benchmark.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "clock.h"
#include "frank_wolfe.h"
#include "library_queries.h"
#include "nesmino.h"
#include "qp_baseline.h"
#include "studies.h"

namespace abut::study {
namespace {

constexpr std::size_t kPairs = 1000;
constexpr int kFrankWolfeLimit = 100000;
constexpr int kNesminoLimit = 100000;
constexpr double kSolutionTolerance = 1e-4;  // metres, sqrt(epsilon): where the RSS paper stops NESMINO
constexpr std::size_t kQpPairs = 60;

struct Category {
  const char* name;
  double lower;  ///< Signed distances are drawn between these, metres.
  double upper;
};
constexpr std::array<Category, 3> kCategories = {
    {{"overlapping", -0.1, -0.001}, {"close", 0.001, 0.1}, {"distant", 1.0, 2.0}}};

/// Problems at one random distance each.
ProblemSet problems_between(const std::vector<Shape>& shapes, const Category& category, std::uint64_t seed) {
  samples::Random random(seed);
  ProblemSet all{shapes, {}, {{}}};
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::array<double, 1> gap = {random.uniform(category.lower, category.upper)};
    const ProblemSet one = make_problems(shapes, gap, 1, seed + 1000 * (i + 1));
    all.problems[0].push_back(one.problems[0][0]);
  }
  return all;
}

/// Overlapping shapes are at the distance 0 here.
double error_of(double distance, const Problem& problem) {
  return std::abs(distance - std::max(problem.distance, 0.0));
}

struct Outcome {
  int iterations = 0;
  bool converged = true;
  double error = 0.0;  ///< Of the distance, metres.
};

void add_row(Results& results, const std::string& name, const ProblemSet& set,
             const std::function<Outcome(const Problem&)>& solve) {
  std::vector<double> iterations;
  double not_converged = 0.0;
  double largest_error = 0.0;
  for (const Problem& problem : set.problems[0]) {
    const Outcome outcome = solve(problem);
    iterations.push_back(outcome.iterations);
    not_converged += outcome.converged ? 0.0 : 1.0;
    if (outcome.converged) largest_error = std::max(largest_error, outcome.error);
  }
  results.row(name)
      .add("pairs", static_cast<double>(iterations.size()))
      .add("iterations", iterations)
      .add("not_converged", not_converged)
      .add("largest_error", largest_error);
}

void study_simplex(Results& results, const std::string& shapes_name, const std::vector<Shape>& shapes) {
  for (const Category& category : kCategories) {
    const ProblemSet set = problems_between(shapes, category, 21);
    const std::string prefix = "rss_table2/" + shapes_name + "/" + category.name + "/";
    add_row(results, prefix + "frank_wolfe", set, [&set](const Problem& p) {
      Minkowski difference(set.shapes[p.a], p.world_from_a, set.shapes[p.b], p.world_from_b);
      const FrankWolfeResult found = frank_wolfe(difference, kEpsilon, kFrankWolfeLimit);
      return Outcome{found.iterations, found.converged, error_of(found.distance, p)};
    });
    add_row(results, prefix + "nesmino", set, [&set](const Problem& p) {
      const NesminoResult found = nesmino(set.shapes[p.a], p.world_from_a, set.shapes[p.b], p.world_from_b, p.nearest,
                                          kSolutionTolerance, kNesminoLimit);
      return Outcome{found.iterations, found.converged, error_of(found.nearest.norm(), p)};
    });
    for (const Variant& variant : kVariants) {
      add_row(results, prefix + variant.name, set, [&set, &variant](const Problem& p) {
        return Outcome{.iterations = library_iterations(set, p, Query::distance, variant.solver)};
      });
    }
  }
}

Shape cube_hull() {
  std::vector<Vector3d> corners;
  for (int i = 0; i < 8; ++i) corners.emplace_back(0.1 * (i & 1), 0.1 * (i >> 1 & 1), 0.1 * (i >> 2));
  return ConvexHull::from_points(corners);
}

/// Nanoseconds of each problem: the median of three calls.
std::vector<double> times_of(const ProblemSet& set, const std::function<void(const Problem&)>& call) {
  std::vector<double> times;
  for (const Problem& problem : set.problems[0]) {
    std::vector<double> samples;
    for (int i = 0; i < 3; ++i) samples.push_back(timed([&] { call(problem); }));
    times.push_back(summary_of(samples).p50);
  }
  return times;
}

}  // namespace

void study_baselines(Results& results) {
  study_simplex(results, "ellipsoids", random_ellipsoids(200, 5));
  study_simplex(results, "cubes", random_cubes(200, 6));
}

void study_quadratic_program(Results& results) {
  constexpr std::array<double, 1> kGap = {0.05};
  for (const int vertices : {8, 250, 940}) {
    const Shape shape = vertices == 8 ? cube_hull() : random_hull(vertices, 31);
    const ConvexHull& hull = *shape.get_if<ConvexHull>();
    const ProblemSet set = make_problems({shape}, kGap, kQpPairs, 32);
    const HalfSpaces planes = half_spaces(hull);
    const std::string prefix = "table2/" + std::to_string(hull.vertices().size()) + "/";
    std::vector<double> iterations;
    double worst = 0.0;
    const auto solve = [&](const Problem& p) {
      return qp_distance(planes, hull.center(), planes, hull.center(), Pose::relative(p.world_from_a, p.world_from_b),
                         kEpsilon);
    };
    for (const Problem& problem : set.problems[0]) {
      const QpResult found = solve(problem);
      iterations.push_back(found.iterations);
      worst = std::max(worst, std::abs(found.distance - problem.distance));
    }
    results.row(prefix + "quadratic_program")
        .add("faces", static_cast<double>(planes.offsets.size()))
        .add("iterations", iterations)
        .add("largest_error", worst)
        .add("time_ns", times_of(set, [&](const Problem& p) { benchmark::DoNotOptimize(solve(p)); }));
    for (const Variant& variant : kVariants) {
      std::vector<double> of_variant;
      for (const Problem& problem : set.problems[0]) {
        of_variant.push_back(library_iterations(set, problem, Query::distance, variant.solver));
      }
      results.row(prefix + variant.name)
          .add("faces", static_cast<double>(planes.offsets.size()))
          .add("iterations", of_variant)
          .add("time_ns", times_of(set, [&](const Problem& p) {
                 benchmark::DoNotOptimize(
                     distance(shape, p.world_from_a, shape, p.world_from_b, paper_options(set, p, variant.solver)));
               }));
    }
  }
}

}  // namespace abut::study

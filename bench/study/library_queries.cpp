#include "library_queries.h"

#include <abut/narrowphase/separate.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clock.h"

namespace abut::study {
namespace {

/// The length that scales the library's tolerance, metres.
double radius_of(const Shape& shape) {
  if (const auto* ellipsoid = shape.get_if<Ellipsoid>()) return ellipsoid->radii().maxCoeff();
  return obb(shape).half_extents.norm();
}

/// Only GJK: the papers' times of overlapping pairs leave the depth out too.
bool is_yes_or_no(const Problem& problem, Query query) {
  return query == Query::boolean || problem.distance <= 0.0;
}

Separation boolean_of(const ProblemSet& set, const Problem& problem, const DistanceOptions& options) {
  return boolean_separation(set.shapes[problem.a], problem.world_from_a, set.shapes[problem.b], problem.world_from_b,
                            options, nullptr);
}

void ask(const ProblemSet& set, const Problem& problem, Query query, const DistanceOptions& options) {
  const Shape& a = set.shapes[problem.a];
  const Shape& b = set.shapes[problem.b];
  if (!is_yes_or_no(problem, query)) {
    benchmark::DoNotOptimize(distance(a, problem.world_from_a, b, problem.world_from_b, options));
  } else if (options.solver == Solver::automatic) {
    benchmark::DoNotOptimize(collides(a, problem.world_from_a, b, problem.world_from_b, 0.0, options));
  } else {
    benchmark::DoNotOptimize(boolean_of(set, problem, options));
  }
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

const char* name_of(Query query) {
  return query == Query::distance ? "distance" : "boolean";
}

Separation boolean_separation(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                              DistanceOptions options, PairCache* cache) {
  options.max_distance = 0.0;
  return detail::separate(detail::Part(a), detail::Part(b), Pose::relative(world_from_a, world_from_b),
                          {options, /*is_boolean=*/true}, cache);
}

DistanceOptions paper_options(const ProblemSet& set, const Problem& problem, Solver solver) {
  DistanceOptions options;
  options.solver = solver;
  options.warm_start = WarmStart::obb;
  options.max_iterations = 512;
  const double radii = radius_of(set.shapes[problem.a]) + radius_of(set.shapes[problem.b]);
  if (problem.distance > 0.0) options.tolerance = std::sqrt(radii * kEpsilon / problem.distance);
  return options;
}

int library_iterations(const ProblemSet& set, const Problem& problem, Query query, Solver solver) {
  const DistanceOptions options = paper_options(set, problem, solver);
  if (is_yes_or_no(problem, query)) return boolean_of(set, problem, options).iterations;
  return distance(set.shapes[problem.a], problem.world_from_a, set.shapes[problem.b], problem.world_from_b, options)
      .iterations;
}

std::vector<std::vector<double>> shuffled_times(const ProblemSet& set, std::span<const Problem> problems, Query query,
                                                int passes) {
  const std::vector<std::size_t> order = shuffled_order(problems.size(), 3);
  std::vector<std::vector<std::vector<double>>> samples(kVariants.size(),
                                                        std::vector<std::vector<double>>(problems.size()));
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t turn = 0; turn < kVariants.size(); ++turn) {
      const std::size_t v = (turn + static_cast<std::size_t>(pass)) % kVariants.size();  // none is always the first
      for (const std::size_t i : order) {
        const DistanceOptions options = paper_options(set, problems[i], kVariants[v].solver);
        samples[v][i].push_back(timed([&] { ask(set, problems[i], query, options); }));
      }
    }
  }
  std::vector<std::vector<double>> times(kVariants.size());
  for (std::size_t v = 0; v < kVariants.size(); ++v) {
    for (const std::vector<double>& of_problem : samples[v]) times[v].push_back(median(of_problem));
  }
  return times;
}

std::vector<std::vector<double>> repeated_times(const ProblemSet& set, std::span<const Problem> problems, Query query,
                                                int repetitions) {
  std::vector<std::vector<double>> times(kVariants.size());
  std::vector<double> samples(static_cast<std::size_t>(repetitions));
  const auto kept = static_cast<std::ptrdiff_t>(0.9 * repetitions);
  for (const Problem& problem : problems) {
    for (std::size_t v = 0; v < kVariants.size(); ++v) {
      const DistanceOptions options = paper_options(set, problem, kVariants[v].solver);
      for (double& sample : samples) sample = timed([&] { ask(set, problem, query, options); });
      std::sort(samples.begin(), samples.end());
      times[v].push_back(std::accumulate(samples.begin(), samples.begin() + kept, 0.0) / static_cast<double>(kept));
    }
  }
  return times;
}

}  // namespace abut::study

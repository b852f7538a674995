#include "smooth_methods.h"

#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/smooth/separate_smooth.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "clock.h"
#include "problems.h"

namespace abut::study {
namespace {

constexpr std::size_t kBlock = 500;

Answer answer_of(const Separation& separation) {
  return {-separation.distance, separation.normal, separation.iterations, separation.status == SolveStatus::converged,
          separation.distance_error};
}

Sample judged(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
              const Answer& answer) {
  Sample sample;
  sample.depth = answer.depth;
  sample.error = answer.error;
  sample.iterations = answer.iterations;
  sample.converged = answer.converged;
  const Vector3d& n = answer.normal;
  const Vector3d between = world_from_a * support(a, world_from_a.unrotate(n)) -
                           world_from_b * support(b, world_from_b.unrotate(Vector3d(-n)));
  sample.height = n.dot(between);
  sample.optimality = n.cross(between).norm() / between.norm();
  return sample;
}

double median(std::vector<double>& samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

Method library_method(const std::string& name, Solver solver, double tolerance) {
  DistanceOptions options;
  options.solver = solver;
  options.tolerance = tolerance;
  return {name, [options](const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
            return answer_of(distance(a, world_from_a, b, world_from_b, options));
          }};
}

Method trust_region_method(const std::string& name, detail::Subproblem subproblem, double tolerance) {
  DistanceOptions options;
  options.tolerance = tolerance;
  return {name,
          [options, subproblem](const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
            const detail::SmoothCore core_a = detail::smooth_core(a).value();
            const detail::SmoothCore core_b = detail::smooth_core(b).value();
            Separation separation = detail::separate_smooth(core_a, core_b, Pose::relative(world_from_a, world_from_b),
                                                            {options, /*is_boolean=*/false}, nullptr, subproblem);
            detail::transform(separation, world_from_a);
            return answer_of(separation);
          }};
}

Method local_method(const std::string& name, detail::Subproblem subproblem, double gradient) {
  return {name,
          [gradient, subproblem](const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
            const detail::SmoothCore core_a = detail::smooth_core(a).value();
            const detail::SmoothCore core_b = detail::smooth_core(b).value();
            const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
            const detail::AnySmoothDifference difference(core_a, core_b, a_from_b);
            const detail::CoreTolerances tolerances(difference, DistanceOptions());
            detail::TrustRegionOptions options;
            options.gradient = gradient > 0.0 ? gradient : detail::kGradientShare * tolerances.points;
            options.rounding = tolerances.rounding;
            options.subproblem = subproblem;
            const detail::TrustRegionResult found =
                detail::minimise_height(difference, detail::first_normal(difference, WarmStart::obb, nullptr), options);
            return Answer{found.at.height + difference.radii(), world_from_a.rotate(found.at.frame.normal),
                          found.iterations, found.converged, 0.0};
          }};
}

std::vector<std::vector<Sample>> measure(std::span<const Shape> shapes, std::span<const PosedPair> pairs,
                                         std::span<const Method> methods, int passes) {
  const std::vector<std::size_t> order = shuffled_order(pairs.size(), 5);
  std::vector<std::vector<Sample>> samples(methods.size(), std::vector<Sample>(pairs.size()));
  std::vector<std::vector<std::vector<double>>> times(methods.size());
  for (std::size_t begin = 0, turn = 0; begin < order.size(); begin += kBlock, ++turn) {
    const std::size_t end = std::min(begin + kBlock, order.size());
    for (auto& of_method : times) of_method.assign(end - begin, {});
    for (int pass = 0; pass < passes; ++pass) {
      for (std::size_t k = 0; k < methods.size(); ++k) {
        const std::size_t m = (k + turn + static_cast<std::size_t>(pass)) % methods.size();  // none is always the first
        for (std::size_t i = begin; i < end; ++i) {
          const PosedPair& pair = pairs[order[i]];
          const Shape& a = shapes[pair.a];
          const Shape& b = shapes[pair.b];
          Answer answer;
          times[m][i - begin].push_back(timed([&] {
            answer = methods[m].solve(a, pair.world_from_a, b, pair.world_from_b);
            benchmark::DoNotOptimize(answer);
          }));
          if (pass == 0) samples[m][order[i]] = judged(a, pair.world_from_a, b, pair.world_from_b, answer);
        }
      }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
      for (std::size_t i = begin; i < end; ++i) samples[m][order[i]].time_ns = median(times[m][i - begin]);
    }
  }
  return samples;
}

std::vector<double> best_heights(std::span<const std::vector<Sample>> samples) {
  std::vector<double> best(samples.front().size(), std::numeric_limits<double>::infinity());
  for (const std::vector<Sample>& of_method : samples) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (!std::isnan(of_method[i].depth)) best[i] = std::min(best[i], of_method[i].height);
    }
  }
  return best;
}

void add_samples(Row& row, std::span<const Sample> samples, std::span<const double> best) {
  constexpr double kNoOptimality = 1e-17;  // below the rounding of unit vectors; a zero has no logarithm
  std::vector<double> times;
  std::vector<double> iterations;
  std::vector<double> optimality;
  std::vector<double> excess;
  double off_micrometre = 0.0;
  double off_millimetre = 0.0;
  double not_converged = 0.0;
  double missing = 0.0;
  double worst_bound = 0.0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    times.push_back(sample.time_ns);
    iterations.push_back(sample.iterations);
    if (!sample.converged) not_converged += 1.0;
    worst_bound = std::max(worst_bound, sample.error);
    if (std::isnan(sample.depth)) {
      missing += 1.0;
      continue;
    }
    optimality.push_back(std::log10(std::max(sample.optimality, kNoOptimality)));
    if (best.empty()) continue;
    excess.push_back(std::max(0.0, sample.height - best[i]));
    const double error = std::abs(sample.depth - best[i]);
    if (error > 1e-6) off_micrometre += 1.0;
    if (error > 1e-3) off_millimetre += 1.0;
  }
  row.add("queries", static_cast<double>(samples.size()))
      .add("time_ns", times)
      .add("iterations", iterations)
      .add("log10_optimality", optimality)
      .add("not_converged", not_converged)
      .add("largest_error_bound", worst_bound)
      .add("missing", missing);
  if (best.empty()) return;
  row.add("excess", excess)
      .add("off_micrometre", off_micrometre + missing)
      .add("off_millimetre", off_millimetre + missing);
}

}  // namespace abut::study

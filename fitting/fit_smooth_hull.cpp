#include <abut/core/error.h>
#include <abut/fitting/detail/fit_start.h>
#include <abut/fitting/detail/least_squares.h>
#include <abut/fitting/detail/solid.h>
#include <abut/fitting/detail/support_model.h>
#include <abut/fitting/detail/support_samples.h>
#include <abut/fitting/fit_smooth_hull.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

using detail::SupportSamples;

constexpr double kLeastThickness = 1e-3;   // depth of the centre by the size, below which nothing is fitted
constexpr double kOwnOriginDepth = 0.5;    // of the depth of the centre of mass: then the hull's own origin serves
constexpr int kLeastDirections = 600;      // evenly spread
constexpr int kDirectionsPerVertex = 20;   // seven residuals an unknown, and as many again at most of faces
constexpr int kMaxEvaluations = 300;       // of one fit; most need fewer than a hundred
constexpr int kStartEvaluations = 60;      // enough to compare starts
constexpr double kSearchPrecision = 0.05;  // of a scale, while a cover is searched
constexpr double kCoarseTolerance = 1e-4;  // relative, of the sum of squares: enough to compare starts
constexpr double kFineTolerance = 1e-7;
constexpr double kLeastWholeSharpness = 4.0;  // below, half a unit is too much
constexpr double kCloseEnough = 2e-4;         // a cover that grows by less ends the search
constexpr double kScalePrecision = 1e-3;      // of what a conservative fit grows by
constexpr double kRoundingCover = 1e-12;      // growth that covers the rounding of support values and scaled points
constexpr std::array kStartSharpness{8.0, 40.0, 150.0};
constexpr std::array kSurroundWeights{1.0, 3.0, 10.0, 30.0, 100.0};
// Each fit of the search for a cover also samples the shortfalls of those before it, the last ones with the same
// weight.
constexpr std::array kShortfallWeights{3.0, 30.0, 100.0, 300.0, 1000.0, 1000.0};

struct Candidate {
  std::vector<double> points;  // about the centre, in units of the size
  double sharpness = 0.0;
  double cost = 0.0;
};

// β is the image of a free variable, so that the solver needs no bounds: ln(β - 2) runs between its ends as a logistic
// function.
struct SharpnessVariable {
  double lower = std::log(kLeastFitSharpness - 2.0);
  double range = std::log(kLargestFitSharpness - 2.0) - lower;

  double sharpness(double variable) const {
    return std::min(2.0 + std::exp(lower + range * share(variable)), kLargestFitSharpness);  // not beyond by rounding
  }
  double derivative(double variable) const {
    return (sharpness(variable) - 2.0) * range * share(variable) * (1.0 - share(variable));
  }
  double variable(double sharpness) const {
    const double part = (std::log(sharpness - 2.0) - lower) / range;
    return std::log(part / (1.0 - part));
  }

 private:
  static double share(double variable) { return 1.0 / (1.0 + std::exp(-variable)); }
};

// Least squares from one start.
class Fitter {
 public:
  Fitter(const SupportSamples& samples, std::optional<double> sharpness)
      : samples_(samples), fixed_sharpness_(sharpness) {}

  // Where the fit falls short of the hull, the residual counts as much more as `shortfall_weight` by the hull's support
  // value (in units of the size, so at most 1): the scale that lets a fit cover the hull is a matter of ratios.
  // 0: shortfall counts as excess.
  Candidate improve(const Candidate& start, double shortfall_weight, double tolerance,
                    int max_evaluations = kMaxEvaluations) const {
    std::vector<double> variables = start.points;
    if (!fixed_sharpness_) {
      // Where the last fit ended at an end of the range, this one would find no slope there.
      const double inside = std::clamp(start.sharpness, 1.01 * kLeastFitSharpness, 0.99 * kLargestFitSharpness);
      variables.push_back(SharpnessVariable().variable(inside));
    }
    const auto function = [&](std::span<const double> x, std::span<double> residuals, std::span<double> jacobian) {
      evaluate(x, shortfall_weight, residuals, jacobian);
    };
    detail::LeastSquaresResult result =
        detail::minimize_squares(function, std::move(variables), samples_.values.size(), tolerance, max_evaluations);
    Candidate candidate;
    candidate.cost = result.cost;
    candidate.sharpness = sharpness_of(result.variables);
    candidate.points = std::move(result.variables);
    candidate.points.resize(start.points.size());
    return candidate;
  }

 private:
  double sharpness_of(std::span<const double> variables) const {
    return fixed_sharpness_ ? *fixed_sharpness_ : SharpnessVariable().sharpness(variables.back());
  }

  void evaluate(std::span<const double> variables, double shortfall_weight, std::span<double> residuals,
                std::span<double> jacobian) const {
    const std::size_t rows = residuals.size();
    const std::size_t coordinates = variables.size() - (fixed_sharpness_ ? 0 : 1);
    const std::span<const double> points = variables.first(coordinates);
    const double sharpness = sharpness_of(variables);
    std::vector<double> gradient(jacobian.empty() ? 0 : coordinates);
    double by_sharpness = 0.0;
    for (std::size_t j = 0; j < rows; ++j) {
      const double value = detail::support_model(points, sharpness, samples_.directions[j], gradient, &by_sharpness);
      const double difference = value - samples_.values[j];
      const double shortfall = difference < 0.0 ? shortfall_weight / samples_.values[j] : 0.0;
      const double weight = samples_.weights[j] * (1.0 + shortfall);
      residuals[j] = weight * difference;
      for (std::size_t i = 0; i < gradient.size(); ++i) jacobian[i * rows + j] = weight * gradient[i];
      if (!jacobian.empty() && !fixed_sharpness_) {
        jacobian[coordinates * rows + j] = weight * by_sharpness * SharpnessVariable().derivative(variables.back());
      }
    }
  }

  const SupportSamples& samples_;
  std::optional<double> fixed_sharpness_;
};

SmoothHull shape_of(const Candidate& candidate, double scale) {
  std::vector<Vector3d> points;
  for (std::size_t i = 0; i < candidate.points.size(); i += 3) {
    points.push_back(scale * Vector3d(candidate.points[i], candidate.points[i + 1], candidate.points[i + 2]));
  }
  return SmoothHull(std::move(points), candidate.sharpness);
}

// Weighted sum of the squared deviations over the samples once the candidate is scaled; infinite where no scale covers.
double covered_deviation(const Candidate& candidate, double scale, const SupportSamples& samples) {
  if (!std::isfinite(scale)) return scale;
  double sum = 0.0;
  for (std::size_t j = 0; j < samples.values.size(); ++j) {
    const double value =
        detail::support_model(candidate.points, candidate.sharpness, samples.directions[j], {}, nullptr);
    const double residual = samples.weights[j] * (scale * value - samples.values[j]);
    sum += residual * residual;
  }
  return sum;
}

// The hull to fit, and how.
struct Task {
  const ConvexHull& hull;
  Vector3d center;
  double size;
  SupportSamples samples;
  FitOptions options;

  CoveringScale covering_scale_of(const Candidate& candidate, double precision) const {
    return covering_scale(shape_of(candidate, size), hull, center, precision);
  }

  // The samples, and directions of shortfall that lie between them.
  void add_to(SupportSamples& all, std::span<const Vector3d> directions) const {
    for (const Vector3d& direction : directions) {
      all.directions.push_back(direction);
      all.values.push_back((hull.core_support(direction) - center).dot(direction) / size);
      all.weights.push_back(samples.weights.front());
    }
  }
};

// Fits from all starts, the best first.
std::vector<Candidate> fit_from_all_starts(const Task& task, const Fitter& fitter) {
  const auto& [hull, center, size, samples, options] = task;
  std::vector<double> sharpness(kStartSharpness.begin(), kStartSharpness.end());
  if (options.sharpness) sharpness.assign(1, *options.sharpness);
  std::vector<Candidate> candidates;
  for (const std::vector<double>& points : {detail::greedy_points(hull, center, size, samples, options.vertices),
                                            detail::even_points(hull, center, size, options.vertices)}) {
    for (const double start_sharpness : sharpness) {
      Candidate start{points, start_sharpness, 0.0};
      detail::scale_to_samples(start.points, start.sharpness, samples);
      candidates.push_back(fitter.improve(start, /*shortfall_weight=*/0.0, kCoarseTolerance, kStartEvaluations));
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return candidates;
}

// Of few points for a thin hull, the least squares may let the centre go: the directions in which no point lies ahead
// cost little. Then shortfall weighs more and more, until the points surround the centre again.
Candidate surrounding(const Candidate& fit, const Task& task) {
  SupportSamples all = task.samples;
  const Fitter fitter(all, task.options.sharpness);
  Candidate current = fit;
  for (const double weight : kSurroundWeights) {
    const CoveringScale cover = task.covering_scale_of(current, std::numeric_limits<double>::infinity());
    if (std::isfinite(cover.scale)) break;
    task.add_to(all, cover.shortfalls);
    current = fitter.improve(current, weight, kCoarseTolerance);
  }
  return current;
}

// An exchange method: fits, in which shortfall counts, alternate with the search for the directions of the largest
// shortfall, which the next fit samples as well. The narrow peaks of thin hulls lie between any samples chosen before.
Candidate tightest_cover(const Candidate& fit, const Task& task) {
  SupportSamples all = task.samples;
  const Fitter fitter(all, task.options.sharpness);
  Candidate best = fit;
  Candidate current = fit;
  CoveringScale cover = task.covering_scale_of(current, kSearchPrecision);
  double least = covered_deviation(current, cover.scale, task.samples);
  for (const double weight : kShortfallWeights) {
    if (cover.scale < 1.0 + kCloseEnough) break;
    task.add_to(all, cover.shortfalls);
    current = fitter.improve(current, weight, kCoarseTolerance);
    cover = task.covering_scale_of(current, kSearchPrecision);
    const double deviation = covered_deviation(current, cover.scale, task.samples);
    if (deviation < least) {
      least = deviation;
      best = current;
    }
  }
  return best;
}

void check(const ConvexHull& hull, const FitOptions& options) {
  if (options.vertices < kFewestFitVertices || options.vertices > kMostFitVertices) {
    throw InvalidInput("vertices",
                       "must be " + std::to_string(kFewestFitVertices) + " to " + std::to_string(kMostFitVertices),
                       options.vertices);
  }
  if (options.sharpness && !(*options.sharpness > 2.0 && std::isfinite(*options.sharpness))) {
    throw InvalidInput("sharpness", "must be finite and > 2", *options.sharpness);
  }
  if (options.sharpness && *options.sharpness > kLargestGivenSharpness) {
    throw InvalidInput("sharpness", "must be <= 1e12", *options.sharpness);
  }
  // Of what is too large squares overflow, and its dimension means nothing.
  const double size = detail::reach_of(hull, hull.center());
  const auto refuse_size = [&] {
    throw InvalidInput("hull", "must reach from 1e-60 to 1e60 metres from its centre", size);
  };
  if (!(size <= kLargestFitSize)) refuse_size();
  constexpr std::array kNames{"a single point", "a segment", "flat"};
  if (hull.dimension() < 3) {
    throw InvalidInput("hull", std::string("must be solid to be fitted, but it is ") +
                                   kNames[static_cast<std::size_t>(hull.dimension())]);
  }
  if (!(size >= kLeastFitSize)) refuse_size();
}

Vector3d choose_center(const ConvexHull& hull) {
  const Vector3d center_of_mass = detail::solid_properties(hull).center_of_mass;
  const double depth = detail::depth_in(hull, center_of_mass);
  const double reach = detail::reach_of(hull, center_of_mass);
  if (!(depth > kLeastThickness * reach)) {
    throw InvalidInput("hull", "must be thicker to be fitted: the depth of its centre by its size must be > 0.001",
                       depth / reach);
  }
  return detail::depth_in(hull, Vector3d::Zero()) >= kOwnOriginDepth * depth ? Vector3d::Zero() : center_of_mass;
}

}  // namespace

FitResult fit_smooth_hull(const ConvexHull& hull, const FitOptions& options) {
  check(hull, options);
  const Vector3d center = choose_center(hull);
  const double size = detail::reach_of(hull, center);
  const int directions = std::max(kLeastDirections, kDirectionsPerVertex * options.vertices);
  const Task task{hull, center, size, detail::sample_support(hull, center, size, directions), options};
  const Fitter fitter(task.samples, options.sharpness);

  for (const Candidate& coarse : fit_from_all_starts(task, fitter)) {
    Candidate fit = fitter.improve(coarse, /*shortfall_weight=*/0.0, kFineTolerance);
    Task rounded = task;
    if (!options.sharpness && fit.sharpness >= kLeastWholeSharpness) {
      // Powers with whole exponents are twice as fast, for as long as the body is used; the points make up for it.
      fit.sharpness = std::round(fit.sharpness);
      rounded.options.sharpness = fit.sharpness;
      fit = Fitter(rounded.samples, fit.sharpness).improve(fit, /*shortfall_weight=*/0.0, kFineTolerance);
    }
    fit = surrounding(fit, rounded);
    if (options.conservative) fit = tightest_cover(fit, rounded);
    const double precision = options.conservative ? kScalePrecision : std::numeric_limits<double>::infinity();
    const double cover = task.covering_scale_of(fit, precision).scale;
    if (!std::isfinite(cover)) continue;  // its points do not surround the centre
    const double scale = options.conservative ? cover * (1.0 + kRoundingCover) : 1.0;
    SmoothHull shape = shape_of(fit, scale * size);
    SupportDeviation deviation = support_deviation(shape, hull, center);
    if (options.conservative) deviation.inside = 0.0;  // the scale proves more than the bound
    const double volume_ratio = approximate_volume(shape) / detail::solid_properties(hull).volume;
    return {std::move(shape), Pose(center), deviation, size, volume_ratio, scale};
  }
  throw InvalidInput("vertices", "are too few: no fit with so many surrounds the centre of the hull", options.vertices);
}

}  // namespace abut

// The methods that the study of smooth bodies compares, and how they are measured: time, iterations, accuracy.
#pragma once

#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/smooth/trust_region_step.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results.h"
#include "smooth_bodies.h"

namespace abut::study {

/// What a method says of one pair.
struct Answer {
  double depth = 0.0;                   ///< Metres, minus the distance where apart; NaN: no answer.
  Vector3d normal = Vector3d::UnitX();  ///< Unit, world frame, from a to b.
  int iterations = 0;                   ///< Calls of the support function of A - B, less the first.
  bool converged = true;
  double error = 0.0;  ///< The method's own bound on the error of the depth, metres; 0 where it gives none.
};

struct Method {
  std::string name;
  std::function<Answer(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b)> solve;
};

/// Accuracy of the witness points that takes depths of bodies of about a metre within 0.1 mm, metres.
inline constexpr double kCoarse = 0.02;
/// ε_g of the paper, whose bodies are of about a metre, metres.
inline constexpr double kPaperGradient = 1e-4;

/// distance() with a forced solver, cold. @param tolerance  Metres; 0: the library's own.
[[nodiscard]] Method library_method(const std::string& name, Solver solver, double tolerance = 0.0);
/// The library's trust region with its proof, with a forced subproblem, through the support functions behind pointers.
[[nodiscard]] Method trust_region_method(const std::string& name, detail::Subproblem subproblem,
                                         double tolerance = 0.0);
/// The trust region alone: from the centres to the first stationary point, without a proof that it is the least depth.
/// With truncated conjugate gradients and kPaperGradient that is the paper's algorithm.
/// @param gradient  ε_g, metres; 0: the library's own.
[[nodiscard]] Method local_method(const std::string& name, detail::Subproblem subproblem, double gradient = 0.0);

/// One answer, judged.
struct Sample {
  double time_ns = 0.0;
  double optimality = 0.0;  ///< Eq. 20 at the normal, from the exact support points.
  double height = 0.0;      ///< The depth that the normal certifies: h_D(normal), metres; never below the true one.
  double depth = 0.0;       ///< As the method says it, metres.
  double error = 0.0;
  int iterations = 0;
  bool converged = true;
};

/// Of every method, one sample a pair, in the order of `pairs`. The pairs are asked in one random order, in blocks; the
/// methods take turns at each block, so that all meet the same load of the machine. A time is the median of `passes`.
[[nodiscard]] std::vector<std::vector<Sample>> measure(std::span<const Shape> shapes, std::span<const PosedPair> pairs,
                                                       std::span<const Method> methods, int passes);

/// Of each pair the least height of all methods: the best depth known.
[[nodiscard]] std::vector<double> best_heights(std::span<const std::vector<Sample>> samples);

/// Adds times, iterations, optimality (log10), how far the certified depth is above the best known one, how many
/// depths are off by more than a micrometre and a millimetre, and how many answers had not converged.
/// @param best  One a sample; empty: nothing is compared with it.
void add_samples(Row& row, std::span<const Sample> samples, std::span<const double> best);

}  // namespace abut::study

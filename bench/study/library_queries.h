// The library's solvers as the study asks them: the papers' tolerance, iterations of a yes-or-no query, times.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problems.h"

namespace abut::study {

/// Which question a study asks: the nearest points, or yes or no.
enum class Query : std::uint8_t { distance, boolean };
inline constexpr std::array<Query, 2> kQueries = {Query::distance, Query::boolean};
[[nodiscard]] const char* name_of(Query query);

struct Variant {
  const char* name;
  Solver solver;
};
inline constexpr std::array<Variant, 5> kVariants = {{{"gjk", Solver::gjk},
                                                      {"polyak", Solver::polyak},
                                                      {"nesterov", Solver::nesterov},
                                                      {"nesterov_unnormalised", Solver::nesterov_unnormalised},
                                                      {"default", Solver::automatic}}};
/// "default" is what a user gets: distance() and collides() themselves.
/// The first of kVariants: what speed-ups are measured against.
inline constexpr std::size_t kVanilla = 0;

/// The papers' tolerance: of the duality gap of the squared norm, m².
inline constexpr double kEpsilon = 1e-8;

/// Options with which the library's solver stops where the papers' does. A gap g of |x|² at the distance d is one of
/// g / 2d of |x|; the library turns a tolerance t of witness points into t² / 2r of |x|, r the sum of the radii. Hence
/// t = sqrt(r g / d).
[[nodiscard]] DistanceOptions paper_options(const ProblemSet& set, const Problem& problem, Solver solver);

/// A yes or no by the solver that the options name, with its iterations: an early stop either way and no depth.
/// collides() does the same with plain GJK whatever the options say. Frame of a. `cache` may be null.
[[nodiscard]] Separation boolean_separation(const Shape& a, const Pose& world_from_a, const Shape& b,
                                            const Pose& world_from_b, DistanceOptions options, PairCache* cache);

/// Iterations of GJK alone: of overlapping pairs, until the origin is enclosed.
[[nodiscard]] int library_iterations(const ProblemSet& set, const Problem& problem, Query query, Solver solver);

/// Nanoseconds of each problem for each variant: the median over passes. A pass asks the problems in one random order;
/// the passes of the variants alternate, so that all of them meet the same load of the machine. Distances of
/// overlapping pairs are timed as the yes or no is: without the depth, which the papers' times leave out too.
[[nodiscard]] std::vector<std::vector<double>> shuffled_times(const ProblemSet& set, std::span<const Problem> problems,
                                                              Query query, int passes);

/// The same as the papers measure it: every problem is asked `repetitions` times in a row, and the mean of the 90 %
/// lowest times is taken. Caches and branch predictor then know the answer.
[[nodiscard]] std::vector<std::vector<double>> repeated_times(const ProblemSet& set, std::span<const Problem> problems,
                                                              Query query, int repetitions);

}  // namespace abut::study

// Figures 7 to 11 and table I of the GJK++ paper: the variants of the library on ellipsoids and hulls.
#include <array>
#include <cmath>
#include <sstream>

#include "library_queries.h"
#include "studies.h"

namespace abut::study {
namespace {

// Metres. The papers' figure 7 reaches from -0.1 to 1; depths of hulls end at 0.01, for many are not much thicker.
constexpr std::array<double, 10> kEllipsoidGaps = {-0.1, -0.01, -0.001, -0.0001, 0.0001, 0.001, 0.01, 0.1, 0.3, 1.0};
constexpr std::array<double, 9> kHullGaps = {-0.01, -0.001, -0.0001, 0.0001, 0.001, 0.01, 0.1, 0.3, 1.0};
constexpr std::array<double, 4> kTableGaps = {-0.01, -0.001, 0.001, 0.01};

constexpr std::size_t kEllipsoidPairs = 1000;
constexpr std::size_t kHullPairs = 1000;
constexpr std::size_t kTablePairs = 200;
constexpr int kPasses = 10;
constexpr int kRepetitions = 20;
constexpr std::size_t kRepeatedPairs = 250;

std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& by) {
  std::vector<double> result;
  for (std::size_t i = 0; i < of.size(); ++i) result.push_back(of[i] / std::max(by[i], 1e-3));
  return result;
}

std::vector<double> iterations_of(const ProblemSet& set, std::span<const Problem> problems, Query query,
                                  Solver solver) {
  std::vector<double> result;
  for (const Problem& problem : problems) result.push_back(library_iterations(set, problem, query, solver));
  return result;
}

/// Iterations, times and, problem by problem, speed-ups over plain GJK.
void add_rows(Results& results, const std::string& prefix, const ProblemSet& set, std::span<const Problem> problems,
              Query query) {
  const auto shuffled = shuffled_times(set, problems, query, kPasses);
  const auto repeated =
      repeated_times(set, problems.first(std::min(problems.size(), kRepeatedPairs)), query, kRepetitions);
  for (std::size_t v = 0; v < kVariants.size(); ++v) {
    results.row(prefix + "/" + kVariants[v].name)
        .add("pairs", static_cast<double>(problems.size()))
        .add("iterations", iterations_of(set, problems, query, kVariants[v].solver))
        .add("time_ns", shuffled[v])
        .add("speedup", ratios(shuffled[kVanilla], shuffled[v]))
        .add("repeated_time_ns", repeated[v])
        .add("repeated_speedup", ratios(repeated[kVanilla], repeated[v]));
  }
}

/// The hull whose number of vertices is nearest to the wished one, in the ratio.
std::uint32_t hull_of_about(const Hulls& hulls, double vertices) {
  const auto count_of = [&](std::uint32_t i) {
    return static_cast<double>(hulls.shapes[i].get_if<ConvexHull>()->vertices().size());
  };
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < hulls.shapes.size(); ++i) {
    if (std::abs(std::log(count_of(i) / vertices)) < std::abs(std::log(count_of(best) / vertices))) best = i;
  }
  return best;
}

/// Table I: three hulls of the paper's sizes, each against each, close to touching.
void study_sizes(Results& results, const Hulls& hulls) {
  const std::array<std::uint32_t, 3> chosen = {hull_of_about(hulls, 240.0), hull_of_about(hulls, 1811.0),
                                               hull_of_about(hulls, 3585.0)};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i; j < chosen.size(); ++j) {
      const auto choose = [&chosen, i, j](std::size_t) { return std::pair(chosen[i], chosen[j]); };
      const ProblemSet set = make_problems(hulls.shapes, kTableGaps, kTablePairs, choose, 11);
      std::vector<Problem> problems;
      for (const auto& of_gap : set.problems) problems.insert(problems.end(), of_gap.begin(), of_gap.end());
      const auto count_of = [&](std::size_t k) {
        return std::to_string(hulls.shapes[chosen[k]].get_if<ConvexHull>()->vertices().size());
      };
      for (const Query query : kQueries) {
        add_rows(results, std::string("table1/") + name_of(query) + "/" + count_of(i) + "x" + count_of(j), set,
                 problems, query);
      }
    }
  }
}

}  // namespace

std::string text_of(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

void study_ellipsoids(Results& results) {
  const ProblemSet set = make_problems(random_ellipsoids(400, 1), kEllipsoidGaps, kEllipsoidPairs, 2);
  for (const Query query : kQueries) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      add_rows(results, std::string("fig7/") + name_of(query) + "/" + text_of(set.gaps[g]), set, set.problems[g],
               query);
    }
  }
}

void study_hulls(Results& results, const Hulls& hulls) {
  const ProblemSet set = make_problems(hulls.shapes, kHullGaps, kHullPairs, 3);
  for (const Query query : kQueries) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      add_rows(results, std::string("fig9/") + name_of(query) + "/" + text_of(set.gaps[g]), set, set.problems[g],
               query);
    }
  }
  study_sizes(results, hulls);
}

}  // namespace abut::study

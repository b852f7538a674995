// The narrow phase on one pair at a time, over many pairs in one random order: as a scene asks it, so that neither the
// branch predictor nor the caches know the next pair. The time of a row is the time of one query.
//
// Rows: cold/<query>/<set>/<gap>      cost against distance; the gap in metres, "mixed" for all that the query takes
//       warm/<query>/<set>/<gap>      the same from a hint, as the previous start below
//       start/<query>/<set>/<start>   cost against the warm start, whose hint stems from 1 mm and 0.01 rad earlier
//       solver/<query>/<set>/<name>   cost against the solver, cold
//       mesh/<query>/<set>/<gap>      a triangle mesh against a convex shape
// Queries: collides (yes or no, at all gaps), distance (at gaps > 0), signed (at all gaps, so with depths).
// Counters: pairs in a pass; solver_iterations and not_converged a query; collisions and wrong a pass. Wrong are
// answers that are off by more than 1e-6 m, or by a tenth of the gap for meshes.
#include <abut/narrowphase/distance.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pair_sets.h"

namespace {

using abut::DistanceOptions;
using abut::PairCache;
using abut::Separation;
using abut::Solver;
using abut::SolveStatus;
using abut::WarmStart;
using abut::bench::Gaps;
using abut::bench::kGaps;
using abut::bench::PairSet;
using abut::bench::PosedPair;

constexpr double kMinSeconds = 0.05;
constexpr double kWrong = 1e-6;  // metres

enum class Query { collides, distance, signed_distance };

const char* name_of(Query query) {
  switch (query) {
    case Query::collides:
      return "collides";
    case Query::distance:
      return "distance";
    case Query::signed_distance:
      return "signed";
  }
  return "";
}

/// The question that all queries of a row have in common.
struct Question {
  Query query = Query::distance;
  DistanceOptions options;
  bool is_warm = false;  ///< With the memory of the pose before.
};

struct Answer {
  bool is_contact = false;
  double distance = 0.0;  ///< Of a distance query; the others leave it.
  int iterations = 0;
  bool is_converged = true;
};

Answer ask(const Question& question, const PairSet& set, const PosedPair& pair, const abut::Pose& world_from_b,
           PairCache* cache) {
  const abut::Shape& a = set.shapes[pair.a];
  const abut::Shape& b = set.shapes[pair.b];
  if (question.query == Query::collides) {
    return {.is_contact = abut::collides(a, pair.world_from_a, b, world_from_b, 0.0, question.options, cache)};
  }
  const Separation found = abut::distance(a, pair.world_from_a, b, world_from_b, question.options, cache);
  return {.is_contact = found.distance <= 0.0,
          .distance = found.distance,
          .iterations = found.iterations,
          .is_converged = found.status == SolveStatus::converged};
}

/// Times one question over the pairs, then checks all answers once.
void run_pairs(benchmark::State& state, const Question& question, const PairSet& set,
               const std::vector<PosedPair>& pairs, bool is_mesh) {
  std::vector<PairCache> hints(pairs.size());
  if (question.is_warm) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      ask(question, set, pairs[i], pairs[i].world_from_b_before, &hints[i]);
    }
  }
  const auto query = [&](std::size_t i) {
    PairCache cache = hints[i];
    return ask(question, set, pairs[i], pairs[i].world_from_b, question.is_warm ? &cache : nullptr);
  };

  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(query(next));
    if (++next == pairs.size()) next = 0;
  }

  std::size_t iterations = 0;
  std::size_t not_converged = 0;
  std::size_t collisions = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Answer answer = query(i);
    iterations += static_cast<std::size_t>(answer.iterations);
    not_converged += answer.is_converged ? 0u : 1u;
    collisions += answer.is_contact ? 1u : 0u;
    const double allowed = is_mesh ? 0.1 * std::abs(pairs[i].distance) : kWrong;
    const bool is_off =
        question.query != Query::collides && !(std::abs(answer.distance - pairs[i].distance) <= allowed);
    wrong += is_off || answer.is_contact != (pairs[i].distance <= 0.0) ? 1u : 0u;
  }
  const auto count = static_cast<double>(pairs.size());
  state.counters["pairs"] = count;
  state.counters["collisions"] = static_cast<double>(collisions);
  state.counters["wrong"] = static_cast<double>(wrong);
  if (question.query != Query::collides) {
    state.counters["solver_iterations"] = static_cast<double>(iterations) / count;
    state.counters["not_converged"] = static_cast<double>(not_converged) / count;
  }
}

/// The pairs of all gaps that the query takes.
std::vector<PosedPair> mixed_pairs(const PairSet& set, Query query) {
  return set.shuffled(query == Query::distance ? Gaps::apart : Gaps::all);
}

template <class PairsOf>
void add_row(const std::string& group, const Question& question, const std::string& set_name, const std::string& value,
             PairsOf pairs_of, bool is_mesh = false) {
  const std::string name = group + "/" + name_of(question.query) + "/" + set_name + "/" + value;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const PairSet& set = abut::bench::pair_set(set_name);
    run_pairs(state, question, set, pairs_of(set), is_mesh);
  })->MinTime(kMinSeconds);
}

std::string text_of(double gap) {
  std::string text = std::to_string(gap);
  text.erase(text.find_last_not_of('0') + 1);
  return text.back() == '.' ? text + "0" : text;
}

void add_gap_rows(const std::string& group, const std::string& set_name, WarmStart start, bool is_mesh) {
  for (const Query query : {Query::collides, Query::distance, Query::signed_distance}) {
    const Question question{query, {.warm_start = start}, /*is_warm=*/start == WarmStart::previous};
    add_row(
        group, question, set_name, "mixed", [query](const PairSet& set) { return mixed_pairs(set, query); }, is_mesh);
    for (std::size_t g = 0; g < kGaps.size(); ++g) {
      if (query == Query::distance && kGaps[g] < 0.0) continue;
      if (query == Query::signed_distance && kGaps[g] > 0.0) continue;  // the same as distance
      add_row(
          group, question, set_name, text_of(kGaps[g]), [g](const PairSet& set) { return set.pairs[g]; }, is_mesh);
    }
  }
}

void add_start_rows(const std::string& set_name) {
  const std::pair<const char*, WarmStart> starts[] = {{"none", WarmStart::none},
                                                      {"obb", WarmStart::obb},
                                                      {"previous", WarmStart::previous},
                                                      {"transformed_previous", WarmStart::transformed_previous}};
  for (const Query query : {Query::collides, Query::distance, Query::signed_distance}) {
    for (const auto& [name, start] : starts) {
      const Question question{query, {.warm_start = start}, /*is_warm=*/true};
      add_row("start", question, set_name, name, [query](const PairSet& set) { return mixed_pairs(set, query); });
    }
  }
}

void add_solver_rows(const std::string& set_name) {
  const std::pair<const char*, Solver> solvers[] = {{"automatic", Solver::automatic},
                                                    {"gjk", Solver::gjk},
                                                    {"polyak", Solver::polyak},
                                                    {"nesterov", Solver::nesterov}};
  for (const Query query : {Query::collides, Query::distance}) {
    for (const auto& [name, solver] : solvers) {
      const Question question{query, {.solver = solver, .warm_start = WarmStart::obb}, /*is_warm=*/false};
      add_row("solver", question, set_name, name, [query](const PairSet& set) { return mixed_pairs(set, query); });
    }
  }
}

bool add_all_rows() {
  const std::vector<std::string> convex = abut::bench::convex_set_names();
  for (const std::string& set_name : convex) add_gap_rows("cold", set_name, WarmStart::obb, /*is_mesh=*/false);
  for (const std::string& set_name : convex) {
    if (set_name != "sphere_sphere") add_gap_rows("warm", set_name, WarmStart::previous, /*is_mesh=*/false);
  }
  for (const std::string& set_name : convex) {
    if (set_name != "sphere_sphere") add_start_rows(set_name);
  }
  for (const std::string& set_name : convex) {
    if (set_name != "sphere_sphere") add_solver_rows(set_name);
  }
  for (const std::string& set_name : abut::bench::mesh_set_names()) {
    add_gap_rows("mesh", set_name, WarmStart::obb, /*is_mesh=*/true);
  }
  return true;
}

[[maybe_unused]] const bool kAllRowsAdded = add_all_rows();

}  // namespace

// What derivatives cost: queries with and without them, over many pairs in one random order. The time of a row is the
// time of one query.
//
// Rows: pills/<what>/<set>/<method>   capsules and padded polygons (Tracy et al., "DiffPills"): method active_set,
//                                     interior_point, gjk (`distance` with GJK forced) or automatic (`distance`);
//                                     what: value, or derivatives (value and all derivatives)
//       any/<what>/<set>/<gaps>       `distance` and `derivatives` of any pair; gaps apart or overlapping; what: value,
//                                     derivatives, or differences (central ones of the distance by both poses: 24 more
//                                     queries)
//       smoothed/value/<set>/apart    `smoothed_distance`, which has its derivatives with it
// Counters: pairs in a pass; smooth: the fraction of answers whose flags are all true; wrong: answers off by more than
// 1e-10 m from the pair's own distance.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/smoothed_distance.h>
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "pair_sets.h"

namespace {

using abut::DistanceOptions;
using abut::Pose;
using abut::Proximity;
using abut::ProximityDerivatives;
using abut::QpMethod;
using abut::Separation;
using abut::SeparationDerivatives;
using abut::Shape;
using abut::Solver;
using abut::Vector3d;
using abut::bench::Gaps;
using abut::bench::PairSet;
using abut::bench::PosedPair;

constexpr double kMinSeconds = 0.1;
constexpr double kWrong = 1e-10;  // metres

/// One pair, as a query sees it.
struct Pair {
  const Shape& a;
  const Pose& world_from_a;
  const Shape& b;
  const Pose& world_from_b;
};

struct Outcome {
  double distance = 0.0;
  bool is_smooth = true;
  bool is_signed_distance = true;  ///< What `distance` is: only then is it compared.
};

/// @param ask  Pair -> Outcome; what it computes besides must not be optimised away.
template <class Ask>
void run(benchmark::State& state, const std::string& set_name, Gaps gaps, const Ask& ask) {
  const PairSet& set = abut::bench::pair_set(set_name);
  const std::vector<PosedPair> pairs = set.shuffled(gaps);
  const auto query = [&](const PosedPair& pair) {
    return ask(Pair{set.shapes[pair.a], pair.world_from_a, set.shapes[pair.b], pair.world_from_b});
  };
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(query(pairs[next]));
    if (++next == pairs.size()) next = 0;
  }
  std::size_t wrong = 0;
  std::size_t smooth = 0;
  for (const PosedPair& pair : pairs) {
    const Outcome outcome = query(pair);
    const double exact = abut::distance(set.shapes[pair.a], pair.world_from_a, set.shapes[pair.b], pair.world_from_b,
                                        {.tolerance = 1e-9})
                             .distance;
    wrong += outcome.is_signed_distance && !(std::abs(outcome.distance - exact) <= kWrong) ? 1u : 0u;
    smooth += outcome.is_smooth ? 1u : 0u;
  }
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.counters["wrong"] = static_cast<double>(wrong);
  state.counters["smooth"] = static_cast<double>(smooth) / static_cast<double>(pairs.size());
}

template <class Ask>
void add_row(const std::string& name, const std::string& set_name, Gaps gaps, Ask ask) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    run(state, set_name, gaps, ask);
  })->MinTime(kMinSeconds);
}

Outcome proximity_value(const Pair& pair, QpMethod method) {
  const Proximity found = abut::proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b, method);
  return {.distance = found.distance};
}

Outcome proximity_derivatives(const Pair& pair, QpMethod method) {
  const Proximity found = abut::proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b, method);
  ProximityDerivatives by = abut::derivatives(pair.a, pair.world_from_a, pair.b, pair.world_from_b, found);
  benchmark::DoNotOptimize(by);
  return {.distance = found.distance, .is_smooth = by.are_points_smooth && by.is_distance_smooth};
}

Outcome value(const Pair& pair, Solver solver) {
  return {.distance =
              abut::distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, {.solver = solver}).distance};
}

Outcome with_derivatives(const Pair& pair, Solver solver) {
  const Separation found = abut::distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, {.solver = solver});
  SeparationDerivatives by = abut::derivatives(pair.a, pair.world_from_a, pair.b, pair.world_from_b, found);
  benchmark::DoNotOptimize(by);
  return {.distance = found.distance, .is_smooth = by.are_points_smooth};
}

// The distance alone, by the twelve coordinates of both poses.
Outcome with_differences(const Pair& pair) {
  constexpr double kStep = 1e-6;
  double by[12];
  for (int k = 0; k < 12; ++k) {
    const bool is_a = k < 6;
    const Pose& pose = is_a ? pair.world_from_a : pair.world_from_b;
    const int axis = k % 3;
    const bool is_turn = k % 6 >= 3;
    const auto distance_at = [&](double step) {
      const Vector3d along = Vector3d::Unit(axis) * step;
      const Pose moved =
          is_turn ? Pose(pose.translation(),
                         abut::Quaterniond(Eigen::AngleAxisd(step, Vector3d::Unit(axis))) * pose.quaternion())
                  : Pose(pose.translation() + along, pose.quaternion());
      return abut::distance(pair.a, is_a ? moved : pair.world_from_a, pair.b, is_a ? pair.world_from_b : moved)
          .distance;
    };
    by[k] = (distance_at(kStep) - distance_at(-kStep)) / (2.0 * kStep);
  }
  benchmark::DoNotOptimize(by);
  return value(pair, Solver::automatic);
}

void add_pill_rows(const std::string& set_name) {
  std::vector<std::pair<std::string, QpMethod>> methods;
  if (set_name == "capsule_capsule") methods.emplace_back("active_set", QpMethod::active_set);
  methods.emplace_back("interior_point", QpMethod::interior_point);
  for (const auto& [name, method] : methods) {
    const QpMethod chosen = method;
    add_row("pills/value/" + set_name + "/" + name, set_name, Gaps::apart,
            [chosen](const Pair& pair) { return proximity_value(pair, chosen); });
    add_row("pills/derivatives/" + set_name + "/" + name, set_name, Gaps::apart,
            [chosen](const Pair& pair) { return proximity_derivatives(pair, chosen); });
  }
  const std::vector<std::pair<std::string, Solver>> solvers{{"gjk", Solver::gjk}, {"automatic", Solver::automatic}};
  for (const auto& [name, solver] : solvers) {
    const Solver chosen = solver;
    add_row("pills/value/" + set_name + "/" + name, set_name, Gaps::apart,
            [chosen](const Pair& pair) { return value(pair, chosen); });
    add_row("pills/derivatives/" + set_name + "/" + name, set_name, Gaps::apart,
            [chosen](const Pair& pair) { return with_derivatives(pair, chosen); });
  }
}

void add_general_rows(const std::string& set_name) {
  const std::vector<std::pair<std::string, Gaps>> sides{{"apart", Gaps::apart}, {"overlapping", Gaps::overlapping}};
  for (const auto& [side, gaps] : sides) {
    add_row("any/value/" + set_name + "/" + side, set_name, gaps,
            [](const Pair& pair) { return value(pair, Solver::automatic); });
    add_row("any/derivatives/" + set_name + "/" + side, set_name, gaps,
            [](const Pair& pair) { return with_derivatives(pair, Solver::automatic); });
    add_row("any/differences/" + set_name + "/" + side, set_name, gaps,
            [](const Pair& pair) { return with_differences(pair); });
  }
  add_row("smoothed/value/" + set_name + "/apart", set_name, Gaps::apart, [](const Pair& pair) {
    abut::SmoothedDistance found = abut::smoothed_distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, 0.01);
    benchmark::DoNotOptimize(found);
    return Outcome{.distance = found.distance, .is_signed_distance = false};
  });
}

bool add_all_rows() {
  std::vector<std::string> pills = abut::bench::polygon_set_names();
  pills.insert(pills.begin(), "capsule_capsule");
  for (const std::string& set_name : pills) add_pill_rows(set_name);
  for (const char* set_name : {"sphere_sphere", "capsule_capsule", "box_box", "ellipsoid_ellipsoid", "cylinder_cone",
                               "hull_40", "hull_1000", "superquadric", "polygon_polygon"}) {
    add_general_rows(set_name);
  }
  return true;
}

[[maybe_unused]] const bool kAllRowsAdded = add_all_rows();

}  // namespace

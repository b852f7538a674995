// Planar queries on random convex polygons: tables I to VI of Zhang et al., "Barycode-based GJK Algorithm".
//
// Rows: <query>/<corners>/<case>/<method>. Queries: collides, distance (the number alone), separation (signed, with
// points and normal), manifold (that, and the contact points). Cases: distant, overlapping, touching. Methods: walk is
// what abut takes by itself, warm the same with the cache of the pair's last answer; gjk and scan are barycode GJK with
// support points by hill climbing and without; space is abut's GJK on prisms; sat separates by axes; box2d is the
// installed one. Pairs come in one order of a thousand that a branch predictor hardly learns. Counters: wrong,
// answers that are off: more than 1e-6 m, or a collision where the polygons are apart; steps, of the walk or
// iterations of GJK for a separation, on average.
#include <abut/narrowphase/planar/planar_distance.h>
#include <abut/narrowphase/planar/planar_manifold.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planar_method.h"

namespace {

using abut::bench::kPlanarCorners;
using abut::bench::PlanarCase;
using abut::bench::PlanarMethod;
using abut::bench::PlanarPair;
using abut::planar::Method;
using abut::planar::Options;
using abut::planar::PairCache;
using abut::planar::Separation;
using abut::planar::SupportSearch;

constexpr double kMinSeconds = 0.02;
constexpr double kWrong = 1e-6;  // metres

const std::vector<PlanarPair>& pairs_of(int corners, PlanarCase which) {
  static std::map<std::pair<int, PlanarCase>, std::vector<PlanarPair>> sets;
  std::vector<PlanarPair>& pairs = sets[{corners, which}];
  if (pairs.empty()) pairs = abut::bench::planar_pairs(corners, which);
  return pairs;
}

class Abut final : public PlanarMethod {
 public:
  Abut(const std::vector<PlanarPair>& pairs, const Options& options, bool is_warm)
      : pairs_(pairs), options_(options), caches_(is_warm ? pairs.size() : 0) {}

  bool collides(std::size_t i) override {
    const PlanarPair& p = pairs_[i];
    return abut::planar::collides(p.a, p.world_from_a, p.b, p.world_from_b, 0.0, options_, cache(i));
  }
  double distance(std::size_t i) override {
    const PlanarPair& p = pairs_[i];
    return abut::planar::distance(p.a, p.world_from_a, p.b, p.world_from_b, options_, cache(i));
  }
  Separation separation(std::size_t i) {
    const PlanarPair& p = pairs_[i];
    return abut::planar::separation(p.a, p.world_from_a, p.b, p.world_from_b, options_, cache(i));
  }
  double deepest_contact(std::size_t i) {
    const PlanarPair& p = pairs_[i];
    return abut::planar::contact_manifold(p.a, p.world_from_a, p.b, p.world_from_b, separation(i)).points()[0].distance;
  }

 private:
  PairCache* cache(std::size_t i) { return caches_.empty() ? nullptr : &caches_[i]; }

  const std::vector<PlanarPair>& pairs_;
  Options options_;
  std::vector<PairCache> caches_;
};

/// @param ask  Index of a pair -> a number. @param is_wrong  (number, exact distance) -> bool.
template <class Ask, class IsWrong>
void run(benchmark::State& state, std::size_t count, const Ask& ask, const IsWrong& is_wrong) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += is_wrong(ask(i), i) ? 1u : 0u;
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ask(next));
    if (++next == count) next = 0;
  }
  state.counters["wrong"] = static_cast<double>(wrong);
}

using Maker = std::function<std::unique_ptr<PlanarMethod>(const std::vector<PlanarPair>&)>;

void add_rows(const std::string& tail, int corners, PlanarCase which, const Maker& make, bool has_distance) {
  const auto name = [&](const char* query) { return std::string(query).append(tail); };
  benchmark::RegisterBenchmark(name("collides").c_str(), [=](benchmark::State& state) {
    const std::vector<PlanarPair>& pairs = pairs_of(corners, which);
    const std::unique_ptr<PlanarMethod> method = make(pairs);
    run(
        state, pairs.size(), [&](std::size_t i) { return method->collides(i); },
        [&](bool answer, std::size_t i) {
          return which != PlanarCase::touching && answer != (pairs[i].distance <= 0.0);
        });
  })->MinTime(kMinSeconds);
  if (!has_distance) return;
  benchmark::RegisterBenchmark(name("distance").c_str(), [=](benchmark::State& state) {
    const std::vector<PlanarPair>& pairs = pairs_of(corners, which);
    const std::unique_ptr<PlanarMethod> method = make(pairs);
    run(
        state, pairs.size(), [&](std::size_t i) { return method->distance(i); },
        [&](double answer, std::size_t i) {
          return !(std::abs(std::max(answer, 0.0) - std::max(pairs[i].distance, 0.0)) <= kWrong);
        });
  })->MinTime(kMinSeconds);
}

void add_separation_rows(const std::string& tail, int corners, PlanarCase which, const Options& options, bool is_warm) {
  const auto add = [&](const char* query, auto ask) {
    benchmark::RegisterBenchmark(std::string(query).append(tail).c_str(), [=](benchmark::State& state) {
      const std::vector<PlanarPair>& pairs = pairs_of(corners, which);
      Abut method(pairs, options, is_warm);
      run(
          state, pairs.size(), [&](std::size_t i) { return ask(method, i); },
          [&](double answer, std::size_t i) { return !(std::abs(answer - pairs[i].distance) <= kWrong); });
      double steps = 0.0;
      for (std::size_t i = 0; i < pairs.size(); ++i) steps += method.separation(i).iterations;
      state.counters["steps"] = steps / static_cast<double>(pairs.size());
    })->MinTime(kMinSeconds);
  };
  add("separation", [](Abut& method, std::size_t i) { return method.separation(i).distance; });
  add("manifold", [](Abut& method, std::size_t i) { return method.deepest_contact(i); });
}

bool add_all_rows() {
  const std::pair<const char*, PlanarCase> cases[] = {
      {"distant", PlanarCase::distant}, {"overlapping", PlanarCase::overlapping}, {"touching", PlanarCase::touching}};
  struct Own {
    const char* name;
    Options options;
    bool is_warm;
  };
  const Own own[] = {{"walk", {Method::walk, SupportSearch::climb}, false},
                     {"warm", {Method::walk, SupportSearch::climb}, true},
                     {"gjk", {Method::gjk, SupportSearch::climb}, false},
                     {"scan", {Method::gjk, SupportSearch::scan}, false}};
  for (const int corners : kPlanarCorners) {
    for (const auto& [case_name, which] : cases) {
      const std::string head =
          std::string("/").append(std::to_string(corners)).append("/").append(case_name).append("/");
      for (const Own& method : own) {
        const Options options = method.options;
        const bool is_warm = method.is_warm;
        const Maker make = [options, is_warm](const std::vector<PlanarPair>& pairs) {
          return std::make_unique<Abut>(pairs, options, is_warm);
        };
        add_rows(head + method.name, corners, which, make, true);
        add_separation_rows(head + method.name, corners, which, options, is_warm);
      }
      add_rows(head + "space", corners, which, abut::bench::prisms_in_space, true);
      add_rows(head + "sat", corners, which, abut::bench::separating_axes, false);
#ifdef ABUT_BENCH_WITH_BOX2D
      add_rows(head + "box2d", corners, which, abut::bench::box2d, true);
#endif
    }
  }
  return true;
}

[[maybe_unused]] const bool kAllRowsAdded = add_all_rows();

}  // namespace

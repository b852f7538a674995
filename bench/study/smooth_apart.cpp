// Bodies that are apart, yes or no, and coherent motion: where the trust region pays and where GJK does.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>

#include "clock.h"
#include "problems.h"
#include "smooth_methods.h"
#include "smooth_studies.h"

namespace abut::study {
namespace {

using samples::Random;

struct PairSet {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
};

std::vector<PairSet> pair_sets() {
  PairSet table{"table1", table_bodies().shapes, {}};
  for (std::uint32_t a = 0; a < table.shapes.size(); ++a) {
    for (std::uint32_t b = a; b < table.shapes.size(); ++b) table.pairs.emplace_back(a, b);
  }
  // Radii as in the table, so that all sets are of one size.
  constexpr std::uint32_t kCount = 32;
  Random random(8);
  PairSet ellipsoids{"ellipsoid_ellipsoid", {}, {}};
  for (std::uint32_t i = 0; i < kCount; ++i) ellipsoids.shapes.emplace_back(Ellipsoid(random.vector(0.2, 0.8)));
  PairSet spheres{"sphere_ellipsoid", ellipsoids.shapes, {}};
  for (std::uint32_t i = 0; i < kCount; ++i) {
    spheres.shapes.emplace_back(Sphere(random.uniform(0.2, 0.8)));
    ellipsoids.pairs.emplace_back(i, (i + 1) % kCount);
    spheres.pairs.emplace_back(kCount + i, i);
  }
  return {table, ellipsoids, spheres};
}

// A yes or no by the separation's solver.
Method boolean_method(const std::string& name, Solver solver) {
  DistanceOptions options;
  options.solver = solver;
  return {name, [options](const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
            const bool hit = collides(a, world_from_a, b, world_from_b, 0.0, options);
            Answer answer;
            answer.depth = hit ? 1.0 : -1.0;
            return answer;
          }};
}

struct Motion {
  const char* name;
  double distance;  // at its end, metres, before the turn
};
constexpr std::array<Motion, 4> kMotions = {
    {{"deep_20mm", -0.02}, {"deep_2mm", -0.002}, {"apart_2mm", 0.002}, {"apart_50mm", 0.05}}};

constexpr double kMotionStep = 1e-3;  // metres
constexpr double kMotionTurn = 1e-2;  // radians

PosedPair moved(const PosedPair& pair, Random& random) {
  PosedPair result = pair;
  const Vector3d axis = random.direction();
  const Quaterniond turn(Eigen::AngleAxisd(kMotionTurn, axis));
  result.world_from_b =
      Pose(pair.world_from_b.translation() + kMotionStep * random.direction(), turn * pair.world_from_b.quaternion());
  return result;
}

// One solver along one motion, cold and warm.
struct Track {
  std::vector<double> cold_ns;
  std::vector<double> warm_ns;
  std::vector<double> cold_iterations;
  std::vector<double> warm_iterations;
};

void follow(Track& track, const Shape& a, const Shape& b, const PosedPair& before, const PosedPair& after,
            Solver solver) {
  DistanceOptions options;
  options.solver = solver;
  PairCache known;
  benchmark::DoNotOptimize(distance(a, before.world_from_a, b, before.world_from_b, options, &known));
  Separation answer;
  PairCache cold;
  track.cold_ns.push_back(
      timed([&] { answer = distance(a, after.world_from_a, b, after.world_from_b, options, &cold); }));
  track.cold_iterations.push_back(answer.iterations);
  track.warm_ns.push_back(
      timed([&] { answer = distance(a, after.world_from_a, b, after.world_from_b, options, &known); }));
  track.warm_iterations.push_back(answer.iterations);
}

}  // namespace

void study_apart(Results& results, std::size_t poses) {
  const std::vector<Method> distances{library_method("rtr", Solver::rtr),
                                      library_method("gjk", Solver::gjk),
                                      library_method("polyak", Solver::polyak),
                                      library_method("nesterov", Solver::nesterov),
                                      library_method("nesterov_unnormalised", Solver::nesterov_unnormalised),
                                      library_method("rtr_coarse", Solver::rtr, kCoarse),
                                      library_method("gjk_coarse", Solver::gjk, kCoarse)};
  const std::vector<Method> answers{boolean_method("rtr", Solver::rtr), boolean_method("gjk", Solver::gjk),
                                    boolean_method("polyak", Solver::polyak),
                                    boolean_method("default", Solver::automatic)};
  for (const PairSet& set : pair_sets()) {
    const std::size_t of_pair = std::max<std::size_t>(poses / (set.pairs.size() > 32 ? 100 : 50), 1);
    for (const double gap : {-0.01, 0.001, 0.01, 0.1, 1.0}) {
      Random random(9);
      std::vector<PosedPair> pairs;
      for (const auto& [a, b] : set.pairs) {
        for (std::size_t i = 0; i < of_pair; ++i) pairs.push_back(pair_at(set.shapes, a, b, gap, random));
      }
      const std::string gap_name = short_text(gap);
      const auto add = [&](const char* query, const std::vector<Method>& methods, bool is_depth) {
        const std::vector<std::vector<Sample>> samples = measure(set.shapes, pairs, methods, /*passes=*/5);
        for (std::size_t m = 0; m < methods.size(); ++m) {
          Row& row = results.row("apart/" + set.name + "/" + query + "/" + gap_name + "/" + methods[m].name);
          if (is_depth) {
            add_samples(row, samples[m], {});
          } else {
            std::vector<double> times;
            for (const Sample& sample : samples[m]) times.push_back(sample.time_ns);
            row.add("time_ns", times);
          }
        }
      };
      add("distance", distances, /*is_depth=*/true);
      add("boolean", answers, /*is_depth=*/false);
    }
  }
}

void study_coherent_motion(Results& results, std::size_t poses) {
  constexpr std::array<std::pair<const char*, Solver>, 2> kSolvers = {{{"rtr", Solver::rtr}, {"gjk", Solver::gjk}}};
  for (const PairSet& set : pair_sets()) {
    const std::size_t of_pair = std::max<std::size_t>(poses / (set.pairs.size() > 32 ? 100 : 50), 1);
    for (const Motion& motion : kMotions) {
      Random random(10);
      std::vector<std::pair<PosedPair, PosedPair>> steps;
      for (const auto& [a, b] : set.pairs) {
        for (std::size_t i = 0; i < of_pair; ++i) {
          const PosedPair before = pair_at(set.shapes, a, b, motion.distance, random);
          steps.emplace_back(before, moved(before, random));
        }
      }
      std::array<Track, kSolvers.size()> tracks;
      for (const std::size_t i : shuffled_order(steps.size(), 11)) {
        const auto& [before, after] = steps[i];
        for (std::size_t s = 0; s < kSolvers.size(); ++s) {
          follow(tracks[s], set.shapes[before.a], set.shapes[before.b], before, after, kSolvers[s].second);
        }
      }
      for (std::size_t s = 0; s < kSolvers.size(); ++s) {
        const std::string name = "warm/" + set.name + "/" + motion.name + "/" + kSolvers[s].first;
        results.row(name + "/cold").add("time_ns", tracks[s].cold_ns).add("iterations", tracks[s].cold_iterations);
        results.row(name + "/warm").add("time_ns", tracks[s].warm_ns).add("iterations", tracks[s].warm_iterations);
      }
    }
  }
}

}  // namespace abut::study

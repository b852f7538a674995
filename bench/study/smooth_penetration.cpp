// Table II and figures 5 and 6 of An et al.: bodies that overlap, by the trust region and by expanding polytopes.
#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "smooth_peers.h"
#include "smooth_studies.h"

namespace abut::study {
namespace {

using detail::Subproblem;

// libccd: what the paper set, and what takes depths within about 0.1 mm.
constexpr double kPaperEpaTolerance = 1e-4;
constexpr double kFineEpaTolerance = 1e-8;

void add_libccd(std::vector<Method>& methods, const std::string& name, double epa_tolerance) {
  if (std::optional<Method> method = libccd_method(name, epa_tolerance)) methods.push_back(std::move(*method));
}

std::vector<Method> methods_of_table() {
  std::vector<Method> methods{library_method("rtr", Solver::rtr),
                              library_method("gjk", Solver::gjk),
                              library_method("rtr_coarse", Solver::rtr, kCoarse),
                              library_method("gjk_coarse", Solver::gjk, kCoarse),
                              trust_region_method("rtr_tcg", Subproblem::truncated_cg),
                              local_method("rtr_local", Subproblem::exact),
                              local_method("paper", Subproblem::truncated_cg, kPaperGradient)};
  add_libccd(methods, "libccd", kFineEpaTolerance);
  add_libccd(methods, "libccd_paper", kPaperEpaTolerance);
  return methods;
}

// The share of poses where one method's depth, along its normal, is no larger than another's but for rounding: what the
// paper counts. Nothing where one of the two was not measured.
std::optional<double> share_not_above(std::span<const Method> methods, std::span<const std::vector<Sample>> samples,
                                      const std::string& name, const std::string& other) {
  constexpr double kRounding = 1e-12;
  const auto index_of = [methods](const std::string& wanted) {
    const auto has_name = [&wanted](const Method& method) { return method.name == wanted; };
    return static_cast<std::size_t>(std::find_if(methods.begin(), methods.end(), has_name) - methods.begin());
  };
  const std::size_t m = index_of(name);
  const std::size_t k = index_of(other);
  if (m == methods.size() || k == methods.size()) return std::nullopt;
  double count = 0.0;
  for (std::size_t i = 0; i < samples[m].size(); ++i) {
    const bool is_missing = std::isnan(samples[k][i].depth);
    if (is_missing || samples[m][i].height <= samples[k][i].height + kRounding) count += 1.0;
  }
  return count / static_cast<double>(samples[m].size());
}

// The pairs of one kind of bodies, pair after pair, `poses` of each.
void add_table(Results& results, Draw draw, const NamedShapes& bodies, std::span<const PosedPair> pairs,
               std::size_t poses, std::span<const Method> methods, bool with_total) {
  const std::vector<std::vector<Sample>> samples = measure(bodies.shapes, pairs, methods, /*passes=*/3);
  const std::vector<double> best = best_heights(samples);
  const std::string draw_name = name_of(draw);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::span<const Sample> all(samples[m]);
    for (std::size_t begin = 0; begin < pairs.size(); begin += poses) {
      const std::string names = bodies.names[pairs[begin].a] + "/" + bodies.names[pairs[begin].b];
      const std::span<const double> of_pair = std::span(best).subspan(begin, poses);
      Row& row = results.row("table2/" + draw_name + "/" + names + "/" + methods[m].name);
      add_samples(row, all.subspan(begin, poses), of_pair);
      if (m == 0) row.add("depth", {of_pair.begin(), of_pair.end()});
    }
    if (!with_total) continue;
    Row& row = results.row("table2_all/" + draw_name + "/" + methods[m].name);
    add_samples(row, all, best);
    if (m == 0) row.add("depth", best);
    const std::optional<double> share = share_not_above(methods, samples, methods[m].name, "libccd_paper");
    if (share) row.add("share_not_above_libccd", *share);
  }
  if (with_total) return;
  add_fcl(results, "table2/" + draw_name + "/plain_ellipsoid/plain_ellipsoid/fcl", bodies.shapes, pairs, best);
}

}  // namespace

void study_penetration(Results& results, std::size_t poses, Draw draw) {
  const NamedShapes bodies = table_bodies();
  const NamedShapes plain{{"plain_ellipsoid"}, {plain_ellipsoid()}};
  const std::vector<Method> methods = methods_of_table();
  const std::vector<PosedPair> pairs = penetrating_pairs(bodies.shapes, poses, draw, /*seed=*/1);
  add_table(results, draw, bodies, pairs, poses, methods, /*with_total=*/true);
  const std::vector<PosedPair> plain_pairs = penetrating_pairs(plain.shapes, poses, draw, /*seed=*/2);
  add_table(results, draw, plain, plain_pairs, poses, methods, /*with_total=*/false);
}

void study_optimality(Results& results, std::size_t poses) {
  constexpr std::size_t kPoints = 500;  // for the scatter, as in the paper
  const NamedShapes bodies = table_bodies();
  const std::vector<PosedPair> pairs =
      penetrating_pairs(bodies.shapes, std::max<std::size_t>(poses / 20, 1), Draw::random, /*seed=*/3);
  std::vector<Method> methods;
  for (const double tolerance : {0.1, 0.02, 3e-3, 3e-4, 3e-5, 1e-6}) {
    methods.push_back(library_method("rtr/" + short_text(tolerance), Solver::rtr, tolerance));
    methods.push_back(library_method("gjk/" + short_text(tolerance), Solver::gjk, tolerance));
  }
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    add_libccd(methods, "libccd/" + short_text(tolerance), tolerance);
  }
  const std::vector<std::vector<Sample>> samples = measure(bodies.shapes, pairs, methods, /*passes=*/3);
  const std::vector<double> best = best_heights(samples);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    add_samples(results.row("fig5/" + methods[m].name), samples[m], best);
  }
  // One tolerance each: the first that gets the depth right within about 0.1 mm.
  const std::size_t step = std::max<std::size_t>(pairs.size() / kPoints, 1);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& name = methods[m].name;
    if (name != "rtr/0.02" && name != "gjk/0.02" && name != "libccd/0.0001") continue;
    for (std::size_t i = 0; i < pairs.size(); i += step) {
      if (std::isnan(samples[m][i].depth)) continue;
      results.row("fig5_points/" + name.substr(0, name.find('/')) + "/" + std::to_string(i))
          .add("time_ns", samples[m][i].time_ns)
          .add("iterations", samples[m][i].iterations)
          .add("optimality", samples[m][i].optimality);
    }
  }
}

void study_depth(Results& results, std::size_t poses) {
  constexpr double kBin = 0.04;  // metres
  constexpr std::size_t kFewest = 30;
  const NamedShapes bodies = table_bodies();
  NamedShapes all = bodies;
  all.names.emplace_back("plain_ellipsoid");
  all.shapes.push_back(plain_ellipsoid());
  const std::uint32_t plain = static_cast<std::uint32_t>(all.shapes.size()) - 1;
  std::vector<Method> methods{library_method("rtr", Solver::rtr), library_method("gjk", Solver::gjk),
                              library_method("rtr_coarse", Solver::rtr, kCoarse),
                              library_method("gjk_coarse", Solver::gjk, kCoarse)};
  add_libccd(methods, "libccd_paper", kPaperEpaTolerance);
  constexpr std::uint32_t kCube1 = 4;
  for (const std::uint32_t body : {kCube1, plain}) {
    samples::Random random(4);
    std::vector<PosedPair> pairs;
    // The centre of b evenly along its way in, so that deep poses are as many as shallow ones.
    const Shape& shape = all.shapes[body];
    const double reach = 2.0 * obb(shape).half_extents.norm();
    while (pairs.size() < poses) {
      PosedPair pair{body, body, random.pose(1.0), Pose()};
      pair.world_from_b =
          Pose(pair.world_from_a.translation() + random.uniform(0.0, reach) * random.direction(), random.rotation());
      if (collides(shape, pair.world_from_a, shape, pair.world_from_b)) pairs.push_back(pair);
    }
    const std::vector<std::vector<Sample>> samples = measure(all.shapes, pairs, methods, /*passes=*/3);
    const std::vector<double> best = best_heights(samples);
    const auto bins = static_cast<std::size_t>(*std::max_element(best.begin(), best.end()) / kBin) + 1;
    for (std::size_t m = 0; m < methods.size(); ++m) {
      std::vector<std::vector<Sample>> by_depth(bins);
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        by_depth[static_cast<std::size_t>(std::max(0.0, best[i]) / kBin)].push_back(samples[m][i]);
      }
      for (std::size_t bin = 0; bin < bins; ++bin) {
        if (by_depth[bin].size() < kFewest) continue;
        const double depth = kBin * (static_cast<double>(bin) + 0.5);
        add_samples(results.row("fig6/" + all.names[body] + "/" + short_text(depth) + "/" + methods[m].name),
                    by_depth[bin], {});
      }
    }
  }
}

}  // namespace abut::study

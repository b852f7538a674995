// How often the trust region alone ends in a local minimum that is not the least depth, what shows that one is, and
// whether the complete solver is ever wrong: against many random starts.
#include <abut/narrowphase/smooth/depth_proof.h>
#include <abut/narrowphase/smooth/separate_smooth.h>
#include <abut/narrowphase/smooth/tangent_ball.h>

#include <algorithm>
#include <cmath>

#include "smooth_bodies.h"
#include "smooth_studies.h"

namespace abut::study {
namespace {

using detail::Subproblem;

constexpr int kRestarts = 64;
constexpr double kWrong = 1e-6;  // metres

// Counts over the poses of one pair of bodies.
struct Minima {
  double poses = 0.0;
  double local_wrong = 0.0;      // exact subproblem, from the centres
  double local_wrong_tcg = 0.0;  // truncated conjugate gradients, as the paper has it
  double ball_accepted = 0.0;
  double ball_wrong = 0.0;      // accepted, and not the least depth: must not be
  double complete_wrong = 0.0;  // must not be either
  double unproven = 0.0;
  double largest_excess = 0.0;  // of the complete solver over the best depth of all starts, metres
  std::vector<double> local_iterations;
  std::vector<double> proof_evaluations;

  void write(Row& row) const {
    row.add("poses", poses)
        .add("local_wrong", local_wrong)
        .add("local_wrong_tcg", local_wrong_tcg)
        .add("ball_accepted", ball_accepted)
        .add("ball_wrong", ball_wrong)
        .add("complete_wrong", complete_wrong)
        .add("unproven", unproven)
        .add("largest_excess", largest_excess)
        .add("local_iterations", local_iterations)
        .add("proofs", static_cast<double>(proof_evaluations.size()))
        .add("proof_evaluations", proof_evaluations);
  }

  void merge(const Minima& other) {
    poses += other.poses;
    local_wrong += other.local_wrong;
    local_wrong_tcg += other.local_wrong_tcg;
    ball_accepted += other.ball_accepted;
    ball_wrong += other.ball_wrong;
    complete_wrong += other.complete_wrong;
    unproven += other.unproven;
    largest_excess = std::max(largest_excess, other.largest_excess);
    local_iterations.insert(local_iterations.end(), other.local_iterations.begin(), other.local_iterations.end());
    proof_evaluations.insert(proof_evaluations.end(), other.proof_evaluations.begin(), other.proof_evaluations.end());
  }
};

void add_pose(Minima& minima, std::span<const Shape> shapes, const PosedPair& pair, samples::Random& random) {
  const detail::SmoothCore a = detail::smooth_core(shapes[pair.a]).value();
  const detail::SmoothCore b = detail::smooth_core(shapes[pair.b]).value();
  const Pose a_from_b = Pose::relative(pair.world_from_a, pair.world_from_b);
  const detail::AnySmoothDifference difference(a, b, a_from_b);
  const DistanceOptions options;
  const detail::CoreTolerances tolerances(difference, options);
  detail::TrustRegionOptions region;
  region.rounding = tolerances.rounding;
  region.gradient = std::max(detail::kGradientShare * tolerances.points, 4.0 * tolerances.rounding);
  region.max_iterations = options.max_iterations;

  const Vector3d start = detail::first_normal(difference, WarmStart::obb, nullptr);
  const detail::TrustRegionResult local = minimise_height(difference, start, region);
  detail::TrustRegionOptions truncated = region;
  truncated.subproblem = Subproblem::truncated_cg;
  const detail::TrustRegionResult local_tcg = minimise_height(difference, start, truncated);
  const Separation complete = detail::separate_smooth(a, b, a_from_b, {options, /*is_boolean=*/false}, nullptr);

  double best = std::min({local.at.height, local_tcg.at.height, -complete.distance});
  for (int i = 0; i < kRestarts; ++i) {
    best = std::min(best, minimise_height(difference, random.direction(), region).at.height);
  }

  minima.poses += 1.0;
  minima.local_iterations.push_back(local.iterations);
  const bool is_wrong = local.at.height > best + kWrong;
  if (is_wrong) minima.local_wrong += 1.0;
  if (local_tcg.at.height > best + kWrong) minima.local_wrong_tcg += 1.0;
  if (-complete.distance > best + kWrong) minima.complete_wrong += 1.0;
  if (complete.status != SolveStatus::converged) minima.unproven += 1.0;
  minima.largest_excess = std::max(minima.largest_excess, -complete.distance - best);
  const double ball = local.converged ? tangent_ball_radius(difference, local.at, local.at.height) : 0.0;
  if (local.converged && detail::is_proven_by_ball(ball, local.at.height)) {
    minima.ball_accepted += 1.0;
    if (is_wrong) minima.ball_wrong += 1.0;
  } else {
    const detail::DepthProof proof =
        prove_depth(difference, local.at, region, tolerances.distance, options.max_iterations);
    minima.proof_evaluations.push_back(proof.iterations);
  }
}

}  // namespace

void study_minima(Results& results, std::size_t poses) {
  const std::size_t count = std::max<std::size_t>(poses / 5, 1);
  const NamedShapes bodies = table_bodies();
  for (const Draw draw : {Draw::random, Draw::shallow}) {
    const std::vector<PosedPair> pairs = penetrating_pairs(bodies.shapes, count, draw, /*seed=*/6);
    samples::Random random(7);
    Minima all;
    for (std::size_t begin = 0; begin < pairs.size(); begin += count) {
      Minima minima;
      for (std::size_t i = begin; i < begin + count; ++i) add_pose(minima, bodies.shapes, pairs[i], random);
      minima.write(results.row(std::string("minima/") + name_of(draw) + "/" + bodies.names[pairs[begin].a] + "/" +
                               bodies.names[pairs[begin].b]));
      all.merge(minima);
    }
    all.write(results.row(std::string("minima_all/") + name_of(draw)));
  }
}

}  // namespace abut::study

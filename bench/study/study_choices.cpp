// Why the accelerated variants gain or do not: GJK of the papers with one choice changed at a time, in iterations.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "library_queries.h"
#include "reference_gjk.h"
#include "studies.h"

namespace abut::study {
namespace {

constexpr std::array<double, 6> kGaps = {-0.01, -0.001, 0.001, 0.01, 0.1, 1.0};
constexpr std::size_t kPairs = 1000;

struct Choice {
  std::string name;
  ReferenceOptions options;
};

ReferenceOptions with(Momentum momentum, bool normalise, Schedule schedule) {
  return ReferenceOptions{.momentum = momentum, .normalise = normalise, .schedule = schedule};
}

ReferenceOptions from(ReferenceOptions options, Start start) {
  options.start = start;
  return options;
}

ReferenceOptions at_fixed_point(ReferenceOptions options, FixedPoint fixed_point) {
  options.fixed_point = fixed_point;
  return options;
}

/// Momentum for shapes that are near each other only.
ReferenceOptions gated(ReferenceOptions options) {
  options.least_cosine = -0.5;
  options.most_cosine = 0.8;
  return options;
}

ReferenceOptions dropped(ReferenceOptions options, double ratio) {
  options.drop_ratio = ratio;
  return options;
}

std::vector<Choice> choices() {
  const ReferenceOptions gjk = with(Momentum::none, false, Schedule::paper);
  const ReferenceOptions polyak = with(Momentum::polyak, false, Schedule::paper);
  const ReferenceOptions polyak_decaying = with(Momentum::polyak, false, Schedule::decaying);
  const ReferenceOptions nesterov = with(Momentum::nesterov, false, Schedule::paper);
  const ReferenceOptions normalised = with(Momentum::nesterov, true, Schedule::paper);
  const ReferenceOptions heavy = with(Momentum::nesterov, true, Schedule::heavy);
  return {{"gjk", gjk},
          {"gjk, start (1 0 0)", from(gjk, Start::x_axis)},
          {"gjk, start centers", from(gjk, Start::centers)},
          {"polyak", polyak},
          {"polyak, normalised", with(Momentum::polyak, true, Schedule::paper)},
          {"polyak, decaying", polyak_decaying},
          {"polyak, decaying, gated", gated(polyak_decaying)},
          {"polyak, restart", at_fixed_point(polyak, FixedPoint::restart)},
          {"nesterov", nesterov},
          {"nesterov, heavy", with(Momentum::nesterov, false, Schedule::heavy)},
          {"nesterov, gated", gated(nesterov)},
          {"nesterov, restart", at_fixed_point(nesterov, FixedPoint::restart)},
          {"nesterov, eager restart", at_fixed_point(nesterov, FixedPoint::restart_on_obtuse)},
          {"nesterov, normalised", normalised},
          {"nesterov, normalised, start (1 0 0)", from(normalised, Start::x_axis)},
          {"nesterov, normalised, decaying", with(Momentum::nesterov, true, Schedule::decaying)},
          {"nesterov, normalised, restart", at_fixed_point(normalised, FixedPoint::restart)},
          {"nesterov, normalised, eager restart", at_fixed_point(normalised, FixedPoint::restart_on_obtuse)},
          {"nesterov, normalised, heavy", heavy},
          {"nesterov, normalised, heavy, start centers", from(heavy, Start::centers)},
          {"nesterov, normalised, heavy, drop 0.9", dropped(heavy, 0.9)},
          {"nesterov, normalised, heavy, gated", gated(heavy)},
          {"nesterov, normalised, heavy, gated, drop 0.9", dropped(gated(heavy), 0.9)}};
}

/// Neighbours looked at by a climb to the support vertex along `direction` (GJK++, section II), which starts where the
/// last one ended.
double climbed(const ConvexHull& hull, const Vector3d& direction, std::uint32_t& vertex) {
  double looked_at = 0.0;
  double farthest = hull.vertices()[vertex].dot(direction);
  for (bool is_rising = true; is_rising;) {
    is_rising = false;
    for (const std::uint32_t neighbour : hull.neighbours(vertex)) {
      ++looked_at;
      const double along = hull.vertices()[neighbour].dot(direction);
      if (along > farthest) {
        farthest = along;
        vertex = neighbour;
        is_rising = true;
        break;
      }
    }
  }
  return looked_at;
}

/// Of all support points of a query on two hulls, each climb from vertex 0 at first.
double climbed_in_all(const ProblemSet& set, const Problem& p, const std::vector<Vector3d>& directions) {
  std::uint32_t vertex_a = 0;
  std::uint32_t vertex_b = 0;
  double looked_at = 0.0;
  for (const Vector3d& d : directions) {
    looked_at += climbed(*set.shapes[p.a].get_if<ConvexHull>(), p.world_from_a.unrotate(-d), vertex_a);
    looked_at += climbed(*set.shapes[p.b].get_if<ConvexHull>(), p.world_from_b.unrotate(d), vertex_b);
  }
  return looked_at;
}

void add_rows(Results& results, const std::string& shapes_name, const ProblemSet& set) {
  for (const Query query : kQueries) {
    for (std::size_t g = 0; g < set.gaps.size(); ++g) {
      const std::string prefix = "why/" + shapes_name + "/" + name_of(query) + "/" + text_of(set.gaps[g]) + "/";
      for (const Choice& choice : choices()) {
        ReferenceOptions options = choice.options;
        options.epsilon = kEpsilon;
        options.is_boolean = query == Query::boolean;
        std::vector<double> iterations;
        std::vector<double> passes;
        std::vector<double> with_momentum;
        std::vector<double> neighbours;
        double wrong = 0.0;
        double largest_error = 0.0;
        for (const Problem& p : set.problems[g]) {
          Minkowski difference(set.shapes[p.a], p.world_from_a, set.shapes[p.b], p.world_from_b);
          const ReferenceResult found = reference_gjk(difference, options);
          iterations.push_back(found.iterations);
          passes.push_back(found.passes);
          with_momentum.push_back(found.momentum_iterations);
          if (set.shapes[p.a].get_if<ConvexHull>() != nullptr) {
            neighbours.push_back(climbed_in_all(set, p, difference.directions()));
          }
          if (query == Query::distance && found.converged) {
            largest_error = std::max(largest_error, std::abs(found.distance - std::max(p.distance, 0.0)));
          }
          wrong += !found.converged || found.collides != (p.distance < 0.0) ? 1.0 : 0.0;
        }
        results.row(prefix + choice.name)
            .add("iterations", iterations)
            .add("passes", passes)
            .add("climbed_neighbours", neighbours)
            .add("momentum_iterations", with_momentum)
            .add("wrong", wrong)
            .add("largest_error", largest_error);
      }
      for (const Variant& variant : kVariants) {
        std::vector<double> iterations;
        for (const Problem& problem : set.problems[g]) {
          iterations.push_back(library_iterations(set, problem, query, variant.solver));
        }
        results.row(prefix + "library " + variant.name).add("iterations", iterations);
      }
    }
  }
}

}  // namespace

void study_choices(Results& results, const Hulls& hulls) {
  add_rows(results, "ellipsoids", make_problems(random_ellipsoids(200, 7), kGaps, kPairs, 8));
  add_rows(results, "hulls", make_problems(hulls.shapes, kGaps, kPairs, 9));
}

}  // namespace abut::study

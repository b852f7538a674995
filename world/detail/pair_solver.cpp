// Oriented boxes, then the solver, for every candidate by itself.
#include <abut/core/obb.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/detail/slot_order.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace abut::detail {
namespace {

/// Candidates that one task takes at least: a solved pair costs a microsecond or more, a task a tenth of that.
constexpr std::size_t kGrain = 16;

/// The frame of a is used, not the world: far from the origin the world's coordinates would cost digits.
bool boxes_apart(const Body& a, const Body& b, double margin) {
  if (!a.bounded || !b.bounded) return false;
  return separation_bound(a.obb, Pose::relative(a.pose, b.pose) * b.obb) > margin;
}

}  // namespace

void solve_pairs(const BodyTable& bodies, const SceneSettings& settings, const Candidates& last, Candidates& candidates,
                 Solutions& solutions) {
  const std::size_t count = candidates.pairs.size();
  candidates.caches.resize(count);
  solutions.verdicts.resize(count);
  solutions.separations.resize(count);
  const double margin = settings.contact_margin;
  const DistanceOptions options{.solver = settings.solver,
                                .warm_start = settings.warm_start,
                                .tolerance = settings.tolerance,
                                .max_distance = margin};

  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, kGrain), [&](const tbb::blocked_range<std::size_t>& range) {
        auto known =
            std::lower_bound(last.pairs.begin(), last.pairs.end(), candidates.pairs[range.begin()], SlotOrder());
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          const BodyPair& pair = candidates.pairs[i];
          while (known != last.pairs.end() && SlotOrder()(*known, pair)) ++known;
          PairCache& cache = candidates.caches[i];
          cache = known != last.pairs.end() && *known == pair
                      ? last.caches[static_cast<std::size_t>(known - last.pairs.begin())]
                      : PairCache();

          const Body& a = bodies[pair.a.slot];
          const Body& b = bodies[pair.b.slot];
          if (boxes_apart(a, b, margin)) {
            solutions.verdicts[i] = Verdict::boxes_apart;
            continue;
          }
          DistanceOptions pair_options = options;
          pair_options.solver = solver_or_automatic(options.solver, a.shape, b.shape);
          const Separation& separation = solutions.separations[i] =
              distance(a.shape, a.pose, b.shape, b.pose, pair_options, &cache);
          const bool contact = separation.status != SolveStatus::beyond_limit && separation.distance <= margin;
          solutions.verdicts[i] = contact ? Verdict::contact : Verdict::apart;
        }
      });
}

}  // namespace abut::detail

// What is known from before, then the oriented boxes, then the solver, for every candidate by itself.
#include <abut/core/shapes/hull_fetch.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <abut/world/detail/box_gap.h>
#include <abut/world/detail/pair_solver.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <variant>

namespace abut::detail {
namespace {

/// A gap is looked for up to so many times what the two have moved in their last steps beyond the margin: so many steps
/// of that size need not look again.
constexpr double kStepsAhead = 16.0;

/// Whether a known pair need not be looked at: what it is then.
/// @return Verdict::still_apart, Verdict::still_contact, or Verdict::apart for: look.
Verdict known_verdict(const PairHistory& history, const BodyMotion& a, const BodyMotion& b, double margin) {
  if (history.looked_in == 0) return Verdict::apart;
  if (std::max(a.moved_in, b.moved_in) <= history.looked_in) {
    return history.contact != PairHistory::kNoContact ? Verdict::still_contact : Verdict::still_apart;
  }
  const double travel = a.travel + b.travel;
  // Of both sums of two bodies and of their difference; what a body has come is rounded up.
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * travel;
  const bool is_apart = history.gap - (travel - history.travel) - rounding > margin;
  return is_apart ? Verdict::still_apart : Verdict::apart;
}

/// One pair that has to be looked at, in the frame of a.
class PairLook {
 public:
  PairLook(const Body& a, const Body& b) : a_(a), b_(b), a_from_b_(Pose::relative(a.pose, b.pose)) {}

  /// Lower bound of the distance from the oriented boxes, metres.
  /// @param enough  A gap larger than this, metres, is enough.
  [[nodiscard]] double box_gap(double enough) const {
    if (!a_.bounded || !b_.bounded) return -std::numeric_limits<double>::infinity();
    return detail::box_gap(a_, b_, a_from_b_, enough);
  }

  /// Frame of a.
  [[nodiscard]] Separation separation(const PairQuery& query, PairCache& cache) const {
    return separate(Part(a_.shape), Part(b_.shape), a_from_b_, query, &cache);
  }

  /// Lower bound from the answer of the solver, metres.
  [[nodiscard]] double gap(const Separation& separation) const {
    const double error = separation.status == SolveStatus::beyond_limit ? 0.0 : separation.distance_error;
    return separation.distance - error - gap_rounding(a_.size, b_.size, a_from_b_);
  }

 private:
  const Body& a_;
  const Body& b_;
  const Pose a_from_b_;
};

/// Pairs that are solved together, those of the same kinds of shapes one after another. Each is solved by itself: the
/// order has no influence on the results. Sorted by counting, which has no branch to foresee.
class SolvingOrder {
 public:
  /// @param place      Below kPairsTogether; ascending.
  /// @param is_wanted  Else nothing is added.
  void add(std::size_t place, const Shape& a, const Shape& b, bool is_wanted) {
    const std::size_t kinds = a.geometry().index() * kKinds + b.geometry().index();
    pairs_[count_] = {static_cast<std::uint16_t>(kinds), static_cast<std::uint16_t>(place)};
    count_ += is_wanted ? 1 : 0;
    begin_[kinds + 1] = static_cast<std::uint16_t>(begin_[kinds + 1] + (is_wanted ? 1 : 0));
  }
  /// The places. Once, after all are added.
  [[nodiscard]] std::span<const std::uint16_t> sorted() {
    for (std::size_t kinds = 1; kinds < begin_.size(); ++kinds) begin_[kinds] += begin_[kinds - 1];
    for (const Pair& pair : std::span(pairs_).first(count_)) places_[begin_[pair.kinds]++] = pair.place;
    return std::span(places_).first(count_);
  }

 private:
  static constexpr std::size_t kKinds = std::variant_size_v<Geometry>;
  struct Pair {
    std::uint16_t kinds;
    std::uint16_t place;
  };

  std::array<Pair, kPairsTogether> pairs_;
  std::array<std::uint16_t, kPairsTogether> places_;
  std::size_t count_ = 0;
  std::array<std::uint16_t, kKinds * kKinds + 1> begin_{};  // of each pair of kinds, once they are counted
};

/// Fetches the bodies and the caches of pairs, and then, for pairs that remember an answer, its corners and what the
/// look for the support vertices along its normal will read.
void fetch_pairs(const BodyTable& bodies, const Candidates& candidates, const PairMemory& memory, std::size_t begin,
                 std::span<const std::uint16_t> places) {
  SupportFetch fetch;
  const BodyPair* const pairs = candidates.pairs.data() + begin;
  const std::uint32_t* const memory_places = candidates.places.data() + begin;
  for (const std::uint16_t i : places) {
    memory.fetch_cache(memory_places[i]);
    bodies.fetch(pairs[i].a.slot);
    bodies.fetch(pairs[i].b.slot);
  }
  for (const std::uint16_t i : places) {
    const PairCache& cache = memory.cache(memory_places[i]);
    if (!cache.has_solution) continue;
    const Body& a = bodies[pairs[i].a.slot];
    const Body& b = bodies[pairs[i].b.slot];
    if (!a.has_large_hull && !b.has_large_hull) continue;
    const std::size_t corners = std::min<std::size_t>(cache.corners.count, cache.corners.of_a.size());
    if (a.has_large_hull) {
      const ConvexHull& hull = *a.shape.get_if<ConvexHull>();
      fetch.add(hull, cache.normal_a);
      for (std::size_t k = 0; k < corners; ++k) hull.prefetch_vertex(cache.corners.of_a[k]);
    }
    if (b.has_large_hull) {
      const ConvexHull& hull = *b.shape.get_if<ConvexHull>();
      fetch.add(hull, b.pose.unrotate(a.pose.rotate(-cache.normal_a)));
      for (std::size_t k = 0; k < corners; ++k) hull.prefetch_vertex(cache.corners.of_b[k]);
    }
  }
  fetch.fetch();
}

}  // namespace

double search_distance(const SceneSettings& settings, const BodyMotion& a, const BodyMotion& b) {
  const double ahead = settings.coherence ? kStepsAhead * (a.last_travel + b.last_travel) : 0.0;
  return settings.contact_margin + (ahead < std::numeric_limits<double>::infinity() ? ahead : 0.0);
}

void solve_pairs(const BodyTable& bodies, const SceneSettings& settings, std::uint64_t step,
                 const Candidates& candidates, IndexRange range, PairMemory& memory, UnconvergedCandidates& unconverged,
                 Solutions& solutions) {
  solutions.iterations = 0;
  const double margin = settings.contact_margin;
  PairQuery query;
  query.options.warm_start = settings.warm_start;
  query.options.tolerance = settings.tolerance;

  // Pointers of its own: to compilers what is written below might be those of the lists.
  const BodyPair* const pairs = candidates.pairs.data() + range.begin;
  const std::uint32_t* const places = candidates.places.data() + range.begin;
  const auto look_at = [&, pairs, places](std::size_t i) {
    const BodyPair& pair = pairs[i];
    PairCache& cache = memory.cache(places[i]);
    PairHistory& history = memory.history(places[i]);
    const BodyMotion& motion_a = bodies.motion(pair.a.slot);
    const BodyMotion& motion_b = bodies.motion(pair.b.slot);
    const Body& a = bodies[pair.a.slot];
    const Body& b = bodies[pair.b.slot];
    const PairLook look(a, b);
    query.options.solver = solver_or_automatic(settings.solver, a.shape, b.shape);
    query.options.max_distance = search_distance(settings, motion_a, motion_b);
    // What was a contact most likely still is, and what was so near that the solver found it in spite of the boxes most
    // likely still is: its boxes would say nothing.
    const bool was_near = history.looked_in != 0 && cache.has_solution && history.gap <= query.options.max_distance;
    const bool was_contact = history.contact != PairHistory::kNoContact;
    query.far_enough = settings.coherence && !was_contact ? margin : std::numeric_limits<double>::infinity();
    history.looked_in = step;
    history.travel = motion_a.travel + motion_b.travel;
    if (!was_contact && !was_near) {
      history.gap = look.box_gap(margin);
      if (history.gap > margin) return Verdict::boxes_apart;
    }
    const PairCache start = cache;
    Separation& separation = solutions.separations[i] = look.separation(query, cache);
    solutions.iterations += static_cast<std::uint64_t>(separation.iterations);
    history.gap = look.gap(separation);
    const bool is_unconverged = separation.status == SolveStatus::iteration_limit;
    const bool is_contact = separation.status != SolveStatus::beyond_limit && separation.distance <= margin;
    if (is_contact || is_unconverged) transform(separation, a.pose);
    if (is_unconverged) unconverged.add({range.begin + i, separation, start});
    return is_contact ? Verdict::contact : Verdict::apart;
  };

  SolvingOrder order;
  for (std::size_t i = 0; i != range.end - range.begin; ++i) {
    const BodyPair& pair = pairs[i];
    Verdict verdict = Verdict::apart;
    if (settings.coherence) {
      verdict =
          known_verdict(memory.history(places[i]), bodies.motion(pair.a.slot), bodies.motion(pair.b.slot), margin);
    }
    solutions.verdicts[i] = verdict;
    order.add(i, bodies[pair.a.slot].shape, bodies[pair.b.slot].shape, verdict == Verdict::apart);
  }
  constexpr std::size_t kTogether = SupportFetch::kCapacity / 2;
  for (std::span<const std::uint16_t> rest = order.sorted(); !rest.empty();) {
    const std::span<const std::uint16_t> some = rest.first(std::min(rest.size(), kTogether));
    rest = rest.subspan(some.size());
    fetch_pairs(bodies, candidates, memory, range.begin, some);
    for (const std::uint16_t place : some) solutions.verdicts[place] = look_at(place);
  }
}

}  // namespace abut::detail

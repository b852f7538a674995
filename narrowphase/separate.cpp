// One table of functions by the kinds of both parts. Where a closed form exists it answers; pairs that a scene is full
// of have GJK compiled for them, with the support functions inside the loop; the others share one copy that calls
// supports through a pointer.
#include <abut/core/error.h>
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/qp/separate_pills.h>
#include <abut/narrowphase/rotate_unit.h>
#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/separate_cores.h>
#include <abut/narrowphase/smooth/separate_smooth.h>
#include <abut/narrowphase/smooth/smooth_features.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace abut::detail {
namespace {

struct PairFunctions {
  Separation (*separate)(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache);
  bool (*collide)(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache);
};

template <class F>
bool is_within(const F& separation, double limit) {
  // Doubt counts as contact: a collision is never called free.
  return separation.status != SolveStatus::beyond_limit && separation.distance - separation.distance_error <= limit;
}

template <class G, class H>
struct TypedPair {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    return separate_cores(TypedCore<G>(a.as<G>(), a.margin()), TypedCore<H>(b.as<H>(), b.margin()), a_from_b, query,
                          cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    return collide_cores(TypedCore<G>(a.as<G>(), a.margin()), TypedCore<H>(b.as<H>(), b.margin()), a_from_b, query,
                         cache);
  }
};

struct AnyConvexPair {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    return separate_cores(a.core(), b.core(), a_from_b, query, cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    return collide_cores(a.core(), b.core(), a_from_b, query, cache);
  }
};

// A smooth body and another that has features, in either order: by these where the body is smooth enough.
template <class G, class H>
struct SmoothFeaturesPair {
  static bool is_smooth(const Part& a, const Part& b) {
    if constexpr (SmoothGeometry<G>) {
      return a.as<G>().is_twice_differentiable();
    } else {
      return b.as<H>().is_twice_differentiable();
    }
  }
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    if (!is_smooth(a, b)) return AnyConvexPair::separate(a, b, a_from_b, query, cache);
    return separate_cores(a.core(), b.core(), a_from_b, query, cache, SmoothFeatures(a.as<G>(), b.as<H>()));
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    return AnyConvexPair::collide(a, b, a_from_b, query, cache);
  }
};

// A yes or no from the separation.
template <class Pair>
struct BySeparation {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    return Pair::separate(a, b, a_from_b, query, cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    return is_within(Pair::separate(a, b, a_from_b, query, cache), query.options.max_distance);
  }
};

template <class G, class H>
concept HasClosedForm = requires(const G& a, const H& b, const Pose& a_from_b) {
  { separate_closed(a, 0.0, b, 0.0, a_from_b) } -> std::same_as<Separation>;
};

// The trust region where both bodies are smooth enough and it is asked for, or nothing is: it needs no second solver
// for overlap. A yes or no comes faster from GJK.
template <class G, class H, class Iterative>
struct SmoothPair {
  static bool is_smooth(const Part& a, const Part& b) {
    return a.as<G>().is_twice_differentiable() && b.as<H>().is_twice_differentiable();
  }
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    const Solver solver = query.options.solver;
    const bool is_asked = solver == Solver::rtr || (solver == Solver::automatic && !query.is_boolean);
    if (!is_asked || !is_smooth(a, b)) return Iterative::separate(a, b, a_from_b, query, cache);
    const Separation result = by_trust_region(a, b, a_from_b, query, cache);
    const bool is_settled = result.status != SolveStatus::iteration_limit || solver == Solver::rtr;
    return is_settled ? result : settled_otherwise(a, b, a_from_b, query, cache, result);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    if (query.options.solver != Solver::rtr || !is_smooth(a, b)) {
      return Iterative::collide(a, b, a_from_b, query, cache);
    }
    return is_within(separate(a, b, a_from_b, query, cache), query.options.max_distance);
  }

 private:
  static Separation by_trust_region(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                                    PairCache* cache) {
    if constexpr (std::is_same_v<G, Ellipsoid> && std::is_same_v<H, Ellipsoid>) {
      return separate_smooth(TypedSmoothCore<G>(a.as<G>(), a.margin()), TypedSmoothCore<H>(b.as<H>(), b.margin()),
                             a_from_b, query, cache);
    } else {
      return separate_smooth(SmoothCore(a.as<G>(), a.margin()), SmoothCore(b.as<H>(), b.margin()), a_from_b, query,
                             cache);
    }
  }
  // Bodies as thin as needles hold the trust region up, near-concentric ones its proof: the better answer of the two
  // solvers. What a direction separates the bodies by is a lower bound, whoever found it.
  [[gnu::noinline, gnu::cold]] static Separation settled_otherwise(const Part& a, const Part& b, const Pose& a_from_b,
                                                                   const PairQuery& query, PairCache* cache,
                                                                   const Separation& result) {
    PairCache other;
    Separation iterative = Iterative::separate(a, b, a_from_b, query, &other);
    iterative.iterations += result.iterations;
    const double above = iterative.distance - result.distance;
    if (iterative.status != SolveStatus::beyond_limit && above <= iterative.distance_error) {
      Separation settled = result;  // the same direction or a better one, found finer: only its proof was missing
      settled.distance_error = std::min(result.distance_error, std::max(0.0, above) + iterative.distance_error);
      settled.status = iterative.status;
      settled.iterations = iterative.iterations;
      return settled;
    }
    const bool is_better =
        iterative.status != SolveStatus::iteration_limit || iterative.distance_error < result.distance_error;
    if (!is_better) return result;
    if (cache != nullptr) *cache = other;
    return iterative;
  }
};

// A forced solver is an iterative one.
template <class G, class H, class Iterative>
struct ClosedPair {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    if (query.options.solver != Solver::automatic) return Iterative::separate(a, b, a_from_b, query, cache);
    if constexpr (HasClosedForm<G, H>) {
      return separate_closed(a.as<G>(), a.margin(), b.as<H>(), b.margin(), a_from_b);
    } else {
      const Pose b_from_a = a_from_b.inverse();
      return exchanged(separate_closed(b.as<H>(), b.margin(), a.as<G>(), a.margin(), b_from_a), a_from_b);
    }
  }
};

// Separating axes settle all overlaps and nearly all gaps; GJK the rest.
struct BoxPair {
  using Iterative = TypedPair<Box, Box>;

  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    if (query.options.solver == Solver::automatic) {
      const std::optional<Separation> closed =
          separate_closed(a.as<Box>(), a.margin(), b.as<Box>(), b.margin(), a_from_b);
      if (closed) return *closed;
    }
    return Iterative::separate(a, b, a_from_b, query, cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    if (query.options.solver == Solver::automatic) {
      const ClosedAnswer closed =
          closed_collides(a.as<Box>(), a.margin(), b.as<Box>(), b.margin(), a_from_b, query.options.max_distance);
      if (closed != ClosedAnswer::undecided) return closed == ClosedAnswer::colliding;
    }
    return Iterative::collide(a, b, a_from_b, query, cache);
  }
};

// Separating axes settle all overlaps but those of needles; GJK what is apart within the limit.
template <class G, class H>
struct BoxTrianglePair {
  using Iterative = TypedPair<G, H>;
  static constexpr bool kBoxFirst = std::is_same_v<G, Box>;

  // Calls ask(box, triangle, box_from_triangle).
  template <class Ask>
  static auto ask_in_order(const Part& a, const Part& b, const Pose& a_from_b, const Ask& ask) {
    if constexpr (kBoxFirst) {
      return ask(a, b, a_from_b);
    } else {
      return ask(b, a, a_from_b.inverse());
    }
  }

  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    if (query.options.solver != Solver::automatic) return Iterative::separate(a, b, a_from_b, query, cache);
    std::optional<Separation> closed =
        ask_in_order(a, b, a_from_b, [&query](const Part& box, const Part& triangle, const Pose& box_from_triangle) {
          return separate_closed(box.as<Box>(), box.margin(), triangle.as<Triangle>(), triangle.margin(),
                                 box_from_triangle, query.options.max_distance);
        });
    if (!closed) return Iterative::separate(a, b, a_from_b, query, cache);
    if (!kBoxFirst) *closed = exchanged(*closed, a_from_b);
    const bool cores_overlap = closed->distance + a.margin() + b.margin() < 0.0;
    if (cache != nullptr) remember(*cache, *closed, cores_overlap, a.margin(), b.margin(), a_from_b);
    return *closed;
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    if (query.options.solver != Solver::automatic) return Iterative::collide(a, b, a_from_b, query, cache);
    const ClosedAnswer closed =
        ask_in_order(a, b, a_from_b, [&query](const Part& box, const Part& triangle, const Pose& box_from_triangle) {
          return closed_collides(box.as<Box>(), box.margin(), triangle.as<Triangle>(), triangle.margin(),
                                 box_from_triangle, query.options.max_distance);
        });
    if (closed == ClosedAnswer::undecided) return Iterative::collide(a, b, a_from_b, query, cache);
    return closed == ClosedAnswer::colliding;
  }
};

// The quadratic program where it is asked for and the cores are apart; where they are not, what automatic chooses.
template <class Iterative>
struct PillPair {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    if (query.options.solver != Solver::qp) return Iterative::separate(a, b, a_from_b, query, cache);
    if (a.shape() != nullptr && b.shape() != nullptr && has_proximity(*a.shape(), *b.shape())) {
      const std::optional<Separation> apart = separate_pills(*a.shape(), *b.shape(), a_from_b);
      if (apart) return *apart;
    }
    PairQuery automatic = query;
    automatic.options.solver = Solver::automatic;
    return detail::separate(a, b, a_from_b, automatic, cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    if (query.options.solver != Solver::qp) return Iterative::collide(a, b, a_from_b, query, cache);
    return is_within(separate(a, b, a_from_b, query, cache), query.options.max_distance);
  }
};

struct HalfSpaceFirst {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery&, PairCache*) {
    return separate_half_space(a.as<HalfSpace>(), a.margin(), b.core(), a_from_b);
  }
};

struct HalfSpaceSecond {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery&, PairCache*) {
    const Pose b_from_a = a_from_b.inverse();
    const HalfSpace& half_space = b.as<HalfSpace>();
    Separation found = separate_half_space(half_space, b.margin(), a.core(), b_from_a);
    const Vector3d inverted = b_from_a.rotation().cwiseAbs() * a_from_b.translation().cwiseAbs();
    found.distance_error += kClosedRounding * half_space.normal().cwiseAbs().dot(inverted);
    return exchanged(found, a_from_b);
  }
};

struct TwoHalfSpaces {
  static Separation separate(const Part&, const Part&, const Pose&, const PairQuery&, PairCache*) {
    throw InvalidInput("shape", "two half-spaces have no distance: one of the two must be bounded");
  }
};

struct CompositePair {
  static Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                             PairCache* cache) {
    return separate_composite(a, b, a_from_b, query, cache);
  }
  static bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
    return collide_composite(a, b, a_from_b, query, cache);
  }
};

template <class T, class... List>
inline constexpr bool kIsOneOf = (std::is_same_v<T, List> || ...);

// Pairs compiled with their support functions.
template <class G, class H>
inline constexpr bool kIsHot = (std::is_same_v<G, ConvexHull> &&
                                kIsOneOf<H, ConvexHull, Sphere, Box, Capsule, Cylinder, Cone, Triangle>) ||
                               (std::is_same_v<G, Box> && kIsOneOf<H, Cylinder, Cone, Triangle>) ||
                               (std::is_same_v<G, Cylinder> && kIsOneOf<H, Cylinder, Cone, Capsule, Triangle>) ||
                               (std::is_same_v<G, Cone> && kIsOneOf<H, Cone, Capsule, Triangle>) ||
                               (std::is_same_v<G, Ellipsoid> && std::is_same_v<H, Ellipsoid>);

template <class G, class H>
inline constexpr bool kHaveSmoothFeatures = kHasFlats<G>&& SmoothGeometry<H>;

template <class G, class H, bool kSmooth = SmoothGeometry<G>&& SmoothGeometry<H>>
struct IterativePairOf {
  using Type = AnyConvexPair;
};
template <class G, class H>
struct IterativePairOf<G, H, true> {
  using Gjk = std::conditional_t<kIsHot<G, H>, TypedPair<G, H>, AnyConvexPair>;
  using Type = SmoothPair<G, H, Gjk>;
};
template <class G, class H>
requires kIsOneOf<G, Capsule, PaddedPolygon> && kIsOneOf<H, Capsule, PaddedPolygon>
struct IterativePairOf<G, H, false> {
  using Type = PillPair<AnyConvexPair>;
};
template <class G, class H>
using IterativePair = typename IterativePairOf<G, H>::Type;

template <class Pair>
constexpr PairFunctions functions_of() {
  return {&Pair::separate, &Pair::collide};
}

template <std::size_t kKind>
struct KindOf {
  using Type = std::variant_alternative_t<kKind, Geometry>;
};
template <>
struct KindOf<kPartKind<PointSet>> {
  using Type = PointSet;
};

template <std::size_t kA, std::size_t kB>
constexpr PairFunctions functions() {
  using G = typename KindOf<kA>::Type;
  using H = typename KindOf<kB>::Type;
  constexpr bool is_half_space_a = std::is_same_v<G, HalfSpace>;
  constexpr bool is_half_space_b = std::is_same_v<H, HalfSpace>;
  if constexpr (CompositeGeometry<G> || CompositeGeometry<H>) {
    return functions_of<CompositePair>();
  } else if constexpr (is_half_space_a && is_half_space_b) {
    return functions_of<BySeparation<TwoHalfSpaces>>();
  } else if constexpr (is_half_space_a) {
    return functions_of<BySeparation<HalfSpaceFirst>>();
  } else if constexpr (is_half_space_b) {
    return functions_of<BySeparation<HalfSpaceSecond>>();
  } else if constexpr (std::is_same_v<G, Box> && std::is_same_v<H, Box>) {
    return functions_of<BoxPair>();
  } else if constexpr ((std::is_same_v<G, Box> && std::is_same_v<H, Triangle>) ||
                       (std::is_same_v<G, Triangle> && std::is_same_v<H, Box>)) {
    return functions_of<BoxTrianglePair<G, H>>();
  } else if constexpr (HasClosedForm<G, H> || HasClosedForm<H, G>) {
    return functions_of<BySeparation<ClosedPair<G, H, IterativePair<G, H>>>>();
  } else if constexpr (SmoothGeometry<G> && SmoothGeometry<H>) {
    return functions_of<IterativePair<G, H>>();
  } else if constexpr (kIsOneOf<G, Capsule, PaddedPolygon> && kIsOneOf<H, Capsule, PaddedPolygon>) {
    return functions_of<IterativePair<G, H>>();
  } else if constexpr (kIsHot<G, H> || kIsHot<H, G>) {
    return functions_of<TypedPair<G, H>>();
  } else if constexpr (kHaveSmoothFeatures<G, H> || kHaveSmoothFeatures<H, G>) {
    return functions_of<SmoothFeaturesPair<G, H>>();
  } else {
    return functions_of<AnyConvexPair>();
  }
}

using Table = std::array<std::array<PairFunctions, kPartKinds>, kPartKinds>;

template <std::size_t kA, std::size_t... kBs>
constexpr std::array<PairFunctions, kPartKinds> row(std::index_sequence<kBs...>) {
  return {functions<kA, kBs>()...};
}

template <std::size_t... kAs>
constexpr Table table(std::index_sequence<kAs...>) {
  return {row<kAs>(std::make_index_sequence<kPartKinds>())...};
}

constexpr Table kTable = table(std::make_index_sequence<kPartKinds>());

const PairFunctions& functions_for(const Part& a, const Part& b) {
  return kTable[a.kind()][b.kind()];
}

// Of a convex part by its kind.
template <std::size_t... kKinds>
ConvexCore core_of(const Part& part, std::index_sequence<kKinds...>) {
  using Make = ConvexCore (*)(const Part&);
  static constexpr std::array<Make, kPartKinds> kMakers = {[]() -> Make {
    using G = typename KindOf<kKinds>::Type;
    if constexpr (ConvexGeometry<G>) {
      return [](const Part& p) { return ConvexCore(p.as<G>(), p.margin()); };
    } else {
      return nullptr;
    }
  }()...};
  return kMakers[part.kind()](part);
}

}  // namespace

ConvexCore Part::core() const {
  return core_of(*this, std::make_index_sequence<kPartKinds>());
}

void transform(Separation& separation, const Pose& outer_from_inner) {
  separation.point_a = outer_from_inner * separation.point_a;
  separation.point_b = outer_from_inner * separation.point_b;
  separation.normal = rotate_unit(outer_from_inner, separation.normal);
}

Separation exchanged(const Separation& b_against_a, const Pose& a_from_b) {
  Separation result = b_against_a;
  transform(result, a_from_b);
  std::swap(result.point_a, result.point_b);
  result.normal = -result.normal;
  return result;
}

Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
  return functions_for(a, b).separate(a, b, a_from_b, query, cache);
}

bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
  return functions_for(a, b).collide(a, b, a_from_b, query, cache);
}

}  // namespace abut::detail

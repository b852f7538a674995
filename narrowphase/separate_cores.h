// Two convex shapes, each core ⊕ ball. GJK answers while the cores are apart, EPA when they touch or overlap; the radii
// are added to either answer, so that a shallow overlap of margins costs no more than a distance.
#pragma once

#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/frustum_answer.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/intersect.h>
#include <abut/narrowphase/remembered_corners.h>
#include <abut/narrowphase/rescaled_cores.h>
#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/support_ring.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace abut::detail {

/// Where GJK has closed the gap to this fraction of the distance, pairs whose features have closed forms are asked for
/// their answer.
inline constexpr double kNearTolerance = 0.05;

/// No answer can be finer than this fraction of the coordinates it is computed from: a few roundings of doubles.
inline constexpr double kCoreRounding = 1e-15;

template <class Difference>
[[nodiscard]] Vector3d initial_guess(const Difference& difference, WarmStart warm_start, const PairCache* cache) {
  if (cache != nullptr && cache->has_solution && !cache->cores_overlap) {
    if (warm_start == WarmStart::previous) return -cache->normal_a;
    if (warm_start == WarmStart::transformed_previous) {
      return cache->point_a - difference.a_from_b() * cache->point_b;
    }
  }
  return warm_start == WarmStart::none ? Vector3d(Vector3d::UnitX()) : difference.center();
}

/// Solver::automatic's choice, as measured (docs/narrowphase.md); a warm start near the answer makes no use of
/// momentum.
template <class A, class B>
[[nodiscard]] Solver automatic_solver(const A& /*a*/, const B& /*b*/, bool is_boolean) {
  return is_boolean ? Solver::polyak : Solver::gjk;
}
[[nodiscard]] inline Solver automatic_solver(const TypedCore<Ellipsoid>& /*a*/, const TypedCore<Ellipsoid>& /*b*/,
                                             bool /*is_boolean*/) {
  return Solver::nesterov_unnormalised;
}
[[nodiscard]] inline Solver automatic_solver(const TypedCore<ConvexHull>& a, const TypedCore<ConvexHull>& b,
                                             bool is_boolean) {
  constexpr std::size_t kFewVertices = 128;  // so few iterations that the momentum's own cost outweighs those it saves
  const std::size_t vertices = a.geometry().vertices().size() + b.geometry().vertices().size();
  return is_boolean || vertices > kFewVertices ? Solver::nesterov : Solver::gjk;
}

/// The variant of GJK for a pair: the forced one, or automatic_solver's where the forced solver is none of GJK's.
template <class A, class B>
[[nodiscard]] Solver gjk_variant(const A& a, const B& b, const PairQuery& query) {
  const Solver solver = query.options.solver;
  if (solver != Solver::automatic && solver != Solver::rtr && solver != Solver::qp) return solver;
  return automatic_solver(a, b, query.is_boolean);
}

/// What the two solvers are asked, from what the caller asks.
struct CoreTolerances {
  double coordinates;  ///< Sizes and offsets together, metres.
  double rounding;     ///< Bound on the rounding of the distance, metres.
  double points;       ///< Accuracy of the witness points, metres.
  double distance;     ///< Gap to close, metres.

  template <class Difference>
  CoreTolerances(const Difference& difference, const DistanceOptions& options) {
    const double size = difference.extent() + difference.radii();
    coordinates = size + difference.largest_coordinate();
    rounding = kCoreRounding * coordinates;
    // Two surfaces of curvature radius R part by t²/2R at a distance t from their nearest points: witness points are
    // right within t when the distance is right within that.
    points = options.tolerance > 0.0 ? options.tolerance : kRelativeTolerance * size;
    distance = std::max(0.5 * points * points / size, rounding);
  }
};

/// The answer with radii, where EPA alone found it.
[[nodiscard]] Separation grown_by_radii(const EpaResult& overlap, double radius_a, double radius_b,
                                        const CoreTolerances& tolerances);

/// The answer with radii, from where the solvers ended. @param overlap  EPA's answer, or null where it was not asked.
[[nodiscard]] Separation grown_by_radii(const GjkResult& found, const EpaResult* overlap, double radius_a,
                                        double radius_b, const CoreTolerances& tolerances);

/// Whether the error is no larger than was asked for.
[[nodiscard]] inline bool is_as_asked(const Separation& answer, const CoreTolerances& tolerances) {
  return answer.distance_error <= tolerances.distance + tolerances.rounding;
}

/// A better answer where cores nearly touch and the bounds of both solvers leave more open than is asked: GJK goes on
/// as close to the origin as rounding allows, and each bound is taken from the solver whose is the better one.
/// @param found    Where GJK ended. @param overlap  EPA's answer, or null where it was not asked.
/// @param answer   What they came to. @return  That, or one with a smaller error.
[[nodiscard]] Separation looked_at_closely(const AnyDifference& difference, const GjkResult& found,
                                           const EpaResult* overlap, const Separation& answer,
                                           const CoreTolerances& tolerances, int max_iterations);

/// Remembers an answer for the next query of the pair.
void remember(PairCache& cache, const Separation& separation, bool cores_overlap, double radius_a, double radius_b,
              const Pose& a_from_b);

/// Cores of shapes whose support points are numbered vertices, which a pair remembers: of triangles, which are mostly
/// leaves of meshes, it remembers the leaves.
template <class G>
inline constexpr bool kIsRemembered = kIsPolytope<G> && !std::is_same_v<G, Triangle>;
template <class A, class B>
concept HaveVertices = kIsRemembered<typename A::Geometry> && kIsRemembered<typename B::Geometry>;

template <class A, class B>
concept AreFrustums = kIsFrustum<typename A::Geometry> && kIsFrustum<typename B::Geometry>;
/// One is a frustum, the other has vertices.
template <class A, class B>
concept HaveVerticesAndFrustum = (kIsPolytope<typename A::Geometry> && kIsFrustum<typename B::Geometry>) ||
                                 (kIsFrustum<typename A::Geometry> && kIsPolytope<typename B::Geometry>);

/// What answers two cores whose features near a normal have closed forms or second derivatives. None do.
struct NoFeatures {
  static constexpr bool kExist = false;
};

/// Of a frustum and a polytope or another frustum.
template <class A, class B>
struct FrustumFeatures {
  static constexpr bool kExist = true;
  const A& a;
  const B& b;

  /// Where it is proven; of overlap it has not converged where directions beyond its reach are left.
  /// @param normal  About from a to b, unit. @param corners  Vertices that most likely carry the answer.
  [[nodiscard]] std::optional<EpaResult> answer(const MinkowskiDifference<A, B>& difference, const Vector3d& normal,
                                                const CornerVertices& corners, double tolerance) const {
    if constexpr (AreFrustums<A, B>) {
      return two_frustums_answer(difference, normal, tolerance);
    } else {
      return frustum_answer(difference, normal, corners, tolerance);
    }
  }
  /// Of a ball about the centre of D that lies in it, metres.
  [[nodiscard]] double inner_radius() const {
    return core_inner_radius(a.geometry()) + core_inner_radius(b.geometry());
  }
};

template <class A, class B>
[[nodiscard]] auto features_of(const A& a, const B& b) {
  if constexpr (HaveVerticesAndFrustum<A, B> || AreFrustums<A, B>) {
    return FrustumFeatures<A, B>{a, b};
  } else {
    return NoFeatures{};
  }
}

/// What the plane across a remembered normal says of cores that were apart: the distance is at least that of the
/// support point from the plane through the origin.
template <class Difference>
[[nodiscard]] Separation apart_along(const Difference& difference, const Vector3d& normal,
                                     const CoreTolerances& tolerances) {
  const DifferencePoint point = difference.support(normal);
  Separation result;
  result.distance = -normal.dot(point.difference) - difference.radii() - tolerances.rounding;
  result.distance_error = std::max(0.0, point.difference.norm() - difference.radii() - result.distance);
  result.normal = normal;
  result.point_a = point.on_a + difference.a().radius() * normal;
  result.point_b = point.on_b() - difference.b().radius() * normal;
  result.status = SolveStatus::beyond_limit;
  result.solver = Solver::gjk;
  result.iterations = 1;
  return result;
}

/// @tparam A, B      TypedCore or ConvexCore. Frame of a. `cache` may be null.
/// @param  features  Like NoFeatures or FrustumFeatures.
template <class A, class B, class Features>
[[nodiscard]] Separation separate_cores(const A& a, const B& b, const Pose& a_from_b, const PairQuery& query,
                                        PairCache* cache, const Features& features) {
  const DistanceOptions& options = query.options;
  const MinkowskiDifference<A, B> difference(a, b, a_from_b);
  const CoreTolerances tolerances(difference, options);
  if (!is_plain_size(tolerances.coordinates)) [[unlikely]] {
    return separate_rescaled(ConvexCore(a), ConvexCore(b), a_from_b, tolerances.coordinates, query, cache);
  }

  const bool has_memory = cache != nullptr && cache->has_solution && !query.is_boolean &&
                          options.solver == Solver::automatic && options.warm_start == WarmStart::previous;
  if (has_memory && !cache->cores_overlap && query.far_enough < options.max_distance) {
    const Separation apart = apart_along(difference, cache->normal_a, tolerances);
    if (apart.distance > query.far_enough) return apart;
  }
  const auto result_of = [&](const EpaResult& answer) {
    const Separation result = grown_by_radii(answer, a.radius(), b.radius(), tolerances);
    if (cache != nullptr) {
      remember(*cache, result, /*cores_overlap=*/answer.distance < 0.0, a.radius(), b.radius(), a_from_b);
      if (answer.corners.count > 0) cache->corners = answer.corners;
    }
    return result;
  };
  const bool looks_near = Features::kExist && !query.is_boolean && options.solver == Solver::automatic;
  const auto near = [&](const Vector3d& normal, const CornerVertices& corners) -> std::optional<EpaResult> {
    if constexpr (Features::kExist) {
      return features.answer(difference, normal, corners, tolerances.distance);
    } else {
      return std::nullopt;
    }
  };
  const NearAnswer near_answer = looks_near ? NearAnswer(near) : NearAnswer();

  RememberedCorners remembered;
  PointsAround around;
  std::optional<EpaResult> local;  // of overlap, proven near its normal
  if (has_memory) {
    std::optional<EpaResult> still;
    if constexpr (HaveVertices<A, B>) {
      if (cache->corners.count > 0) {
        remembered = recall(difference, *cache);
        still = answer_of(difference, remembered, tolerances.distance, around);
      }
    } else if constexpr (Features::kExist) {
      still = near(cache->normal_a, cache->corners);
      if (still && !still->converged) {
        still->converged =
            is_deepest(difference, features.inner_radius(), still->normal, -still->distance, still->reach);
      }
    }
    if (still && still->converged) return result_of(*still);
    local = still;
  }
  // A pair that overlapped the last time most likely still does.
  const bool has_parted = remembered.count == 3 && !(remembered.offset > 0.0);
  if (has_memory && query.needs_depth && cache->cores_overlap && !has_parted) {
    const ConvexCore erased_a(a);
    const ConvexCore erased_b(b);
    const Vector3d& normal = remembered.count == 3 ? remembered.normal : cache->normal_a;
    const std::span<const DifferencePoint> facet(remembered.corners.data(), remembered.count == 3 ? 3 : 0);
    const std::optional<EpaResult> overlap =
        epa_around(AnyDifference(erased_a, erased_b, a_from_b), normal, facet, around.points(), tolerances.distance,
                   options.max_iterations, near_answer, local);
    if (overlap) {
      Separation result = grown_by_radii(*overlap, a.radius(), b.radius(), tolerances);
      remember(*cache, result, /*cores_overlap=*/true, a.radius(), b.radius(), a_from_b);
      cache->corners = overlap->corners;
      return result;
    }
  }

  GjkOptions gjk_options;
  gjk_options.solver = gjk_variant(a, b, query);
  gjk_options.tolerance = tolerances.distance;
  gjk_options.max_iterations = options.max_iterations;
  gjk_options.max_distance = options.max_distance + difference.radii();
  if (query.is_boolean) gjk_options.near_distance = gjk_options.max_distance;
  const bool are_corners_near = has_memory && (!cache->cores_overlap || has_parted);
  const int known = are_corners_near ? remembered.count + (remembered.has_point_beyond ? 1 : 0) : 0;
  if (looks_near) gjk_options.relative_tolerance = kNearTolerance;
  GjkResult found = gjk(difference, initial_guess(difference, options.warm_start, cache), gjk_options,
                        std::span(remembered.corners).first(static_cast<std::size_t>(known)));
  if (found.is_coarse) {
    const int size = found.simplex.size();
    const CornerVertices corners = vertices_of([&](int i) { return found.simplex[i]; }, size);
    std::optional<EpaResult> answer = near(found.separating_direction, corners);
    if (answer && answer->converged) {
      answer->iterations += found.iterations;
      return result_of(*answer);
    }
    std::array<DifferencePoint, 4> points;
    for (int i = 0; i < size; ++i) points[static_cast<std::size_t>(i)] = found.simplex[i];
    const int iterations = found.iterations;
    gjk_options.relative_tolerance = 0.0;
    gjk_options.max_iterations -= iterations;
    found = gjk(difference, Vector3d::Zero(), gjk_options, std::span(points).first(static_cast<std::size_t>(size)));
    found.iterations += iterations;
  }

  const bool touches = found.outcome == GjkResult::Outcome::touching;
  // A yes needs no depth: the origin is enclosed, or nearer than the limit.
  const bool is_proven =
      !query.needs_depth || (query.is_boolean && found.simplex.closest().norm() <= gjk_options.max_distance);
  const auto is_open = [&](const Separation& answer) {
    return !is_as_asked(answer, tolerances) && !found.at_iteration_limit && !query.is_boolean;
  };
  Separation result;
  if (touches && !is_proven) {
    const ConvexCore erased_a(a);
    const ConvexCore erased_b(b);
    const AnyDifference erased(erased_a, erased_b, a_from_b);
    const EpaResult overlap = epa(erased, found.simplex, tolerances.distance, options.max_iterations,
                                  query.least_depth - difference.radii(), near_answer);
    result = grown_by_radii(found, &overlap, a.radius(), b.radius(), tolerances);
    if (cache != nullptr) cache->corners = overlap.corners;
    if (is_open(result) && overlap.converged && !overlap.is_shallow) [[unlikely]] {
      result = looked_at_closely(erased, found, &overlap, result, tolerances, options.max_iterations);
    }
  } else {
    result = grown_by_radii(found, nullptr, a.radius(), b.radius(), tolerances);
    const bool is_nearest = found.outcome == GjkResult::Outcome::separated;
    if (cache != nullptr) {
      cache->corners = vertices_of([&](int i) { return found.simplex[i]; }, is_nearest ? found.simplex.size() : 0);
    }
    if (is_nearest && is_open(result)) [[unlikely]] {
      const ConvexCore erased_a(a);
      const ConvexCore erased_b(b);
      result = looked_at_closely(AnyDifference(erased_a, erased_b, a_from_b), found, nullptr, result, tolerances,
                                 options.max_iterations);
    }
  }
  result.solver = gjk_options.solver;
  if (cache != nullptr) {
    remember(*cache, result, touches, a.radius(), b.radius(), a_from_b);
    if (touches && !query.needs_depth) cache->has_solution = false;  // of the overlap nothing is known
  }
  return result;
}

/// With the features that their types tell.
template <class A, class B>
[[nodiscard]] Separation separate_cores(const A& a, const B& b, const Pose& a_from_b, const PairQuery& query,
                                        PairCache* cache) {
  return separate_cores(a, b, a_from_b, query, cache, features_of(a, b));
}

/// Whether the shapes come within options.max_distance (>= 0) of each other. `cache` may be null.
template <class A, class B>
[[nodiscard]] bool collide_cores(const A& a, const B& b, const Pose& a_from_b, const PairQuery& query,
                                 PairCache* cache) {
  const DistanceOptions& options = query.options;
  const MinkowskiDifference<A, B> difference(a, b, a_from_b);
  const double radii = difference.radii();
  const double coordinates = difference.extent() + radii + difference.largest_coordinate();
  if (!is_plain_size(coordinates)) [[unlikely]] {
    return collide_rescaled(ConvexCore(a), ConvexCore(b), a_from_b, coordinates, query, cache);
  }
  const double rounding = kCoreRounding * coordinates;
  const Solver solver = gjk_variant(a, b, query);
  const IntersectionResult found = intersect(difference, initial_guess(difference, options.warm_start, cache),
                                             options.max_distance + radii, rounding, solver, options.max_iterations);
  // A plane that was remembered and still separates is kept as it is.
  const bool is_known = found.answer == Intersection::apart && found.iterations == 0;
  if (cache != nullptr && !(is_known && cache->has_solution)) {
    cache->has_solution = found.answer == Intersection::apart;
    cache->cores_overlap = false;
    cache->normal_a = -found.direction.normalized();
    cache->point_a = a.center();  // no nearest points are known: the centres stand for them
    cache->point_b = b.center();
  }
  if (found.answer != Intersection::undecided) return found.answer == Intersection::close;
  // Nearer to the limit than the search resolves: the distance says, solved as exactly as where it is asked for, and
  // its doubt counts as contact.
  const Separation separation = separate_cores(a, b, a_from_b, PairQuery{options}, nullptr);
  return separation.status != SolveStatus::beyond_limit &&
         separation.distance - separation.distance_error <= options.max_distance;
}

}  // namespace abut::detail

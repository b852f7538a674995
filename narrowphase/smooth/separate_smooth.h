// Two smooth bodies, each core ⊕ ball: the trust region finds the direction of least height, above or below zero in one
// go; where the cores overlap the minimum is accepted only with a proof that it is global.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework".
#pragma once

#include <abut/narrowphase/rescaled_cores.h>
#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/separate_cores.h>
#include <abut/narrowphase/smooth/depth_proof.h>
#include <abut/narrowphase/smooth/smooth_difference.h>
#include <abut/narrowphase/smooth/tangent_ball.h>
#include <abut/narrowphase/smooth/trust_region.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace abut::detail {

/// The gradient is asked to be this much shorter than the accuracy of the witness points: they move by more than it
/// where the depth is near the radii of curvature. The last step converges quadratically and mostly gives more.
inline constexpr double kGradientShare = 1e-3;

/// The minimum that a trust region found, with what bounds it.
struct SmoothMinimum {
  DifferenceExpansion at;
  int iterations = 0;
  double error = 0.0;  ///< Of the height, metres.
  bool is_proven = false;
};

/// A stationary point where cores overlap: accepted by a tangent ball, or proven or replaced by an inner polytope.
[[nodiscard]] SmoothMinimum accept_depth(const AnySmoothDifference& difference, const TrustRegionResult& found,
                                         const TrustRegionOptions& options, double tolerance, int max_iterations);

/// Whether a tangent ball proves that no direction has a lesser height.
[[nodiscard]] inline bool is_proven_by_ball(double radius, double height) {
  return radius >= (1.0 - kBallRounding) * height;
}

/// How far below its height h_D may be, given a tangent ball that proves it and a tangential gradient.
[[nodiscard]] inline double gap_under_ball(double radius, double height, double gradient) {
  const double room = std::max(0.0, radius - height);
  const double lacking = std::max(0.0, height - radius);
  const double slope =
      gradient > 0.0 ? gradient * gradient / (std::sqrt(room * room + gradient * gradient) + room) : 0.0;
  return slope + 2.0 * lacking;
}

/// Unit, from a to b: where the trust region starts (eq. 14), or the last normal.
template <class Difference>
[[nodiscard]] Vector3d first_normal(const Difference& difference, WarmStart warm_start, const PairCache* cache) {
  const bool is_known = cache != nullptr && cache->has_solution;
  if (is_known && warm_start == WarmStart::previous) {
    // Unit but for the rounding of the frames before; one step of Newton's keeps that from adding up.
    return (1.5 - 0.5 * cache->normal_a.squaredNorm()) * cache->normal_a;
  }
  if (is_known && warm_start == WarmStart::transformed_previous && !cache->cores_overlap) {
    const Vector3d between = difference.a_from_b() * cache->point_b - cache->point_a;
    const double length = between.norm();
    if (length > 0.0) return between / length;
  }
  if (warm_start != WarmStart::none) {
    const Vector3d between = -difference.center();
    const double length = between.norm();
    if (length > 0.0) return between / length;
  }
  return Vector3d::UnitX();
}

/// Not within separate_smooth, which it would make some 2 % slower even where it is not called.
template <class A, class B>
[[nodiscard, gnu::noinline, gnu::cold]] Separation separate_rescaled_smooth(const A& a, const B& b,
                                                                            const Pose& a_from_b, double size,
                                                                            const PairQuery& query, PairCache* cache) {
  const ConvexCore erased_a(a);
  const ConvexCore erased_b(b);
  return separate_rescaled(erased_a, erased_b, a_from_b, size, query, cache);
}

/// @tparam A, B  TypedSmoothCore or SmoothCore. Frame of a. `cache` may be null.
/// @return With query.is_boolean right about its side of max_distance only.
template <class A, class B>
[[nodiscard]] Separation separate_smooth(const A& a, const B& b, const Pose& a_from_b, const PairQuery& query,
                                         PairCache* cache, Subproblem subproblem = Subproblem::exact) {
  const DistanceOptions& options = query.options;
  const SmoothDifference<A, B> difference(a, b, a_from_b);
  const CoreTolerances tolerances(difference, options);
  if (!is_plain_size(tolerances.coordinates)) [[unlikely]] {
    return separate_rescaled_smooth(a, b, a_from_b, tolerances.coordinates, query, cache);
  }
  TrustRegionOptions region;
  region.rounding = tolerances.rounding;
  region.gradient = std::max(kGradientShare * tolerances.points, 4.0 * tolerances.rounding);
  region.gap = tolerances.distance;
  region.stop_below = -(options.max_distance + difference.radii());
  region.max_iterations = options.max_iterations;
  region.subproblem = subproblem;

  const TrustRegionResult found =
      minimise_height(difference, first_normal(difference, options.warm_start, cache), region);
  SmoothMinimum minimum{found.at, found.iterations, 0.0, false};
  const double gradient = found.at.gradient.norm();
  const bool is_beyond = found.at.height < region.stop_below;
  if (found.at.height <= 0.0) {
    // The support points are apart by as much, at most.
    minimum.error = std::hypot(found.at.height, gradient) + found.at.height;
    minimum.is_proven = found.converged || is_beyond;
  } else {
    if constexpr (std::is_same_v<A, TypedSmoothCore<Ellipsoid>> && std::is_same_v<B, TypedSmoothCore<Ellipsoid>>) {
      const TangentFrame& frame = found.at.frame;
      const double value_a = frame.normal.dot(found.at.on_a);
      const double value_b = found.at.height - value_a + frame.normal.dot(a_from_b.translation());
      const double ball = inner_ball_radius(a.geometry(), value_a) + inner_ball_radius(b.geometry(), value_b);
      if (found.converged && is_proven_by_ball(ball, found.at.height)) {
        minimum.error = gap_under_ball(ball, found.at.height, gradient);
        minimum.is_proven = true;
      }
    }
    if (!minimum.is_proven) {
      const SmoothCore erased_a(a);
      const SmoothCore erased_b(b);
      minimum = accept_depth(AnySmoothDifference(erased_a, erased_b, a_from_b), found, region, tolerances.distance,
                             options.max_iterations);
    }
  }

  Separation result;
  const Vector3d& normal = minimum.at.frame.normal;
  result.solver = Solver::rtr;
  result.iterations = minimum.iterations;
  result.normal = normal;
  result.distance = -minimum.at.height - a.radius() - b.radius();
  result.distance_error = minimum.error + tolerances.rounding;
  result.point_a = minimum.at.on_a + a.radius() * normal;
  result.point_b = minimum.at.on_b() - b.radius() * normal;
  if (is_beyond) {
    result.status = SolveStatus::beyond_limit;
  } else if (!minimum.is_proven) {
    result.status = SolveStatus::iteration_limit;
  }
  if (cache != nullptr) {
    remember(*cache, result, /*cores_overlap=*/minimum.at.height > 0.0, a.radius(), b.radius(), a_from_b);
  }
  return result;
}

}  // namespace abut::detail

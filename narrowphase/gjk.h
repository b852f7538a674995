// GJK as fully-corrective Frank-Wolfe, plain and with Polyak's and Nesterov's momentum.
// Source: Montaut et al., "GJK++" (T-RO 2024), Alg. 2 (early stop), 4 (vanilla), 6 and 7 (acceleration), eq. 16-19.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/momentum.h>
#include <abut/narrowphase/separation.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut::detail {

/// Below this fraction of the size of the coordinates the nearest point is made of rounding: its direction is off by
/// 1e-16 / kTouching. The penetration solver then answers, whose normals come from faces.
inline constexpr double kTouching = 1e-10;

/// A plane separates when the origin is farther from it than this fraction of the size of the coordinates: nearer, the
/// side of the origin is rounding, and a simplex that encloses it is right.
inline constexpr double kSeparating = 1e-15;

struct GjkOptions {
  Solver solver = Solver::gjk;                                    ///< Any but automatic.
  double tolerance = 0.0;                                         ///< Of the distance, metres.
  double relative_tolerance = 0.0;                                ///< Of the distance, as a fraction of it.
  double max_distance = std::numeric_limits<double>::infinity();  ///< Stop when the distance is proven larger, metres.
  double near_distance = 0.0;   ///< Stop when it is proven to be at most this, metres.
  double touching = kTouching;  ///< The nearest point is not looked at more closely than this fraction of the size.
  int max_iterations = 128;
};

struct GjkResult {
  enum class Outcome : std::uint8_t {
    separated,  ///< The distance lies in [lower_bound, |simplex.closest()|].
    touching,   ///< The origin is in D, or so near that no plane separates it but by rounding.
    near,       ///< |simplex.closest()| <= near_distance.
    beyond,     ///< lower_bound > max_distance.
  };
  Outcome outcome = Outcome::separated;
  Simplex<DifferencePoint> simplex;
  /// Of the signed distance, from the best plane seen, metres; negative when none separated.
  double lower_bound = 0.0;
  /// Unit, from a to b: the normal of that plane, exactly along simplex.closest() where GJK converged.
  Vector3d separating_direction = Vector3d::UnitX();
  bool at_iteration_limit = false;
  bool is_coarse = false;  ///< Separated, to the relative tolerance alone.
  int iterations = 0;
};

/// Point of the Minkowski difference nearest the origin.
/// @param guess  x₀: any vector, best near the answer; zero stands for (1, 0, 0).
/// @param known  Up to four points of D that are most likely near the answer; where there are any, the simplex starts
///               with them, without momentum.
template <class Difference>
[[nodiscard]] GjkResult gjk(const Difference& difference, const Vector3d& guess, const GjkOptions& options,
                            std::span<const DifferencePoint> known = {}) {
  using Outcome = GjkResult::Outcome;
  Vector3d x0 = guess.squaredNorm() > 0.0 ? guess : Vector3d(Vector3d::UnitX());
  GjkResult result{.simplex = Simplex<DifferencePoint>(known.empty() ? difference.support(-x0) : known.front())};
  Simplex<DifferencePoint>& simplex = result.simplex;
  for (std::size_t i = 1; i < known.size(); ++i) simplex.extend(known[i], /*may_enclose=*/false);

  // Squared, of the coordinates that points of D are computed from.
  const double extent = difference.extent();
  double size_sq = std::max(simplex.closest().squaredNorm(), extent * extent);
  if (!known.empty() && simplex.closest_sq() > 0.0) x0 = simplex.closest();
  Momentum momentum(options.solver, x0, simplex.closest());
  bool accelerated = known.empty() && momentum.is_useful();
  // The plane through s across d has the whole of D on its far side: the origin is at least that far away (eq. 19).
  double lower_bound = known.empty() ? x0.dot(simplex.closest()) / x0.norm() : -std::numeric_limits<double>::infinity();
  Vector3d plane = x0;
  const auto finish = [&](Outcome outcome) {
    result.outcome = outcome;
    result.lower_bound = lower_bound;
    result.separating_direction = -plane.normalized();
  };
  // Where GJK stops short of its tolerance: without a separating plane the penetration solver decides.
  const auto has_plane = [&] {
    return lower_bound > 0.0 && lower_bound * lower_bound > kSeparating * kSeparating * size_sq;
  };
  const auto stopped_outcome = [&] { return has_plane() ? Outcome::separated : Outcome::touching; };
  if (lower_bound > options.max_distance) {
    finish(Outcome::beyond);
    return result;
  }

  for (int k = 0; k < options.max_iterations; ++k) {
    const Vector3d x = simplex.closest();
    const double distance_sq = simplex.closest_sq();
    if (distance_sq <= options.touching * options.touching * size_sq) {
      finish(Outcome::touching);
      return result;
    }
    const double distance = std::sqrt(distance_sq);
    if (distance <= options.near_distance) {
      finish(Outcome::near);
      return result;
    }

    if (k == Momentum::kMaxSteps) accelerated = false;
    Vector3d direction = x;
    double direction_norm = distance;
    if (accelerated) {
      direction = momentum.next(x, k);
      direction_norm = direction.norm();
      if (!(direction_norm > 0.0)) {
        accelerated = false;
        direction = x;
        direction_norm = distance;
      }
    }
    result.iterations = k + 1;
    const DifferencePoint s = difference.support(-direction);
    const double bound = direction.dot(s.difference) / direction_norm;
    if (bound > lower_bound) {
      lower_bound = bound;
      plane = direction;
      if (lower_bound > options.max_distance) {
        finish(Outcome::beyond);
        return result;
      }
    }
    if (!accelerated) {
      // Duality gap (eq. 16). The plane across x itself must close it, not one seen earlier: that certifies the normal
      // too.
      if (distance - bound <= std::max(options.tolerance, options.relative_tolerance * distance)) {
        plane = x;
        result.is_coarse = distance - bound > options.tolerance;
        finish(Outcome::separated);
        return result;
      }
    } else {
      // Fixed point: s brings x no nearer (eq. 31, 32); go on without momentum.
      const double least_gain = std::max(Momentum::kLeastGain * distance_sq, options.tolerance * distance);
      if (distance_sq - x.dot(s.difference) <= least_gain) {
        accelerated = false;
        continue;
      }
      momentum.set_support(s.difference);
    }

    size_sq = std::max(size_sq, s.difference.squaredNorm());
    switch (simplex.extend(s, /*may_enclose=*/!has_plane())) {
      case Simplex<DifferencePoint>::Extension::nearer:
        break;
      case Simplex<DifferencePoint>::Extension::encloses:
        finish(Outcome::touching);
        return result;
      case Simplex<DifferencePoint>::Extension::stuck:
        if (!accelerated) {
          finish(stopped_outcome());
          return result;
        }
        accelerated = false;
        break;
    }
  }
  result.at_iteration_limit = true;
  finish(stopped_outcome());
  return result;
}

}  // namespace abut::detail

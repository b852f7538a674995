// Whether two cores come within a distance of each other: GJK that stops at the first proof, either way.
// Source: Montaut et al., "GJK++" (T-RO 2024), Alg. 2 and 4. No witness points are carried and no root is taken.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/momentum.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace abut::detail {

enum class Intersection : std::uint8_t {
  apart,      ///< A plane separates the cores by more than the limit.
  close,      ///< Two points of the cores are within the limit, or a simplex encloses the origin.
  undecided,  ///< Within rounding of the limit, enclosed by a simplex too thin to tell, or out of iterations.
};

struct IntersectionResult {
  Intersection answer = Intersection::undecided;
  int iterations = 0;  ///< 0: the guess decided.
  Vector3d direction;  ///< Frame of a, any length, from b towards a: the normal of the last plane tried.
};

/// A simplex that was farther from the origin than so many roundings before it encloses it is not that thin.
inline constexpr double kThin = 1e9;

/// The origin lies within all four faces of a tetrahedron by more than what rounding has moved them. One whose corners
/// crowd around a point, or lie almost on a line, may seem to hold an origin that is outside.
/// @param rounding  Metres, of each corner.
inline bool encloses_clearly(const Simplex<BareDifferencePoint>& simplex, double rounding) {
  for (int k = 0; k < 4; ++k) {
    const Vector3d& apex = simplex[k].difference;
    const Vector3d& corner = simplex[(k + 1) % 4].difference;
    const Vector3d u = simplex[(k + 2) % 4].difference - corner;
    const Vector3d v = simplex[(k + 3) % 4].difference - corner;
    const Vector3d normal = u.cross(v);
    const double inner = normal.dot(apex - corner);
    const double height = std::copysign(1.0, inner) * -normal.dot(corner);
    if (!(height > 4.0 * rounding * (normal.norm() + (u.norm() + v.norm()) * corner.norm()))) return false;
  }
  return true;
}

/// @param guess         x₀, as of gjk(); after a separating plane its direction ends the query at once.
/// @param solver        gjk or one with momentum: any direction may separate.
/// @param max_distance  The limit, metres, >= 0.
/// @param rounding      Bound on the rounding of distances, metres: cores that are apart by no more are undecided.
template <class Difference>
[[nodiscard]] IntersectionResult intersect(const Difference& difference, const Vector3d& guess, double max_distance,
                                           double rounding, Solver solver, int max_iterations) {
  using Extension = Simplex<BareDifferencePoint>::Extension;
  const double limit_sq = max_distance * max_distance;
  const double thin_sq = (kThin * rounding) * (kThin * rounding);
  IntersectionResult result;
  Vector3d& x = result.direction;
  x = guess.squaredNorm() > 0.0 ? guess : Vector3d(Vector3d::UnitX());
  // The plane through s across x has the whole of D on its far side, at the distance x·s / |x| from the origin.
  const double apart_sq = (max_distance + rounding) * (max_distance + rounding);
  const auto separates = [apart_sq](double along, double x_sq) {
    return along > 0.0 && along * along > apart_sq * x_sq;
  };

  Vector3d s = difference.support(-x).difference;
  if (separates(x.dot(s), x.squaredNorm())) {
    result.answer = Intersection::apart;
    return result;
  }
  Simplex<BareDifferencePoint> simplex({s});
  Momentum momentum(solver, x, s);
  bool accelerated = momentum.is_useful();
  bool is_outside = false;  // a plane has been found, though within the limit
  for (int k = 0; k < max_iterations; ++k) {
    x = simplex.closest();
    double x_sq = simplex.closest_sq();
    if (x_sq <= limit_sq) {
      result.answer = Intersection::close;
      return result;
    }
    result.iterations = k + 1;
    if (k == Momentum::kMaxSteps) accelerated = false;
    if (accelerated) {
      x = momentum.next(x, k);
      x_sq = x.squaredNorm();
    }
    s = difference.support(-x).difference;
    const double along = x.dot(s);
    if (separates(along, x_sq)) {
      result.answer = Intersection::apart;
      return result;
    }
    if (accelerated) {
      const Vector3d& nearest = simplex.closest();
      if (simplex.closest_sq() - nearest.dot(s) <= Momentum::kLeastGain * simplex.closest_sq()) {
        accelerated = false;  // s brings the simplex no nearer
        continue;
      }
      momentum.set_support(s);
    }
    is_outside = is_outside || (along > 0.0 && along * along > rounding * rounding * x_sq);
    const bool may_be_thin = simplex.closest_sq() <= thin_sq;
    switch (simplex.extend({s}, /*may_enclose=*/!is_outside)) {
      case Extension::nearer:
        break;
      case Extension::encloses:
        if (!may_be_thin || encloses_clearly(simplex, rounding)) result.answer = Intersection::close;
        return result;
      case Extension::stuck:
        if (!accelerated) return result;
        accelerated = false;
        break;
    }
  }
  return result;
}

}  // namespace abut::detail

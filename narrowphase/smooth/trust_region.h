// Riemannian trust region on the unit sphere: a local minimum of h_D.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework", Alg. 2
// with the retraction (x + v) / |x + v| and the stopping test (13).
//
// A stationary point with h_D < 0 is the global minimum: h_D is convex, and over the unit ball its minimum then lies on
// the sphere. With h_D >= 0 it may be a local one; tangent_ball.h and depth_proof.h tell.
#pragma once

#include <abut/narrowphase/smooth/eigenvalues.h>
#include <abut/narrowphase/smooth/smooth_difference.h>
#include <abut/narrowphase/smooth/trust_region_step.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {

struct TrustRegionOptions {
  /// Stop when the tangential gradient is this short, metres (ε_g of eq. 13), and promises no more than `gap`, metres.
  double gradient = 0.0;
  double gap = std::numeric_limits<double>::infinity();
  double rounding = 0.0;                                         ///< Bound on the rounding of h_D, metres.
  double stop_below = -std::numeric_limits<double>::infinity();  ///< Stop when h_D is less, metres.
  int max_iterations = 64;
  Subproblem subproblem = Subproblem::exact;
};

struct TrustRegionResult {
  DifferenceExpansion at;
  int iterations = 0;  ///< Expansions after the first.
  bool converged = false;
};

/// Whether the gradient and the Riemannian Hessian are those of a local minimum, as far as asked or as rounding allows.
[[nodiscard]] inline bool is_stationary(const DifferenceExpansion& at, const TrustRegionOptions& options) {
  const double gradient_sq = at.gradient.squaredNorm();
  if (gradient_sq > options.gradient * options.gradient) return false;
  // No eigenvalue may be negative but by rounding (ε_H of eq. 13).
  const double smallest = 0.5 * (at.uu + at.vv) - at.height - eigenvalue_spread(at.uu, at.uv, at.vv);
  if (smallest < -options.rounding) return false;
  constexpr double kFloor = 4.0;
  if (gradient_sq <= kFloor * kFloor * options.rounding * options.rounding) return true;
  // Apart, the support points bound the distance from above; else the quadratic model tells.
  if (at.height < 0.0) return std::sqrt(at.height * at.height + gradient_sq) + at.height <= options.gap;
  return gradient_sq <= 2.0 * options.gap * smallest;
}

/// @param start  Unit, frame of a.
template <class Difference>
[[nodiscard]] TrustRegionResult minimise_height(const Difference& difference, const Vector3d& start,
                                                const TrustRegionOptions& options) {
  constexpr double kFirstRadius = 0.7;  // of the tangent plane: tan of the angle
  constexpr double kLargestRadius = 3.0;
  constexpr double kAcceptedRatio = 0.1;  // ρ'
  TrustRegionResult result;
  result.at = difference.expansion(start);
  double radius = kFirstRadius;
  while (true) {
    const DifferenceExpansion& at = result.at;
    if (at.height < options.stop_below) return result;
    const QuadraticModel model{at.gradient, at.uu - at.height, at.uv, at.vv - at.height};
    if (is_stationary(at, options)) {
      result.converged = true;
      return result;
    }
    if (result.iterations == options.max_iterations) return result;
    const Vector2d step = trust_region_step(model, radius, options.subproblem);
    const double predicted = -model.at(step);
    // Neither the model nor h_D promises anything that rounding would not hide.
    if (!(predicted > 0.0) || radius < 1e-12) return result;
    const Vector3d moved = at.frame.normal + step.x() * at.frame.u + step.y() * at.frame.v;
    const DifferenceExpansion next = difference.expansion(moved / std::sqrt(1.0 + step.squaredNorm()));
    ++result.iterations;
    const double ratio = (at.height - next.height + options.rounding) / (predicted + options.rounding);
    if (ratio < 0.25) {
      radius *= 0.25;
    } else if (ratio > 0.75) {
      radius = std::min(2.0 * radius, kLargestRadius);
    }
    if (ratio > kAcceptedRatio) {
      // Where the promised gain is rounding, the gradient judges: it must shrink.
      const bool is_stuck = predicted <= options.rounding && !(next.gradient.squaredNorm() < at.gradient.squaredNorm());
      if (!is_stuck) result.at = next;
      if (is_stuck) return result;
    }
  }
}

}  // namespace abut::detail

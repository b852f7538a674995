// A reason to call a local minimum of the depth global: a ball.
//
// At a stationary n with depth d > 0 the point d n lies on the surface of D = A - B. If D contains a ball of radius
// ρ >= d that touches the surface there, then h_D(x) >= d x·n + ρ (1 - x·n) >= d for all x: no direction is better.
// With the radii of curvature in place of ρ this is the bound of Theorem 1 of An et al.; tangent balls reach much
// deeper.
//
// Each body has a tangent ball of its own (inner_ball.h), and the radii add. A better bound comes from an ellipsoid
// within the sum: for any orthogonal Q, |L_Aᵀ x| + |L_Bᵀ x| >= |(Q L_Aᵀ + L_Bᵀ) x|, W = L Lᵀ, with equality at n when Q
// turns L_Aᵀ n to L_Bᵀ n; see Kurzhanski and Valyi, "Ellipsoidal Calculus for Estimation and Control" (1997), on inner
// approximations of sums.
#pragma once

#include <abut/narrowphase/smooth/smooth_difference.h>

namespace abut::detail {

/// A ball smaller than the depth by this fraction of it still serves: no direction is better by more than twice as
/// much.
inline constexpr double kBallRounding = 2e-13;

/// A lower bound of the radius of the largest ball within D that touches its surface where the normal is
/// `at.frame.normal`, metres; >= 0. Where the first bound does not reach `enough`, the second is tried, for as much, or
/// for less by kBallRounding.
[[nodiscard]] double tangent_ball_radius(const AnySmoothDifference& difference, const DifferenceExpansion& at,
                                         double enough);

}  // namespace abut::detail

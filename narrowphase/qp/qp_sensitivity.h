// How the nearest points of two flat cores move with the bodies: the sensitivity of the quadratic program.
// Source: Tracy et al., "DiffPills", section II-C, eq. 13-17, 27, 28, 33 and 34; Amos and Kolter, "OptNet".
//
// As printed, eq. 17 multiplies by the KKT matrix where it must be divided by, and (13), (14), (16) mix signs and
// transposes. Differentiating (3) and (4) gives
//     [ P       Gᵀ         ] [δx]     [ δP x + δc + δGᵀ λ  ]
//     [ D(λ) G  D(Gx - h)  ] [δλ] = - [ D(λ) (δG x - δh)   ].
// Rows without force that have slack drop out (δλ = 0); rows with force hold with equality. So with V the columns of F
// along the directions that the active rows leave free, w = p_a - p_b, and the active rows moving with their body,
//     VᵀV δy = -(Vᵀ δw + δVᵀ w),
// where δw is what the motion of the bodies does to w with both points fixed to their bodies. V is known by the
// features alone and has at most two columns where the nearest points are unique.
#pragma once

#include <abut/narrowphase/proximity.h>

#include <Eigen/Core>

namespace abut::detail {

/// One body at the solution. World axes.
struct BodyAtSolution {
  Vector3d arm;  ///< From the origin of the body's frame to the nearest point of the core.
  Vector3d u;    ///< Directions in which the active rows leave that point free, orthonormal.
  Vector3d v;
  Vector3d end;  ///< How that point moves with the half length: ± the axis at an end, else zero.
  double radius = 0.0;
  int free_count = 0;            ///< Of u and v: the dimension of the feature that the point is on.
  bool is_strict = true;         ///< No row is both active and without force, nor nearly so.
  bool would_lie_level = false;  ///< A segment of no length across the normal.
};

/// @param normal    Unit, from a to b.
/// @param distance  Of the cores, metres; 0 where they touch: the normal then counts as fixed.
void set_sensitivity(const BodyAtSolution& a, const BodyAtSolution& b, const Vector3d& normal, double distance,
                     ProximityDerivatives& result);

}  // namespace abut::detail

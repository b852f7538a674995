// Two variables between 0 and 1: the nearest points of two segments as a quadratic program, with its duals.
// Source: Tracy et al., "DiffPills", eq. 25, 26 and 40, Algorithms 4 and 5.
#pragma once

#include <Eigen/Core>

namespace abut::detail {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Minimise ½ |F x + r|² over 0 <= x <= 1: P = FᵀF and c = Fᵀr. The columns of F are taken instead of P, whose
/// determinant would lose the angle between nearly parallel segments.
struct BoxQp {
  Vector3d first = Vector3d::Zero();  ///< F's columns, metres; zero for a segment without length.
  Vector3d second = Vector3d::Zero();
  Vector3d offset = Vector3d::Zero();  ///< r
};

struct BoxQpSolution {
  Vector2d x = Vector2d::Zero();
  /// F x + r.
  Vector3d residual = Vector3d::Zero();
  /// Unit columns of F are parallel to rounding, or one is zero: x is one of several solutions.
  bool is_parallel = false;
};

/// The solution; for parallel columns the middle of the solutions. Finite for finite input whose squares are.
[[nodiscard]] BoxQpSolution solve_box_qp(const BoxQp& qp);

/// Of x₁ <= 1, x₂ <= 1, -x₁ <= 0, -x₂ <= 0, in that order (Algorithm 5; the sign of the gradient says which bound holds
/// it, at exactly the bounds that x is on).
[[nodiscard]] Eigen::Vector4d box_qp_duals(const BoxQp& qp, const BoxQpSolution& solution);

}  // namespace abut::detail

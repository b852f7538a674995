// Newton's method for the nearest points of two anchored convex sets (see nearest_in_product.h) with support functions
// that have second derivatives.
//
// With v = y + offset - x, the minimum x is the support point of A along p = v - weight_a x, and y that of B along
// q = -v - weight_b y. Newton's method on these three equations in v, p and q: the steps of p and q are linear in that
// of v, for which there remains one positive definite system of three unknowns. A point in the inside of its set has
// p = 0, where the support function has no derivative; it is x = v / weight_a instead.
#pragma once

#include <abut/core/shapes/support_expansion.h>
#include <abut/narrowphase/nearest_in_product.h>

#include <Eigen/Core>
#include <Eigen/LU>

#include <limits>

namespace abut::detail {

/// One set in Newton's method.
struct NewtonSide {
  bool is_inside = false;                 ///< The point lies in the inside of the set.
  double weight = 0.0;                    ///< Of the spring.
  Vector3d direction = Vector3d::Zero();  ///< p or q.
  Vector3d point = Vector3d::Zero();      ///< x or y, about the set's centre.
  Vector3d rest = Vector3d::Zero();       ///< What its equation lacks.
  Matrix3d turn = Matrix3d::Zero();       ///< Change of the direction with the pull.
  Matrix3d slope = Matrix3d::Zero();      ///< Change of the point with the pull.

  /// There is a support point to ask for. False for what overflows and for NaN.
  [[nodiscard]] bool is_regular() const {
    const double length_sq = direction.squaredNorm();
    return is_inside ? weight > 0.0 : 0.0 < length_sq && length_sq < std::numeric_limits<double>::infinity();
  }
  /// @param pull    v for A, -v for B.
  /// @param expand  The support function about the centre, to second order: SupportExpansion(const Vector3d&).
  template <class Expand>
  void evaluate(const Vector3d& pull, const Expand& expand) {
    if (is_inside) {
      point = pull / weight;
      slope = Matrix3d::Identity() / weight;
      return;
    }
    const SupportExpansion at = expand(direction);
    point = at.point;
    rest = pull - weight * point - direction;
    turn = (Matrix3d::Identity() + weight * at.hessian).inverse();
    slope = at.hessian * turn;
  }
  void advance(const Vector3d& pull_step) {
    if (!is_inside) direction += turn * (pull_step + rest);
  }
};

/// Improves x and y. Where Newton's method does not converge they are left as they are, or at some other points of the
/// two sets; a point that is_inside may leave its set: the caller judges.
/// @param expand_a, expand_b  The support functions about the centres: SupportExpansion(const Vector3d&).
/// @return The number of steps.
template <class ExpandA, class ExpandB>
int newton_in_product(const AnchoredPair& pair, const ExpandA& expand_a, const ExpandB& expand_b, bool is_inside_a,
                      bool is_inside_b, Vector3d& x, Vector3d& y) {
  constexpr int kMaxSteps = 12;
  Vector3d v = (y - x) + pair.offset;
  NewtonSide a{is_inside_a, pair.weight_a, v - pair.weight_a * x};
  NewtonSide b{is_inside_b, pair.weight_b, -v - pair.weight_b * y};
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxSteps; ++k) {
    if (!a.is_regular() || !b.is_regular()) return k;
    a.evaluate(v, expand_a);
    b.evaluate(-v, expand_b);
    const Vector3d rest = (b.point - a.point) + pair.offset - v;
    const double residual = a.rest.squaredNorm() + b.rest.squaredNorm() + rest.squaredNorm();
    // Far from the minimum the first step may lose a little; from then on each must win. NaN ends it too.
    if (!(residual < (k < 2 ? 4.0 * least : 0.25 * least))) return k + 1;
    if (residual < least) {
      least = residual;
      x = a.point;
      y = b.point;
    }
    const Matrix3d system = Matrix3d::Identity() + a.slope + b.slope;
    const Vector3d step = system.inverse() * (rest + b.slope * b.rest - a.slope * a.rest);
    v += step;
    a.advance(step);
    b.advance(-step);
  }
  return kMaxSteps;
}

}  // namespace abut::detail

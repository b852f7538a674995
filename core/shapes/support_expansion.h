// The support function of a smooth core around a direction, to second order.
#pragma once

#include <Eigen/Core>

#include <cmath>

namespace abut {

/// h, its gradient and its Hessian at a direction x, of any length but zero. h is positively homogeneous, hence
/// value = x·point and hessian · x = 0; on the plane across x the eigenvalues of |x| · hessian are the radii of
/// curvature at the support point, metres.
struct SupportExpansion {
  double value = 0.0;                                 ///< h(x); metres for a unit x.
  Eigen::Vector3d point = Eigen::Vector3d::Zero();    ///< ∇h(x), the support point, metres.
  Eigen::Matrix3d hessian = Eigen::Matrix3d::Zero();  ///< ∇²h(x), symmetric, positive semidefinite.
};

namespace detail {

/// Squares of lengths of directions that expansions take as they are; their products stay clear of the ends of the
/// range of doubles.
inline bool has_plain_length(double length_sq) {
  return 1e-200 < length_sq && length_sq < 1e200;
}

/// The expansion at a direction of any length but zero, from that at one whose longest coordinate is in [1, 2). The
/// scale is a power of two, which rounds nothing. Where 1 / |x| overflows so does the Hessian.
/// @param expand  Takes a direction, returns its SupportExpansion.
template <class Expand>
[[gnu::noinline]] SupportExpansion expand_rescaled(const Eigen::Vector3d& direction, const Expand& expand) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!(largest > 0.0)) return expand(direction);
  const int exponent = std::ilogb(largest);
  const auto scaled = [](double value, int by) { return std::scalbn(value, by); };
  SupportExpansion result =
      expand(Eigen::Vector3d(direction.unaryExpr([&](double value) { return scaled(value, -exponent); })));
  result.value = scaled(result.value, exponent);
  result.hessian = result.hessian.unaryExpr([&](double value) { return scaled(value, -exponent); }).eval();
  return result;
}

}  // namespace detail
}  // namespace abut

// The Minkowski difference D = A - B of two smooth cores, in the frame of a, to second order around a unit direction.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework", section
// III, eq. 8 and 10 to 12; there D = B - A and directions point from b to a.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/smooth/smooth_core.h>

namespace abut::detail {

/// The restriction of h_D to the unit sphere around `frame.normal`; frame of a. Minus its least value is the signed
/// distance of the cores, and the direction of that is the normal from a to b.
struct DifferenceExpansion {
  TangentFrame frame;
  double height = 0.0;                     ///< h_D(normal), metres.
  Vector3d on_a = Vector3d::Zero();        ///< Support point of a, metres.
  Vector3d difference = Vector3d::Zero();  ///< Support point of D, ∇h_D.
  Vector2d gradient = Vector2d::Zero();    ///< Along u and v: how far the support points are from being opposite.
  /// Of ∇²h_D along u and v, positive semidefinite: the curvature of the surface of D. The Riemannian Hessian (eq. 12)
  /// has `height` subtracted from its diagonal.
  double uu = 0.0;
  double uv = 0.0;
  double vv = 0.0;

  [[nodiscard]] Vector3d on_b() const { return on_a - difference; }
};

/// @tparam A, B  TypedSmoothCore or SmoothCore.
template <class A, class B>
class SmoothDifference : public MinkowskiDifference<A, B> {
 public:
  using MinkowskiDifference<A, B>::MinkowskiDifference;

  /// @param normal  Unit.
  [[nodiscard, gnu::always_inline]] DifferenceExpansion expansion(const Vector3d& normal) const {
    DifferenceExpansion result;
    result.frame = tangent_frame(normal);
    const Pose& a_from_b = this->a_from_b();
    const TangentFrame& frame = result.frame;
    const TangentFrame frame_b{-a_from_b.unrotate(normal), a_from_b.unrotate(frame.u), a_from_b.unrotate(frame.v)};
    const TangentExpansion a = this->a().expansion(frame);
    const TangentExpansion b = this->b().expansion(frame_b);
    result.on_a = a.point;
    result.difference = a.point - a_from_b * b.point;
    result.height = normal.dot(result.difference);
    result.gradient = {frame.u.dot(result.difference), frame.v.dot(result.difference)};
    result.uu = a.uu + b.uu;
    result.uv = a.uv + b.uv;
    result.vv = a.vv + b.vv;
    return result;
  }
};

using AnySmoothDifference = SmoothDifference<SmoothCore, SmoothCore>;

}  // namespace abut::detail

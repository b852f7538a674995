// How flat the surface of a smooth core is at least, for all normals near a given one.
//
// The bodies here are weighted norms of linear forms, h = ‖(pᵢ·x)‖_q, whose Hessian at x is the least over α of
// (q - 1)/h Σ tᵢ^(q-2) (pᵢ·(w + αx))² in a direction w, tᵢ = pᵢ·x / h. The weights change by a bounded factor when x
// does, which bounds the Hessian on a whole disc of directions from what is known at its centre.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/smooth/tangent_frame.h>

namespace abut::detail {

/// The largest exponent q among a body's norms: how fast its curvature changes with the direction.
[[nodiscard]] inline double norm_exponent(const Sphere& /*shape*/) {
  return 2.0;
}
[[nodiscard]] inline double norm_exponent(const Ellipsoid& /*shape*/) {
  return 2.0;
}
[[nodiscard]] inline double norm_exponent(const Superquadric& shape) {
  return 2.0 / (2.0 - shape.exponents().maxCoeff());
}
[[nodiscard]] inline double norm_exponent(const SmoothHull& shape) {
  return shape.sharpness();
}
[[nodiscard]] inline double norm_exponent(const SmoothRevolution& shape) {
  return shape.sharpness();
}

/// A symmetric G with wᵀ ∇²h(x) w >= wᵀ G w for all w = a u + b v and all x = normal + y₁ u + y₂ v, |y| <= `tangent`;
/// in the basis of the frame, metres. @param tangent  tan of the angle, > 0 and below 1.
[[nodiscard]] Matrix2d curvature_bound(const Sphere& shape, const TangentFrame& at, double tangent);
[[nodiscard]] Matrix2d curvature_bound(const Ellipsoid& shape, const TangentFrame& at, double tangent);
[[nodiscard]] Matrix2d curvature_bound(const Superquadric& shape, const TangentFrame& at, double tangent);
[[nodiscard]] Matrix2d curvature_bound(const SmoothHull& shape, const TangentFrame& at, double tangent);
[[nodiscard]] Matrix2d curvature_bound(const SmoothRevolution& shape, const TangentFrame& at, double tangent);

}  // namespace abut::detail

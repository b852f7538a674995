// The core of a smooth convex shape as the trust region sees it: its support function to second order.
//
// Only second derivatives across the direction matter, in a basis of the plane that is tangent to the unit sphere
// there. As with ConvexCore there are two types with the same members: TypedSmoothCore knows its shape, SmoothCore
// holds any smooth shape behind pointers.
#pragma once

#include <abut/core/shape.h>
#include <abut/core/shapes/support_expansion.h>
#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/smooth/curvature_bound.h>
#include <abut/narrowphase/smooth/inner_ball.h>
#include <abut/narrowphase/smooth/inner_ellipsoid.h>
#include <abut/narrowphase/smooth/tangent_frame.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <variant>

namespace abut::detail {

/// A shape whose support function has second derivatives (some shapes of the type may not: is_twice_differentiable()).
template <class G>
concept SmoothGeometry = ConvexGeometry<G> && requires(const G& shape, const Vector3d& direction) {
  { shape.core_expansion(direction) } -> std::same_as<SupportExpansion>;
  { shape.is_twice_differentiable() } -> std::same_as<bool>;
};

/// h, its gradient and the part of its Hessian in a tangent plane, at a unit direction.
struct TangentExpansion {
  double value = 0.0;                 ///< Metres.
  Vector3d point = Vector3d::Zero();  ///< The support point, metres.
  double uu = 0.0;                    ///< Second derivatives along u and v, metres.
  double uv = 0.0;
  double vv = 0.0;
};

template <SmoothGeometry G>
[[nodiscard]] TangentExpansion expand(const G& shape, const TangentFrame& at) {
  const SupportExpansion full = shape.core_expansion(at.normal);
  const Vector3d hu = full.hessian * at.u;
  const Vector3d hv = full.hessian * at.v;
  return {full.value, full.point, at.u.dot(hu), at.u.dot(hv), at.v.dot(hv)};
}

/// h(x) = |R x| with R = diag(radii): ∇h = R² x / h, ∇²h = (R² - ∇h ∇hᵀ) / h.
[[nodiscard, gnu::always_inline]] inline TangentExpansion expand(const Ellipsoid& shape, const TangentFrame& at) {
  const Vector3d& radii = shape.radii();
  const Vector3d n = radii.cwiseProduct(at.normal);
  const Vector3d u = radii.cwiseProduct(at.u);
  const Vector3d v = radii.cwiseProduct(at.v);
  const double value = std::sqrt(n.squaredNorm());
  const double inverse = 1.0 / value;
  const double nu = n.dot(u) * inverse;
  const double nv = n.dot(v) * inverse;
  return {value, radii.cwiseProduct(n) * inverse, (u.squaredNorm() - nu * nu) * inverse, (u.dot(v) - nu * nv) * inverse,
          (v.squaredNorm() - nv * nv) * inverse};
}

/// The core of a sphere is its centre.
[[nodiscard]] inline TangentExpansion expand(const Sphere& /*shape*/, const TangentFrame& /*at*/) {
  return {};
}

/// Refers to a shape that outlives it.
template <SmoothGeometry G>
class TypedSmoothCore : public TypedCore<G> {
 public:
  using TypedCore<G>::TypedCore;

  [[nodiscard, gnu::always_inline]] TangentExpansion expansion(const TangentFrame& at) const {
    return expand(this->geometry(), at);
  }
};

/// Any smooth shape, which outlives it; a few words, copied freely.
class SmoothCore : public ConvexCore {
 public:
  template <SmoothGeometry G>
  SmoothCore(const G& geometry, double margin)
      : ConvexCore(geometry, margin),
        geometry_(&geometry),
        norm_exponent_(detail::norm_exponent(geometry)),
        expand_(&expansion_of<G>),
        full_expansion_(&full_expansion_of<G>),
        inner_ball_(&inner_ball_of<G>),
        inner_ellipsoid_(&inner_ellipsoid_of<G>),
        curvature_bound_(&curvature_bound_of<G>) {}

  template <SmoothGeometry G>
  explicit SmoothCore(const TypedSmoothCore<G>& core)
      : SmoothCore(core.geometry(), core.radius() - core.geometry().sweep_radius()) {}

  [[nodiscard]] TangentExpansion expansion(const TangentFrame& at) const { return expand_(geometry_, at); }
  /// In all of space. @param direction  Not zero, body frame.
  [[nodiscard]] SupportExpansion full_expansion(const Vector3d& direction) const {
    return full_expansion_(geometry_, direction);
  }
  /// See inner_ball.h.
  [[nodiscard]] double inner_ball_radius(const Vector3d& normal) const { return inner_ball_(geometry_, normal); }
  /// See inner_ellipsoid.h.
  [[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const Vector3d& normal) const {
    return inner_ellipsoid_(geometry_, normal);
  }
  /// See curvature_bound.h.
  [[nodiscard]] double norm_exponent() const { return norm_exponent_; }
  [[nodiscard]] Matrix2d curvature_bound(const TangentFrame& at, double tangent) const {
    return curvature_bound_(geometry_, at, tangent);
  }

 private:
  template <SmoothGeometry G>
  static TangentExpansion expansion_of(const void* geometry, const TangentFrame& at) {
    return expand(*static_cast<const G*>(geometry), at);
  }
  template <SmoothGeometry G>
  static SupportExpansion full_expansion_of(const void* geometry, const Vector3d& direction) {
    return static_cast<const G*>(geometry)->core_expansion(direction);
  }
  template <SmoothGeometry G>
  static double inner_ball_of(const void* geometry, const Vector3d& normal) {
    return detail::inner_ball_radius(*static_cast<const G*>(geometry), normal);
  }
  template <SmoothGeometry G>
  static std::optional<Matrix3d> inner_ellipsoid_of(const void* geometry, const Vector3d& normal) {
    return detail::inner_ellipsoid(*static_cast<const G*>(geometry), normal);
  }
  template <SmoothGeometry G>
  static Matrix2d curvature_bound_of(const void* geometry, const TangentFrame& at, double tangent) {
    return detail::curvature_bound(*static_cast<const G*>(geometry), at, tangent);
  }

  const void* geometry_;
  double norm_exponent_;
  TangentExpansion (*expand_)(const void* geometry, const TangentFrame& at);
  SupportExpansion (*full_expansion_)(const void* geometry, const Vector3d& direction);
  double (*inner_ball_)(const void* geometry, const Vector3d& normal);
  std::optional<Matrix3d> (*inner_ellipsoid_)(const void* geometry, const Vector3d& normal);
  Matrix2d (*curvature_bound_)(const void* geometry, const TangentFrame& at, double tangent);
};

/// The core of a shape with a support function that has second derivatives in most directions; it refers to the shape.
[[nodiscard]] inline std::optional<SmoothCore> curved_core(const Shape& shape) {
  return std::visit(
      [&shape]<class G>(const G& geometry) -> std::optional<SmoothCore> {
        if constexpr (SmoothGeometry<G>) return SmoothCore(geometry, shape.margin());
        return std::nullopt;
      },
      shape.geometry());
}

/// The same of a shape that has them in all directions, as the trust region asks.
[[nodiscard]] inline std::optional<SmoothCore> smooth_core(const Shape& shape) {
  return std::visit(
      [&shape]<class G>(const G& geometry) -> std::optional<SmoothCore> {
        if constexpr (SmoothGeometry<G>) {
          if (geometry.is_twice_differentiable()) return SmoothCore(geometry, shape.margin());
        }
        return std::nullopt;
      },
      shape.geometry());
}

}  // namespace abut::detail

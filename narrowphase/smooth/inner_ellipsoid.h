// Ellipsoids inside smooth bodies that touch them from within.
//
// For the bodies here h² is a supremum of quadratic forms: of a q-norm with q >= 2, ‖y‖_q² = max over weights of
// Σ wᵢ yᵢ² (duality of the q/2-norm). Holding the weights that are best for one direction n gives a W with
// h(x) >= √(xᵀ W x) for all x and equality at x = n: an ellipsoid about the origin, inside the body and tangent to it
// where the normal is n.
#pragma once

#include <abut/core/shape.h>

#include <optional>

namespace abut::detail {

/// W of the ellipsoid of a core that is tangent to it at the support point of `normal` (unit, body frame); m². Nothing
/// where there is none about the origin.
[[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const Sphere& shape, const Vector3d& normal);
[[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const Ellipsoid& shape, const Vector3d& normal);
[[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const Superquadric& shape, const Vector3d& normal);
[[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const SmoothHull& shape, const Vector3d& normal);
[[nodiscard]] std::optional<Matrix3d> inner_ellipsoid(const SmoothRevolution& shape, const Vector3d& normal);

}  // namespace abut::detail

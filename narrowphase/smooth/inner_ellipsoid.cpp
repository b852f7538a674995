#include <abut/narrowphase/smooth/inner_ellipsoid.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {

std::optional<Matrix3d> inner_ellipsoid(const Sphere& /*shape*/, const Vector3d& /*normal*/) {
  return Matrix3d::Zero();
}

std::optional<Matrix3d> inner_ellipsoid(const Ellipsoid& shape, const Vector3d& /*normal*/) {
  return Matrix3d(shape.radii().cwiseAbs2().asDiagonal());
}

// ∇h = W n / h with a diagonal W: each entry can be read off.
std::optional<Matrix3d> inner_ellipsoid(const Superquadric& shape, const Vector3d& normal) {
  if (!shape.is_twice_differentiable()) return std::nullopt;
  const Vector3d point = shape.core_support(normal);
  const double value = normal.dot(point);
  Vector3d diagonal = Vector3d::Zero();
  for (int i = 0; i < 3; ++i) {
    // Where a coordinate vanishes its weight does too, but for an ellipse's; leaving it out is on the safe side.
    if (normal[i] != 0.0) diagonal[i] = std::max(0.0, value * point[i] / normal[i]);
  }
  return Matrix3d(diagonal.asDiagonal());
}

// The points come in opposite pairs, which make one term |p·x| of the norm each. ∇²h = (β - 1) (W - ∇h ∇hᵀ) / h.
std::optional<Matrix3d> inner_ellipsoid(const SmoothHull& shape, const Vector3d& normal) {
  if (!shape.is_centrally_symmetric()) return std::nullopt;
  const SupportExpansion at = shape.core_expansion(normal);
  return Matrix3d(at.point * at.point.transpose() + (at.value / (shape.sharpness() - 1.0)) * at.hessian);
}

// With w = |Γ x|, Γ = diag(1, 1, √γ), a term is ρ w + z x₃. The profile is its own mirror image, so that h is even in
// x₃: let x₃ and n₃ be >= 0. Then
//   - w x₃ >= (Γn · Γx) x₃ / |Γn|, with equality at n, turns mixed terms into quadratic forms;
//   - terms with z < 0 count only while positive: with a = ρ w, b = |z| x₃ and their ratio k at n,
//     max(a - b, 0)² >= (1 - k²) a² - 2 (1 - k) a b, the tangent at n.
std::optional<Matrix3d> inner_ellipsoid(const SmoothRevolution& shape, const Vector3d& normal) {
  if (!shape.is_symmetric()) return std::nullopt;
  const double value = normal.dot(shape.core_support(normal));
  const Vector3d gamma(1.0, 1.0, shape.flatness());
  const Vector3d scaled = gamma.cwiseProduct(normal);
  const double w = std::sqrt(normal.dot(scaled));
  const double height = std::abs(normal.z());
  if (!(value > 0.0 && w > 0.0)) return std::nullopt;
  double ww = 0.0;
  double wz = 0.0;
  double zz = 0.0;
  for (const Eigen::Vector2d& point : shape.profile()) {
    const double radius = point.x();
    const double z = std::copysign(1.0, normal.z()) * point.y();
    const double term = radius * w + z * height;
    if (!(term > 0.0)) continue;
    const double weight = std::pow(term / value, shape.sharpness() - 2.0);
    if (z >= 0.0) {
      ww += weight * radius * radius;
      wz += weight * radius * z;
      zz += weight * z * z;
    } else {
      const double ratio = -z * height / (radius * w);
      ww += weight * (1.0 - ratio * ratio) * radius * radius;
      wz += weight * (1.0 - ratio) * radius * z;
    }
  }
  const Vector3d mixed = (std::copysign(std::max(0.0, wz), normal.z()) / w) * scaled;
  Matrix3d result = (ww * gamma).asDiagonal();
  result.col(2) += mixed;
  result.row(2) += mixed.transpose();
  result(2, 2) += zz;
  return result;
}

}  // namespace abut::detail

#include <abut/narrowphase/smooth/eigenvalues.h>
#include <abut/narrowphase/smooth/inner_ball.h>
#include <abut/narrowphase/smooth/inner_ellipsoid.h>

#include <cmath>
#include <optional>

namespace abut::detail {
namespace {

double within_ellipsoid(const Matrix3d& gram, const Vector3d& normal) {
  const double value_sq = normal.dot(gram * normal);
  return value_sq > 0.0 ? std::max(0.0, smallest_eigenvalue(gram)) / std::sqrt(value_sq) : 0.0;
}

// Cosine and sine of the angle around the normal within which the ellipsoid bounds h.
constexpr double kFrontCosine = 0.7071067811865475;
constexpr double kFrontSine = 0.7071067811865476;

// W with h(x) >= √(xᵀ W x) for all x within 45 degrees of the normal, and equality there. Points that are ahead of all
// these x count in full. Of the others the term t₊², t = p·x, is at least 2 t(n) t(x) (n·x) - t(n)² (n·x)², its
// tangent.
Matrix3d front_ellipsoid(const SmoothHull& shape, const Vector3d& normal, double value) {
  Matrix3d gram = Matrix3d::Zero();
  for (const Vector3d& point : shape.points()) {
    const double along = point.dot(normal);
    if (!(along > 0.0)) continue;
    const double weight = std::pow(along / value, shape.sharpness() - 2.0);
    if (along >= kFrontSine * point.norm()) {
      gram += weight * point * point.transpose();
    } else {
      const Matrix3d mixed = point * normal.transpose();
      gram += weight * along * (mixed + mixed.transpose() - along * normal * normal.transpose());
    }
  }
  return gram;
}

// The largest q·x over unit x that are at least 45 degrees from the normal.
double reach_beside(const Vector3d& q, const Vector3d& normal) {
  const double length = q.norm();
  const double along = q.dot(normal);
  if (along <= kFrontCosine * length) return length;
  const double across = std::sqrt(std::max(0.0, length * length - along * along));
  return kFrontCosine * along + kFrontSine * across;
}

}  // namespace

double inner_ball_radius(const Superquadric& shape, const Vector3d& normal) {
  const std::optional<Matrix3d> gram = inner_ellipsoid(shape, normal);
  if (!gram) return 0.0;
  return gram->diagonal().minCoeff() / std::sqrt(normal.dot(*gram * normal));  // diagonal
}

double inner_ball_radius(const SmoothRevolution& shape, const Vector3d& normal) {
  const std::optional<Matrix3d> gram = inner_ellipsoid(shape, normal);
  return gram ? within_ellipsoid(*gram, normal) : 0.0;
}

double inner_ball_radius(const SmoothHull& shape, const Vector3d& normal) {
  if (const std::optional<Matrix3d> gram = inner_ellipsoid(shape, normal)) return within_ellipsoid(*gram, normal);
  const Vector3d support = shape.core_support(normal);
  const double value = normal.dot(support);
  if (!(value > 0.0)) return 0.0;
  // The ball of radius ρ about q = p - ρ n: near n by the ellipsoid, elsewhere q·x + ρ must not exceed the inner
  // radius.
  const double in_front = within_ellipsoid(front_ellipsoid(shape, normal, value), normal);
  for (const double share : {1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08}) {
    const double radius = share * in_front;
    if (reach_beside(support - radius * normal, normal) + radius <= shape.inner_radius()) return radius;
  }
  return 0.0;
}

}  // namespace abut::detail

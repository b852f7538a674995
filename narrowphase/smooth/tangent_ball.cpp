#include <abut/narrowphase/smooth/eigenvalues.h>
#include <abut/narrowphase/smooth/tangent_ball.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace abut::detail {
namespace {

// What the minors do not refuse is worth an eigenvalue.
constexpr double kNearlyEnough = 1.0 - 1e-12;

// L with L Lᵀ = W, or nothing but rounding less: a lower triangle, row by row.
Matrix3d factor(const Matrix3d& gram) {
  Matrix3d l = Matrix3d::Zero();
  const double least = kEigenvalueRounding * gram.diagonal().maxCoeff();
  for (int j = 0; j < 3; ++j) {
    const double pivot = gram(j, j) - l.row(j).head(j).squaredNorm();
    if (!(pivot > least)) continue;  // flat in that direction
    l(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < 3; ++i) l(i, j) = (gram(i, j) - l.row(i).head(j).dot(l.row(j).head(j))) / l(j, j);
  }
  return l;
}

Matrix3d symmetric_product(const Vector3d& p, const Vector3d& q) {
  const Matrix3d product = p * q.transpose();
  return product + product.transpose();
}

// Whether m - shift I is positive definite, by its leading minors: with bodies about one centre one eigenvalue is the
// shift itself, and what the minors say is rounding, whatever the other eigenvalues are.
bool seems_to_exceed(const Matrix3d& m, double shift) {
  const double a = m(0, 0) - shift;
  const double b = m(1, 1) - shift;
  const double c = m(2, 2) - shift;
  const double minor = a * b - m(0, 1) * m(0, 1);
  const double determinant =
      c * minor - a * m(1, 2) * m(1, 2) - b * m(0, 2) * m(0, 2) + 2.0 * m(0, 1) * m(0, 2) * m(1, 2);
  return a > 0.0 && minor > 0.0 && determinant > 0.0;
}

// SᵀS of S = Q L_Aᵀ + L_Bᵀ for all rotations (or reflections) Q with Q a = b, a and b the unit vectors along L_Aᵀ n and
// L_Bᵀ n. An angle is free: constant + cos ψ · cosine + sin ψ · sine.
struct SumsOfEllipsoids {
  Matrix3d constant;
  Matrix3d cosine;
  Matrix3d sine;

  SumsOfEllipsoids(const Matrix3d& l_a, const Matrix3d& l_b, const Vector3d& normal, double orientation) {
    const TangentFrame a = tangent_frame((l_a.transpose() * normal).normalized());
    const TangentFrame b = tangent_frame((l_b.transpose() * normal).normalized());
    const Vector3d a_u = l_a * a.u;
    const Vector3d a_v = orientation * (l_a * a.v);
    const Vector3d b_u = l_b * b.u;
    const Vector3d b_v = l_b * b.v;
    constant = l_a * l_a.transpose() + l_b * l_b.transpose() + symmetric_product(l_a * a.normal, l_b * b.normal);
    cosine = symmetric_product(a_u, b_u) + symmetric_product(a_v, b_v);
    sine = symmetric_product(a_u, b_v) - symmetric_product(a_v, b_u);
  }
};

// Whether some angle has λ_min(SᵀS) >= `shift`.
bool some_sum_exceeds(const std::array<SumsOfEllipsoids, 2>& sums, double shift) {
  constexpr int kAngles = 16;
  static const std::array<Vector2d, kAngles> kDirections = [] {
    std::array<Vector2d, kAngles> directions;
    for (std::size_t i = 0; i < kAngles; ++i) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / kAngles;
      directions[i] = {std::cos(angle), std::sin(angle)};
    }
    return directions;
  }();
  for (const SumsOfEllipsoids& sum : sums) {
    for (const Vector2d& direction : kDirections) {
      const Matrix3d gram = sum.constant + direction.x() * sum.cosine + direction.y() * sum.sine;
      if (seems_to_exceed(gram, kNearlyEnough * shift) && smallest_eigenvalue(gram) >= shift) return true;
    }
  }
  return false;
}

}  // namespace

double tangent_ball_radius(const AnySmoothDifference& difference, const DifferenceExpansion& at, double enough) {
  const Vector3d& normal = at.frame.normal;
  const Matrix3d& rotation = difference.a_from_b().rotation();
  const Vector3d normal_b = -difference.a_from_b().unrotate(normal);
  const double radius = difference.a().inner_ball_radius(normal) + difference.b().inner_ball_radius(normal_b);
  if (radius >= enough) return radius;
  const std::optional<Matrix3d> a = difference.a().inner_ellipsoid(normal);
  const std::optional<Matrix3d> b = difference.b().inner_ellipsoid(normal_b);
  const double value_a = a ? std::sqrt(std::max(0.0, normal.dot(*a * normal))) : 0.0;
  const double value_b = b ? std::sqrt(std::max(0.0, normal_b.dot(*b * normal_b))) : 0.0;
  if (!(value_a > 0.0 && value_b > 0.0)) return radius;
  const Matrix3d l_a = factor(*a);
  const Matrix3d l_b = rotation * factor(*b);
  const std::array<SumsOfEllipsoids, 2> sums = {SumsOfEllipsoids(l_a, l_b, normal, 1.0),
                                                SumsOfEllipsoids(l_a, l_b, normal, -1.0)};
  // Somewhat larger balls first: what they have to spare makes the bound of the depth finer. The last is smaller by
  // what rounding takes from the ball that just fits, which is the one about a common centre.
  for (const double factor_of_enough : {1.1, 1.0, 1.0 - kBallRounding}) {
    const double sought = factor_of_enough * enough;
    if (some_sum_exceeds(sums, sought * (value_a + value_b))) return sought;
  }
  return radius;
}

}  // namespace abut::detail

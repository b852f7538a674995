// Superquadric: checks, and the gradient and Hessian of its support function, a nested norm.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework",
// section IV-A. Departure: the inverse Gauss map in closed form is the gradient of the norm with conjugate exponents,
// and the Hessian is a sum of two dyads, from the norm's Hessian in the plane.
#include <abut/core/error.h>
#include <abut/core/shapes/superquadric.h>

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

// Ratios of coordinates below this are rounding: where a power of one is infinite at 0, it is taken here.
constexpr double kSmallestRatio = 0x1.0p-52;

// ratio^(q - 1); the exponents 2 and 4 belong to ellipsoids and to pointed bodies with e = 3/2.
double slope_power(double ratio, double q) {
  if (q == 2.0) return ratio;
  if (q == 4.0) return ratio * ratio * ratio;
  return std::pow(ratio, q - 1.0);
}

double root(double sum, double q) {
  if (q == 2.0) return std::sqrt(sum);
  if (q == 4.0) return std::sqrt(std::sqrt(sum));
  return std::exp(std::log(sum) / q);
}

// N(u, v) = (u^q + v^q)^(1/q) of two magnitudes and its partial derivatives (u / N)^(q-1) and (v / N)^(q-1). The larger
// one is divided out first: nothing overflows for q in the hundreds. The derivatives are not powers of u / N: for
// huge q the root rounds to 1 while its power stays 2^((q-1)/q). At u = v = 0 they are those along u.
struct PlaneNorm {
  double value = 0.0;
  double du = 1.0;
  double dv = 0.0;

  PlaneNorm(double u, double v, double q) {
    const double largest = std::max(u, v);
    if (!(largest > 0.0)) return;
    u_is_larger = u >= v;
    ratio = std::min(u, v) / largest;
    power = slope_power(ratio, q);
    sum = 1.0 + power * ratio;
    scale = root(sum, q);
    value = largest * scale;
    const double slope = scale / sum;
    du = u_is_larger ? slope : power * slope;
    dv = u_is_larger ? power * slope : slope;
  }

  bool u_is_larger = true;
  double ratio = 0.0;  // smaller / larger
  double power = 0.0;  // ratio^(q-1)
  double sum = 1.0;    // 1 + ratio^q
  double scale = 1.0;  // N / larger
};

// The same to second order: with a = u / N and b = v / N the Hessian is bend / N · (b, -a) (b, -a)ᵀ.
struct PlaneNormExpansion : PlaneNorm {
  double a = 1.0;
  double b = 0.0;
  double bend = 1.0;     // (q-1) (a b)^(q-2); at u = v = 0 as of the Euclidean norm
  double a_power = 0.0;  // a^(q-2)

  PlaneNormExpansion(double u, double v, double q) : PlaneNorm(u, v, q) {
    if (!(value > 0.0)) return;
    const double inverse = 1.0 / scale;
    a = u_is_larger ? inverse : ratio * inverse;
    b = u_is_larger ? ratio * inverse : inverse;
    const double larger_power = scale * scale / sum;  // (1 / scale)^(q-2), since scale^q = sum
    const double ratio_power = ratio_power_less_two(q);
    bend = (q - 1.0) * ratio_power * larger_power * larger_power;
    a_power = u_is_larger ? larger_power : ratio_power * larger_power;
  }

 private:
  // ratio^(q-2), which is 1 for q = 2 and ratio 0.
  [[nodiscard]] double ratio_power_less_two(double q) const {
    if (q == 2.0) return 1.0;
    if (ratio >= kSmallestRatio) return power / ratio;
    return std::pow(q < 2.0 ? kSmallestRatio : ratio, q - 2.0);
  }
};

double conjugate(double exponent) {
  return 2.0 / (2.0 - exponent);
}

Vector3d with_signs(const Vector3d& magnitudes, const Vector3d& signs) {
  return {std::copysign(magnitudes.x(), signs.x()), std::copysign(magnitudes.y(), signs.y()),
          std::copysign(magnitudes.z(), signs.z())};
}

}  // namespace

Superquadric::Superquadric(const Vector3d& radii, const Eigen::Vector2d& exponents)
    : radii_(radii), exponents_(exponents) {
  require_positive("radii", radii);
  for (int i = 0; i < 2; ++i) {
    if (!(exponents[i] > 0.0 && exponents[i] < 2.0)) {
      throw InvalidInput("exponents", i, "must be > 0 and < 2", exponents[i]);
    }
  }
}

Vector3d Superquadric::core_support(const Vector3d& direction) const {
  const Vector3d scaled = radii_.cwiseProduct(direction.cwiseAbs());
  const PlaneNorm ring(scaled.x(), scaled.y(), conjugate(exponents_.y()));
  const PlaneNorm whole(ring.value, scaled.z(), conjugate(exponents_.x()));
  if (!(whole.value > 0.0)) return Vector3d(0.0, 0.0, radii_.z());
  return with_signs(radii_.cwiseProduct(Vector3d(whole.du * ring.du, whole.du * ring.dv, whole.dv)), direction);
}

SupportExpansion Superquadric::core_expansion(const Vector3d& direction) const {
  if (!detail::has_plain_length(direction.squaredNorm())) [[unlikely]] {
    return detail::expand_rescaled(direction, [this](const Vector3d& x) { return expansion_of(x); });
  }
  return expansion_of(direction);
}

SupportExpansion Superquadric::expansion_of(const Vector3d& direction) const {
  const Vector3d scaled = radii_.cwiseProduct(direction.cwiseAbs());
  const PlaneNormExpansion ring(scaled.x(), scaled.y(), conjugate(exponents_.y()));
  const PlaneNormExpansion whole(ring.value, scaled.z(), conjugate(exponents_.x()));
  SupportExpansion result;
  if (!(whole.value > 0.0)) {
    result.point.z() = radii_.z();
    return result;
  }
  const Vector3d signed_radii = with_signs(radii_, direction);
  result.value = whole.value;
  result.point = signed_radii.cwiseProduct(Vector3d(whole.du * ring.du, whole.du * ring.dv, whole.dv));
  // h = N₁(N₂(u, v), w): ∇²h = N₁'' + ∂N₁ N₂'', and ∂N₁ / N₂ is (N₂ / h)^(q-2) / h, which needs no N₂ > 0.
  const double inverse = 1.0 / whole.value;
  const Vector3d along = signed_radii.cwiseProduct(Vector3d(whole.b * ring.du, whole.b * ring.dv, -whole.a));
  const double along_bend = whole.bend * inverse;
  const double around_x = signed_radii.x() * ring.b;
  const double around_y = -signed_radii.y() * ring.a;
  const double around_bend = whole.a_power * ring.bend * inverse;
  const Vector3d bent = along_bend * along;
  result.hessian(0, 0) = bent.x() * along.x() + around_bend * around_x * around_x;
  result.hessian(1, 1) = bent.y() * along.y() + around_bend * around_y * around_y;
  result.hessian(2, 2) = bent.z() * along.z();
  result.hessian(0, 1) = result.hessian(1, 0) = bent.x() * along.y() + around_bend * around_x * around_y;
  result.hessian(0, 2) = result.hessian(2, 0) = bent.x() * along.z();
  result.hessian(1, 2) = result.hessian(2, 1) = bent.y() * along.z();
  return result;
}

}  // namespace abut

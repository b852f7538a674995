// Superquadric: checks, and the gradient of its support function, a nested norm.
#include <abut/core/error.h>
#include <abut/core/shapes/superquadric.h>

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

// The q-norm of two magnitudes and its two partial derivatives (u / norm)^(q-1). The larger one is divided out first:
// nothing overflows for q in the hundreds.
struct PNorm {
  double value = 0.0;
  double du = 0.0;
  double dv = 0.0;

  PNorm(double u, double v, double q) {
    const double largest = std::max(u, v);
    if (!(largest > 0.0)) return;
    u /= largest;
    v /= largest;
    const double sum = std::pow(u, q) + std::pow(v, q);
    value = largest * std::pow(sum, 1.0 / q);
    // Not (u / root)^(q-1): for huge q the root rounds to 1 while its power stays 2^((q-1)/q).
    const double root_power = std::pow(sum, (q - 1.0) / q);
    du = std::pow(u, q - 1.0) / root_power;
    dv = std::pow(v, q - 1.0) / root_power;
  }
};

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
  const PNorm ring(scaled.x(), scaled.y(), 2.0 / (2.0 - exponents_.y()));
  const PNorm whole(ring.value, scaled.z(), 2.0 / (2.0 - exponents_.x()));
  if (!(whole.value > 0.0)) return Vector3d(0.0, 0.0, radii_.z());
  return {std::copysign(radii_.x() * whole.du * ring.du, direction.x()),
          std::copysign(radii_.y() * whole.du * ring.dv, direction.y()),
          std::copysign(radii_.z() * whole.dv, direction.z())};
}

}  // namespace abut

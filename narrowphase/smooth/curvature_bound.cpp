#include <abut/core/simd_math.h>
#include <abut/narrowphase/smooth/curvature_bound.h>
#include <abut/narrowphase/smooth/eigenvalues.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace abut::detail {
namespace {

// Of the norm √(xᵀ W x), times its value: the least over α of (w + αx)ᵀ W (w + αx) for all x of the disc. With
// ĥ² = nᵀ W n, b = Vᵀ W n and the Schur complement S = Vᵀ W V - b bᵀ / ĥ², at x = n + V y this is, for ỹ = y / (1 +
// b·y / ĥ²), the form of S - S ỹ ỹᵀ S / (ĥ² + ỹᵀ S ỹ) at (I - ỹ bᵀ / ĥ²) w.
Matrix2d gram_bound(const Matrix3d& gram, const TangentFrame& at, double tangent) {
  const Vector3d gn = gram * at.normal;
  const Vector3d gu = gram * at.u;
  const Vector3d gv = gram * at.v;
  const double value_sq = at.normal.dot(gn);
  if (!(value_sq > 0.0)) return Matrix2d::Zero();
  const Vector2d b(at.u.dot(gn), at.v.dot(gn));
  Matrix2d schur;
  schur << at.u.dot(gu), at.u.dot(gv), at.u.dot(gv), at.v.dot(gv);
  schur -= b * b.transpose() / value_sq;
  const double slope = b.norm() / value_sq;
  const double smallest_scale = 1.0 - slope * tangent;
  if (!(smallest_scale > 0.0)) return Matrix2d::Zero();
  const double reach = tangent / smallest_scale;  // at least |ỹ|
  const double shear = reach * slope;             // at least |ỹ bᵀ / ĥ²|
  if (shear >= 1.0) return Matrix2d::Zero();
  const double largest = std::max(0.0, largest_eigenvalue(schur));
  const double shrink = 1.0 / (1.0 + largest * reach * reach / value_sq);
  return shrink * (1.0 - shear) * (schur - shear * largest * Matrix2d::Identity());
}

// A lower bound of base^exponent from one of base.
double power_bound(double base, double exponent) {
  if (exponent == 0.0) return 1.0;
  return base > 0.0 ? std::pow(base, exponent) : 0.0;
}

// The largest h on the disc: by subadditivity, h(n + V y) <= h(n) + |y| times the body's largest radius; or from the
// slope Vᵀ∇h at n and the largest curvature on the disc.
double largest_on_disc(double value, double slope, double curvature, double radius, double tangent) {
  return value + tangent * std::min(radius, slope + 0.5 * curvature * tangent);
}

double slope_of(const Vector3d& point, const TangentFrame& at) {
  return std::hypot(at.u.dot(point), at.v.dot(point));
}

// Of coefficient · m'm'ᵀ for all m' within `change` of m: m'm'ᵀ >= (1 - s) m mᵀ - (1 - s) s |m|² I with s = change /
// |m|.
Matrix2d dyad_bound(double coefficient, const Vector3d& m, double change, const TangentFrame& at) {
  const Vector2d across(at.u.dot(m), at.v.dot(m));
  const double norm = across.norm();
  if (!(norm > change)) return Matrix2d::Zero();
  const double share = change / norm;
  return coefficient * (1.0 - share) * (across * across.transpose() - share * norm * norm * Matrix2d::Identity());
}

}  // namespace

Matrix2d curvature_bound(const Sphere& /*shape*/, const TangentFrame& /*at*/, double /*tangent*/) {
  return Matrix2d::Zero();
}

Matrix2d curvature_bound(const Ellipsoid& shape, const TangentFrame& at, double tangent) {
  const Vector3d squares = shape.radii().cwiseAbs2();
  const Vector3d scaled = squares.cwiseProduct(at.normal);
  const double value = std::sqrt(at.normal.dot(scaled));
  const double slope = slope_of(scaled / value, at);
  const double smallest_value = value - tangent * slope;
  if (!(smallest_value > 0.0)) return Matrix2d::Zero();
  const double largest_value =
      largest_on_disc(value, slope, squares.maxCoeff() / smallest_value, std::sqrt(squares.maxCoeff()), tangent);
  return gram_bound(squares.asDiagonal(), at, tangent) / largest_value;
}

// Two norms, one within the other: N of x and y, h of N and z. With the smaller of the factors q - 1 in place of both,
// the Hessian has the form of a single norm's; what the larger one adds is a dyad, the Hessian of its norm in its
// plane.
Matrix2d curvature_bound(const Superquadric& shape, const TangentFrame& at, double tangent) {
  if (!shape.is_twice_differentiable()) return Matrix2d::Zero();
  const Vector3d& radii = shape.radii();
  const double whole_q = 2.0 / (2.0 - shape.exponents().x());
  const double ring_q = 2.0 / (2.0 - shape.exponents().y());
  const double smaller_q = std::min(whole_q, ring_q);
  const Vector3d point = shape.core_support(at.normal);
  const double value = at.normal.dot(point);
  const double slope = slope_of(point, at);
  const double smallest_value = value - tangent * slope;  // h is convex
  if (!(smallest_value > 0.0)) return Matrix2d::Zero();
  // No weight is above 1, and each norm's Hessian is at most (q - 1) / h times the weighted squares.
  const double largest_radius = radii.maxCoeff();
  const double largest_curvature = (std::max(whole_q, ring_q) - 1.0) * largest_radius * largest_radius / smallest_value;
  const double largest_value = largest_on_disc(value, slope, largest_curvature, largest_radius, tangent);
  // From ∇h: N (N/h)^(q-1) = x·∂h/∂x + y·∂h/∂y.
  const double ring_share = (at.normal.x() * point.x() + at.normal.y() * point.y()) / value;
  const double ring = value * std::pow(std::max(0.0, ring_share), 1.0 / whole_q);
  const double ring_radius = std::max(radii.x(), radii.y());
  const double smallest_ring = ring - tangent * ring_radius;
  const double largest_ring = ring + tangent * ring_radius;
  const Vector3d scaled = radii.cwiseProduct(at.normal);
  Vector3d smallest;  // of |scaled| on the disc
  for (int i = 0; i < 3; ++i) {
    const double reach = tangent * std::sqrt(std::max(0.0, 1.0 - at.normal[i] * at.normal[i]));
    smallest[i] = std::max(0.0, std::abs(scaled[i]) - reach * radii[i]);
  }
  const double ring_factor = power_bound(smallest_ring / largest_value, whole_q - 2.0);
  const Vector3d weights(ring_factor * power_bound(smallest.x() / largest_ring, ring_q - 2.0),
                         ring_factor * power_bound(smallest.y() / largest_ring, ring_q - 2.0),
                         power_bound(smallest.z() / largest_value, whole_q - 2.0));
  const Vector3d diagonal = weights.cwiseProduct(radii.cwiseAbs2());
  Matrix2d bound = ((smaller_q - 1.0) / largest_value) * gram_bound(diagonal.asDiagonal(), at, tangent);
  if (!(smallest_ring > 0.0)) return bound;

  if (ring_q > smaller_q) {
    const double bend = (ring_q - smaller_q) * power_bound(smallest_ring / largest_value, whole_q - 1.0) *
                        power_bound(smallest.x() / largest_ring * (smallest.y() / largest_ring), ring_q - 2.0) /
                        (largest_ring * largest_ring * largest_ring);
    const Vector3d m(scaled.y() * radii.x(), -scaled.x() * radii.y(), 0.0);
    bound += dyad_bound(bend, m, tangent * radii.x() * radii.y(), at);
  } else if (whole_q > smaller_q) {
    const double bend = (whole_q - smaller_q) *
                        power_bound(smallest_ring / largest_value * (smallest.z() / largest_value), whole_q - 2.0) /
                        (largest_value * largest_value * largest_value);
    // ∇N: ∇h has (N/h)^(q-1) ∇N as its part in the plane.
    const Vector3d gradient = Vector3d(point.x(), point.y(), 0.0) / std::pow(ring / value, whole_q - 1.0);
    const Vector3d m = scaled.z() * gradient - Vector3d(0.0, 0.0, ring * radii.z());
    const double gradient_change = tangent * (ring_q - 1.0) * ring_radius * ring_radius / smallest_ring;
    const double change = 2.0 * tangent * radii.z() * ring_radius + std::abs(scaled.z()) * gradient_change;
    bound += dyad_bound(bend, m, change, at);
  }
  return bound;
}

Matrix2d curvature_bound(const SmoothHull& shape, const TangentFrame& at, double tangent) {
  const Vector3d support = shape.core_support(at.normal);
  const double value = at.normal.dot(support);
  const double slope = slope_of(support, at);
  const double smallest_value = value - tangent * slope;  // h is convex
  if (!(smallest_value > 0.0)) return Matrix2d::Zero();
  const double sharpness = shape.sharpness();
  const double least = least_ratio(sharpness);
  const RealPower<> power(sharpness - 2.0);
  const std::span<const Vector3d> points = shape.points();
  Matrix3d weighted = Matrix3d::Zero();  // Σ (pᵢ·x / h(n))^(β-2) pᵢ pᵢᵀ with the least values of its terms
  double largest_spread = 0.0;           // Σ tᵢ^(β-2) |Vᵀpᵢ|² at most
  double largest_norm_sq = 0.0;
  // As many points as a register holds at a time.
  for (std::size_t first = 0; first < points.size(); first += kSimdWidth) {
    const std::size_t count = std::min(kSimdWidth, points.size() - first);
    std::array<double, kSimdWidth> smallest{};
    std::array<double, kSimdWidth> largest{};
    std::array<double, kSimdWidth> across_sq{};
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3d& point = points[first + i];
      const double norm_sq = point.squaredNorm();
      largest_norm_sq = std::max(largest_norm_sq, norm_sq);
      const double along = point.dot(at.normal);
      across_sq[i] = std::max(0.0, norm_sq - along * along);
      const double reach = tangent * std::sqrt(across_sq[i]);
      const double t_low = (along - reach) / value;
      const double t_high = std::min(1.0, (along + reach) / smallest_value);
      smallest[i] = t_low > least ? t_low : 0.0;
      largest[i] = t_high > least ? t_high : 0.0;
    }
    const auto smallest_weights = power(Simd<kSimdWidth>::load(smallest.data()));
    const auto largest_weights = power(Simd<kSimdWidth>::load(largest.data()));
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3d& point = points[first + i];
      largest_spread += largest_weights[i] * across_sq[i];
      if (smallest_weights[i] > 0.0) weighted += smallest_weights[i] * point * point.transpose();
    }
  }
  // h of a unit vector is at most the β-norm of the points' lengths.
  const double radius = std::sqrt(largest_norm_sq) * std::pow(static_cast<double>(points.size()), 1.0 / sharpness);
  const double largest_curvature = (sharpness - 1.0) * largest_spread / smallest_value;
  const double largest_value = largest_on_disc(value, slope, largest_curvature, radius, tangent);
  const double shrunk = std::pow(value / largest_value, sharpness - 2.0);
  return ((sharpness - 1.0) / largest_value) * shrunk * gram_bound(weighted, at, tangent);
}

// With r = (w, x₃), w = |Γ x|: ∇²h = J ∇²H(r) Jᵀ + ∂H/∂w ∇²w, J = [∇w, e₃]. The planar ∇²H has one curvature, across r;
// with m = w e₃ - x₃ ∇w the first term is c (m·w)².
Matrix2d curvature_bound(const SmoothRevolution& shape, const TangentFrame& at, double tangent) {
  const Vector3d support = shape.core_support(at.normal);
  const double value = at.normal.dot(support);
  const double smallest_value = value - tangent * slope_of(support, at);
  const Vector3d gamma(1.0, 1.0, shape.flatness());
  const Vector3d scaled = gamma.cwiseProduct(at.normal);
  const double w = std::sqrt(at.normal.dot(scaled));
  const double height = std::abs(at.normal.z());
  const double stretch = std::max(1.0, std::sqrt(shape.flatness()));  // w is Lipschitz with this
  const double w_low = w - tangent * stretch;
  if (!(smallest_value > 0.0 && w_low > 0.0)) return Matrix2d::Zero();
  const double w_high = largest_on_disc(w, slope_of(scaled / w, at), stretch * stretch / w_low, stretch, tangent);
  const double r_change = tangent * std::hypot(stretch, 1.0);
  const double r_norm = std::hypot(w, height);

  double largest_norm_sq = 0.0;
  for (const Eigen::Vector2d& p : shape.profile()) largest_norm_sq = std::max(largest_norm_sq, p.squaredNorm());
  const double count = static_cast<double>(shape.profile().size());
  const double sharpness = shape.sharpness();
  const double largest_value = value + r_change * std::sqrt(largest_norm_sq) * std::pow(count, 1.0 / sharpness);
  Matrix2d gram = Matrix2d::Zero();
  double radial = 0.0;          // ∂H/∂w, from the least values of its terms
  double largest_spread = 0.0;  // Σ tᵢ^(β-2) |pᵢ|² at most
  for (const Eigen::Vector2d& p : shape.profile()) {
    const double term = p.x() * w + p.y() * at.normal.z();
    const double reach = tangent * (p.x() * stretch + std::abs(p.y()));
    const double t_high = std::min(1.0, (term + reach) / smallest_value);
    if (t_high > 0.0) largest_spread += power_bound(t_high, sharpness - 2.0) * p.squaredNorm();
    const double t_low = (term - reach) / largest_value;
    if (!(t_low > 0.0)) continue;
    const double weight = power_bound(t_low, sharpness - 2.0);
    gram += weight * p * p.transpose();
    radial += weight * t_low * p.x();
  }
  // Or from its change: ∇H moves across r, where w has but the share x₃ / |r|.
  const double r_low = r_norm - r_change;
  if (r_low > 0.0) {
    const double here = std::hypot(support.x(), support.y()) * w / std::hypot(at.normal.x(), at.normal.y());
    const double change = (sharpness - 1.0) * largest_spread / smallest_value * r_change * (height + tangent) / r_low;
    if (here - change > radial) radial = here - change;  // not for a normal along the axis: here is NaN
  }
  Matrix2d bound = (radial / w_high) * gram_bound(Matrix3d(gamma.asDiagonal()), at, tangent);

  const double largest = largest_eigenvalue(gram);
  if (!(largest > 0.0)) return bound;
  const double r_high = r_norm + r_change;
  const double planar =
      ((sharpness - 1.0) / largest_value) * std::max(0.0, gram.determinant()) / (largest * r_high * r_high);
  const Vector3d m = w * Vector3d::UnitZ() - at.normal.z() * scaled / w;
  const double m_change = 2.0 * tangent * stretch + height * tangent * stretch * stretch / w_low;
  bound += dyad_bound(planar, m, m_change, at);
  return bound;
}

}  // namespace abut::detail

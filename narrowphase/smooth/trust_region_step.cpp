#include <abut/narrowphase/smooth/trust_region_step.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

using Eigen::Vector2d;

// Where the ray from v along p leaves the disc: the τ >= 0 with |v + τ p| = radius.
double to_boundary(const Vector2d& v, const Vector2d& p, double radius) {
  const double pp = p.squaredNorm();
  if (!(pp > 0.0)) return 0.0;
  const double vp = v.dot(p);
  const double inside = std::max(0.0, radius * radius - v.squaredNorm());
  return (std::sqrt(vp * vp + pp * inside) - vp) / pp;
}

}  // namespace

Vector2d exact_step(const QuadraticModel& model, double radius) {
  // Along the eigenvectors the secular equation |v(μ)| = radius, v(μ) = -(H + μ I)⁻¹ g, is a sum of two terms.
  const double mean = 0.5 * (model.uu + model.vv);
  const double half_difference = 0.5 * (model.uu - model.vv);
  const double spread = std::hypot(half_difference, model.uv);
  const double small = mean - spread;
  const double large = mean + spread;
  // Of the smaller eigenvalue; without a spread any vector is one.
  Vector2d axis = half_difference > 0.0 ? Vector2d(-model.uv, half_difference + spread)
                                        : Vector2d(spread - half_difference, -model.uv);
  const double length = axis.norm();
  axis = length > 0.0 ? Vector2d(axis / length) : Vector2d(Vector2d::UnitX());
  const Vector2d across(-axis.y(), axis.x());
  const double g_small = axis.dot(model.gradient);
  const double g_large = across.dot(model.gradient);

  const auto at = [&](double mu) { return Vector2d(-g_small / (small + mu), -g_large / (large + mu)); };
  Vector2d step;  // along axis and across
  if (small > 0.0 && at(0.0).squaredNorm() <= radius * radius) {
    step = at(0.0);
  } else {
    double low = std::max(0.0, -small);
    double high = low + model.gradient.lpNorm<1>() / radius;  // no square may underflow
    double mu = high;
    // Newton on 1/|v(μ)| - 1/radius, which is nearly linear; from the right it never overshoots.
    constexpr int kMaxSteps = 40;
    for (int i = 0; i < kMaxSteps; ++i) {
      step = at(mu);
      const double norm = step.norm();
      if (norm > radius)
        low = mu;
      else
        high = mu;
      if (std::abs(norm - radius) <= 1e-4 * radius) break;  // a model's radius is no more exact than that
      const double slope = step.x() * step.x() / (small + mu) + step.y() * step.y() / (large + mu);
      double next = slope > 0.0 ? mu + (norm - radius) / radius * norm * norm / slope : low;
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (next == mu) break;
      mu = next;
    }
    if (!step.allFinite()) step.setZero();
    // The hard case: g has no part along the axis of negative curvature, and the way along it is free.
    if (small <= 0.0 && step.squaredNorm() < 0.99 * radius * radius) {
      step.x() = std::copysign(std::sqrt(std::max(0.0, radius * radius - step.y() * step.y())), -g_small);
    }
  }
  return step.x() * axis + step.y() * across;
}

Vector2d truncated_cg_step(const QuadraticModel& model, double radius) {
  constexpr double kResidual = 0.1;  // Steihaug's κ, with θ = 1
  Vector2d v = Vector2d::Zero();
  Vector2d residual = model.gradient;
  const double first = residual.norm();
  Vector2d direction = -residual;
  for (int i = 0; i < 2; ++i) {
    const Vector2d product = model.hessian_times(direction);
    const double curvature = direction.dot(product);
    if (!(curvature > 0.0)) return v + to_boundary(v, direction, radius) * direction;
    const double residual_sq = residual.squaredNorm();
    const double length = residual_sq / curvature;
    const Vector2d next = v + length * direction;
    if (next.norm() >= radius) return v + to_boundary(v, direction, radius) * direction;
    v = next;
    residual += length * product;
    if (residual.norm() <= first * std::min(first, kResidual)) break;
    direction = -residual + (residual.squaredNorm() / residual_sq) * direction;
  }
  return v;
}

}  // namespace abut::detail

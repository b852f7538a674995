// One step of the trust region: the least value of a quadratic model within a disc of the tangent plane.
// Source: An et al., eq. 9; truncated conjugate gradients after Steihaug (SIAM J. Numer. Anal. 1983). The plane has two
// dimensions, so that the exact minimum costs little more: see More and Sorensen, "Computing a Trust Region Step"
// (SIAM J. Sci. Stat. Comput. 1983).
#pragma once

#include <Eigen/Core>

#include <cstdint>

namespace abut::detail {

enum class Subproblem : std::uint8_t {
  exact,
  truncated_cg,
};

/// m(v) = g·v + ½ vᵀ H v, H symmetric, of any sign.
struct QuadraticModel {
  Eigen::Vector2d gradient;
  double uu = 0.0;
  double uv = 0.0;
  double vv = 0.0;

  [[nodiscard]] Eigen::Vector2d hessian_times(const Eigen::Vector2d& v) const {
    return {uu * v.x() + uv * v.y(), uv * v.x() + vv * v.y()};
  }
  [[nodiscard]] double at(const Eigen::Vector2d& v) const { return gradient.dot(v) + 0.5 * v.dot(hessian_times(v)); }
  [[nodiscard]] bool is_positive_definite() const { return uu + vv > 0.0 && uu * vv > uv * uv; }
};

/// The minimum of the model over |v| <= radius. Where several v have it (a saddle with g = 0) any of them.
[[nodiscard]] Eigen::Vector2d exact_step(const QuadraticModel& model, double radius);

/// Steihaug's: at least as good as the best multiple of -g; zero for g = 0.
[[nodiscard]] Eigen::Vector2d truncated_cg_step(const QuadraticModel& model, double radius);

/// Newton's step where it is the answer to both, else as asked.
[[nodiscard]] inline Eigen::Vector2d trust_region_step(const QuadraticModel& model, double radius,
                                                       Subproblem subproblem) {
  if (subproblem == Subproblem::truncated_cg) return truncated_cg_step(model, radius);
  const double determinant = model.uu * model.vv - model.uv * model.uv;
  if (model.uu + model.vv > 0.0 && determinant > 0.0) {
    const Eigen::Vector2d& g = model.gradient;
    const Eigen::Vector2d newton{(model.uv * g.y() - model.vv * g.x()) / determinant,
                                 (model.uv * g.x() - model.uu * g.y()) / determinant};
    if (newton.squaredNorm() <= radius * radius) return newton;
  }
  return exact_step(model, radius);
}

}  // namespace abut::detail

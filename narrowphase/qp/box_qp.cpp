// Departures from Algorithm 4, which compares the costs of nine points: costs near their minimum agree to all digits,
// and say little about which point is best. Here one variable is eliminated: the least cost over x₂ (without its
// bounds) is a parabola in x₁, its minimum is clamped, then x₂ follows and is clamped, then x₁ follows from that. The
// sides and corners that come out are those of Algorithm 4.
#include <abut/narrowphase/qp/box_qp.h>

#include <Eigen/Geometry>
#include <algorithm>

namespace abut::detail {
namespace {

// Below this sin² the angle between two unit vectors is rounding.
constexpr double kParallelSinSq = 1e-30;

double clamped(double x) {
  return std::min(std::max(x, 0.0), 1.0);
}

}  // namespace

BoxQpSolution solve_box_qp(const BoxQp& qp) {
  const Vector3d& f = qp.first;
  const Vector3d& g = qp.second;
  const Vector3d& r = qp.offset;
  const double f_sq = f.squaredNorm();
  const double g_sq = g.squaredNorm();
  const Vector3d normal = f.cross(g);
  const double area_sq = normal.squaredNorm();

  // A segment without length has no best place; then any is as good.
  const double inverse_f = f_sq > 0.0 ? 1.0 / f_sq : 0.0;
  const double inverse_g = g_sq > 0.0 ? 1.0 / g_sq : 0.0;

  BoxQpSolution solution;
  double& x = solution.x[0];
  double& y = solution.x[1];
  if (area_sq > kParallelSinSq * f_sq * g_sq) {
    x = clamped(g.cross(r).dot(normal) / area_sq);
  } else {
    solution.is_parallel = true;
    x = 0.5;
    if (f_sq > 0.0 && g_sq > 0.0) {
      // The ends of the second segment, seen along the first, and the middle of what they share.
      const double begin = -f.dot(r) * inverse_f;
      const double end = -f.dot(r + g) * inverse_f;
      x = clamped(0.5 * (std::max(std::min(begin, end), 0.0) + std::min(std::max(begin, end), 1.0)));
    }
  }
  y = g_sq > 0.0 ? clamped(-g.dot(r + x * f) * inverse_g) : 0.5;
  if (f_sq > 0.0) x = clamped(-f.dot(r + y * g) * inverse_f);
  solution.residual = r + x * f + y * g;
  return solution;
}

Eigen::Vector4d box_qp_duals(const BoxQp& qp, const BoxQpSolution& solution) {
  const double down_first = -qp.first.dot(solution.residual);
  const double down_second = -qp.second.dot(solution.residual);
  const Vector2d& x = solution.x;
  return {x[0] == 1.0 ? std::max(down_first, 0.0) : 0.0, x[1] == 1.0 ? std::max(down_second, 0.0) : 0.0,
          x[0] == 0.0 ? std::max(-down_first, 0.0) : 0.0, x[1] == 0.0 ? std::max(-down_second, 0.0) : 0.0};
}

}  // namespace abut::detail

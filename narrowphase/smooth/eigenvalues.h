// Eigenvalues of small symmetric matrices.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace abut::detail {

/// Half the difference of the two.
inline double eigenvalue_spread(double uu, double uv, double vv) {
  const double half_difference = 0.5 * (uu - vv);
  return std::sqrt(half_difference * half_difference + uv * uv);
}

inline double smallest_eigenvalue(const Eigen::Matrix2d& m) {
  return 0.5 * (m(0, 0) + m(1, 1)) - eigenvalue_spread(m(0, 0), m(0, 1), m(1, 1));
}

inline double largest_eigenvalue(const Eigen::Matrix2d& m) {
  return 0.5 * (m(0, 0) + m(1, 1)) + eigenvalue_spread(m(0, 0), m(0, 1), m(1, 1));
}

/// Less than this fraction of the largest eigenvalue, the smallest one is rounding.
inline constexpr double kEigenvalueRounding = 1e-14;

/// Less that rounding.
inline double smallest_eigenvalue(const Eigen::Matrix3d& m) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[0] - kEigenvalueRounding * solver.eigenvalues()[2];
}

}  // namespace abut::detail

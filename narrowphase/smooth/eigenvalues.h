// Eigenvalues of symmetric 2 x 2 matrices.
#pragma once

#include <Eigen/Core>

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

}  // namespace abut::detail

// A 3 x 3 matrix as the left factor of vectors and matrices, two numbers at a time: Eigen multiplies two matrices of
// this size one number at a time, in a call, and copies the result.
#pragma once

#include <abut/core/simd.h>
#include <Eigen/Core>

#include <array>
#include <cstring>

namespace abut::detail {

using Eigen::Matrix3d;
using Eigen::Vector3d;

class LeftFactor {
 public:
  [[gnu::always_inline]] explicit LeftFactor(const Matrix3d& m)
      : xy_{Pair::load(&m(0, 0)), Pair::load(&m(0, 1)), Pair::load(&m(0, 2))}, z_{m(2, 0), m(2, 1), m(2, 2)} {}

  /// Of the transpose of m.
  [[nodiscard, gnu::always_inline]] static LeftFactor transposed(const Matrix3d& m) {
    LeftFactor result;
    result.xy_ = {Doubles{m(0, 0), m(0, 1)}, Doubles{m(1, 0), m(1, 1)}, Doubles{m(2, 0), m(2, 1)}};
    result.z_ = {m(0, 2), m(1, 2), m(2, 2)};
    return result;
  }

  [[nodiscard, gnu::always_inline]] Vector3d operator*(const Vector3d& vector) const {
    Vector3d result;
    multiply(vector.data(), result.data());
    return result;
  }
  [[nodiscard, gnu::always_inline]] Matrix3d operator*(const Matrix3d& matrix) const {
    Matrix3d result;
    for (Eigen::Index column = 0; column < 3; ++column) multiply(&matrix(0, column), &result(0, column));
    return result;
  }

 private:
  using Pair = Simd<2>;
  using Doubles = Pair::Doubles;

  LeftFactor() = default;

  [[gnu::always_inline]] void multiply(const double* vector, double* result) const {
    const Doubles xy = xy_[0] * vector[0] + xy_[1] * vector[1] + xy_[2] * vector[2];
    const double z = z_[0] * vector[0] + z_[1] * vector[1] + z_[2] * vector[2];
    std::memcpy(result, &xy, sizeof(xy));
    result[2] = z;
  }

  std::array<Doubles, 3> xy_;  // of each column the first two numbers
  std::array<double, 3> z_;    // and the third
};

}  // namespace abut::detail

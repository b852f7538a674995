// The rotation of a node as a matrix: one formula, for those who make the boxes and those who test them.
#pragma once

#include <array>
#include <cstddef>

namespace abut::detail {

/// Row-major, of the quaternion x, y, z, w. Orthonormal as far as the quaternion is of unit length.
template <class Real>
using RotationMatrix = std::array<std::array<Real, 3>, 3>;

template <class Real, class Quaternion>
[[nodiscard]] RotationMatrix<Real> rotation_matrix(const Quaternion& q) {
  const auto x = static_cast<Real>(q[0]);
  const auto y = static_cast<Real>(q[1]);
  const auto z = static_cast<Real>(q[2]);
  const auto w = static_cast<Real>(q[3]);
  constexpr Real kOne = 1;
  constexpr Real kTwo = 2;
  return {{{kOne - kTwo * (y * y + z * z), kTwo * (x * y - w * z), kTwo * (x * z + w * y)},
           {kTwo * (x * y + w * z), kOne - kTwo * (x * x + z * z), kTwo * (y * z - w * x)},
           {kTwo * (x * z - w * y), kTwo * (y * z + w * x), kOne - kTwo * (x * x + y * y)}}};
}

}  // namespace abut::detail

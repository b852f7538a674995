// Normals turned from frame to frame, by poses that may be rotations only roughly: products of very many, or numbers of
// single precision that nobody made orthonormal (Pose::from_stored, Pose::unchecked).
#pragma once

#include <abut/core/pose.h>

#include <cmath>

namespace abut::detail {

/// The vector itself, to the last bit, where it is unit to far more than single precision; where it is nearly unit, at
/// length 1; and what is not unit anyway as it is.
[[nodiscard]] inline Vector3d unit_again(const Vector3d& direction) {
  constexpr double kRounding = 1e-10;  // of the square of the length
  constexpr double kNoRotation = 0.1;  // farther off than any pose that is checked makes it
  const double length_sq = direction.squaredNorm();
  const double error = std::abs(length_sq - 1.0);
  return error > kRounding && error < kNoRotation ? Vector3d(direction / std::sqrt(length_sq)) : direction;
}

/// Maps a unit direction to a unit one.
[[nodiscard]] inline Vector3d rotate_unit(const Pose& outer_from_inner, const Vector3d& direction) {
  return unit_again(outer_from_inner.rotate(direction));
}

}  // namespace abut::detail

// What a smooth body's sharpness may be.
#pragma once

#include <abut/core/error.h>

#include <cmath>

namespace abut {

/// Beyond, the powers that a smooth body is made of are rounding alone.
inline constexpr double kMaxSharpness = 1e12;

/// @throws InvalidInput  naming sharpness.
inline void require_sharpness(double sharpness) {
  if (!(sharpness > 2.0 && std::isfinite(sharpness))) {
    throw InvalidInput("sharpness", "must be finite and > 2", sharpness);
  }
  if (sharpness > kMaxSharpness) throw InvalidInput("sharpness", "must be <= 1e12", sharpness);
}

}  // namespace abut

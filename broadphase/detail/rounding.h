// Directed rounding of doubles to floats, and the order-preserving integers that make it branch-free.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace abut::detail {

inline constexpr float kLargestFloat = std::numeric_limits<float>::max();

/// An integer that orders as the floats do: consecutive floats have consecutive keys, and both zeros have key 0.
/// `value` is not NaN.
[[nodiscard]] inline std::int32_t ordered_key(float value) {
  const auto bits = std::bit_cast<std::int32_t>(value);
  const std::int32_t sign = bits >> 31;  // 0 or -1
  return ((bits & 0x7fffffff) ^ sign) - sign;
}

/// The float of a key.
[[nodiscard]] inline float from_ordered_key(std::int32_t key) {
  const std::int32_t sign = key >> 31;
  const std::int32_t magnitude = (key ^ sign) - sign;
  return std::bit_cast<float>(magnitude | (sign & std::numeric_limits<std::int32_t>::min()));
}

/// The largest float <= value; coordinates outside the range of float are clamped to it.
[[nodiscard]] inline float round_down(double value) {
  const double clamped = std::clamp(value, -static_cast<double>(kLargestFloat), static_cast<double>(kLargestFloat));
  const auto nearest = static_cast<float>(clamped);
  return from_ordered_key(ordered_key(nearest) - static_cast<std::int32_t>(static_cast<double>(nearest) > clamped));
}

/// The smallest float >= value; coordinates outside the range of float are clamped to it.
[[nodiscard]] inline float round_up(double value) {
  return -round_down(-value);
}

/// Rounds the ends of a box outwards: out[0 ... 2] = round_down(lower), out[3 ... 5] = round_up(upper). All ends at a
/// time, without branches, so that the compiler makes vector code of it.
inline void round_outwards(const double* lower, const double* upper, float* out) {
  constexpr std::size_t kEnds = 8;  // two of them unused
  double values[kEnds] = {lower[0], lower[1], lower[2], -upper[0], -upper[1], -upper[2], 0.0, 0.0};
  float rounded[kEnds];
  constexpr auto kLargest = static_cast<double>(kLargestFloat);
  for (double& value : values) {
    const double above = value > -kLargest ? value : -kLargest;
    value = above < kLargest ? above : kLargest;
  }
  for (std::size_t k = 0; k < kEnds; ++k) rounded[k] = static_cast<float>(values[k]);
  for (std::size_t k = 0; k < kEnds; ++k) {
    const std::int32_t step = static_cast<double>(rounded[k]) > values[k] ? 1 : 0;
    rounded[k] = from_ordered_key(ordered_key(rounded[k]) - step);
  }
  for (std::size_t k = 0; k < 3; ++k) out[k] = rounded[k];
  for (std::size_t k = 3; k < 6; ++k) out[k] = -rounded[k];
}

/// A float below value - amount, by less than two steps; `amount` >= 0. Not below the range of float.
[[nodiscard]] inline float lowered(float value, float amount) {
  // The difference is rounded to nearest, so one step down from it lies below the exact one.
  const float difference = std::max(value - amount, -kLargestFloat);
  return std::max(from_ordered_key(ordered_key(difference) - 1), -kLargestFloat);
}

/// A float above value + amount, by less than two steps; `amount` >= 0. Not above the range of float.
[[nodiscard]] inline float raised(float value, float amount) {
  return -lowered(-value, amount);
}

}  // namespace abut::detail

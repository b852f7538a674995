// Directed rounding of doubles to floats, and the order-preserving integers that make it branch-free.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

#if defined(__SSE2__)
/// from_ordered_key(ordered_key(values) + steps) of four floats.
[[nodiscard]] inline __m128 stepped(__m128 values, __m128i steps) {
  const __m128i bits = _mm_castps_si128(values);
  const __m128i sign = _mm_srai_epi32(bits, 31);
  const __m128i magnitude = _mm_and_si128(bits, _mm_set1_epi32(0x7fffffff));
  const __m128i key = _mm_add_epi32(_mm_sub_epi32(_mm_xor_si128(magnitude, sign), sign), steps);
  const __m128i key_sign = _mm_srai_epi32(key, 31);
  const __m128i key_magnitude = _mm_sub_epi32(_mm_xor_si128(key, key_sign), key_sign);
  const __m128i lowest = _mm_set1_epi32(std::numeric_limits<std::int32_t>::min());
  return _mm_castsi128_ps(_mm_or_si128(key_magnitude, _mm_and_si128(key_sign, lowest)));
}

inline void store_three(__m128 values, float* to) {
  _mm_storel_pi(reinterpret_cast<__m64*>(to), values);
  _mm_store_ss(to + 2, _mm_movehl_ps(values, values));
}
#endif

/// Rounds the ends of a box outwards: out[0 ... 2] = round_down(lower), out[3 ... 5] = round_up(upper). All ends of a
/// side together, without branches.
inline void round_outwards(const double* lower, const double* upper, float* out) {
#if defined(__SSE2__)
  // The largest floats <= x, y and z. Rounded to nearest, a float is one step too large or the one that is sought.
  const auto rounded_down = [](__m128d xy, __m128d z) {
    const __m128d least = _mm_set1_pd(-static_cast<double>(kLargestFloat));
    const __m128d most = _mm_set1_pd(static_cast<double>(kLargestFloat));
    xy = _mm_min_pd(_mm_max_pd(xy, least), most);
    z = _mm_min_pd(_mm_max_pd(z, least), most);
    const __m128 nearest_xy = _mm_cvtpd_ps(xy);
    const __m128 nearest_z = _mm_cvtpd_ps(z);
    const __m128 is_above_xy = _mm_castpd_ps(_mm_cmpgt_pd(_mm_cvtps_pd(nearest_xy), xy));
    const __m128 is_above_z = _mm_castpd_ps(_mm_cmpgt_pd(_mm_cvtps_pd(nearest_z), z));
    return stepped(_mm_movelh_ps(nearest_xy, nearest_z),
                   _mm_castps_si128(_mm_shuffle_ps(is_above_xy, is_above_z, _MM_SHUFFLE(2, 0, 2, 0))));
  };
  const __m128d minus = _mm_set1_pd(-0.0);
  store_three(rounded_down(_mm_loadu_pd(lower), _mm_load_sd(lower + 2)), out);
  const __m128 below = rounded_down(_mm_xor_pd(_mm_loadu_pd(upper), minus), _mm_xor_pd(_mm_load_sd(upper + 2), minus));
  store_three(_mm_xor_ps(below, _mm_set1_ps(-0.0F)), out + 3);
#else
  for (std::size_t k = 0; k < 3; ++k) {
    out[k] = round_down(lower[k]);
    out[3 + k] = round_up(upper[k]);
  }
#endif
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

/// Widens a box: lowered() of its three lower ends, raised() of its upper ones.
inline void widen(float* lower, float* upper, float amount) {
#if defined(__SSE2__)
  const auto lowered_ends = [amount](__m128 ends) {
    const __m128 least = _mm_set1_ps(-kLargestFloat);
    const __m128 difference = _mm_max_ps(_mm_sub_ps(ends, _mm_set1_ps(amount)), least);
    return _mm_max_ps(stepped(difference, _mm_set1_epi32(-1)), least);
  };
  const __m128 minus = _mm_set1_ps(-0.0F);
  store_three(lowered_ends(_mm_setr_ps(lower[0], lower[1], lower[2], 0.0F)), lower);
  const __m128 ends = _mm_xor_ps(_mm_setr_ps(upper[0], upper[1], upper[2], 0.0F), minus);
  store_three(_mm_xor_ps(lowered_ends(ends), minus), upper);
#else
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lower[axis] = lowered(lower[axis], amount);
    upper[axis] = raised(upper[axis], amount);
  }
#endif
}

}  // namespace abut::detail

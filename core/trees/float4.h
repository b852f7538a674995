// Four floats side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {

#if defined(__SSE2__)

struct Float4 {
  __m128 v;

  static Float4 of(float x, float y, float z, float w) { return {_mm_setr_ps(x, y, z, w)}; }
  static Float4 all(float x) { return {_mm_set1_ps(x)}; }
  friend Float4 min(Float4 a, Float4 b) { return {_mm_min_ps(a.v, b.v)}; }
  friend Float4 max(Float4 a, Float4 b) { return {_mm_max_ps(a.v, b.v)}; }
  friend Float4 operator+(Float4 a, Float4 b) { return {_mm_add_ps(a.v, b.v)}; }
  friend Float4 operator-(Float4 a, Float4 b) { return {_mm_sub_ps(a.v, b.v)}; }
  friend Float4 operator*(Float4 a, Float4 b) { return {_mm_mul_ps(a.v, b.v)}; }
  void store(float* to) const { _mm_storeu_ps(to, v); }
  void store_truncated(std::int32_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_cvttps_epi32(v));
  }
};

#else

struct Float4 {
  float v[4];

  static Float4 of(float x, float y, float z, float w) { return {{x, y, z, w}}; }
  static Float4 all(float x) { return {{x, x, x, x}}; }
  template <class Operation>
  static Float4 each(const Float4& a, const Float4& b, Operation operation) {
    Float4 result;
    for (std::size_t i = 0; i < 4; ++i) result.v[i] = operation(a.v[i], b.v[i]);
    return result;
  }
  friend Float4 min(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x < y ? x : y; });
  }
  friend Float4 max(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  friend Float4 operator+(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x + y; });
  }
  friend Float4 operator-(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x - y; });
  }
  friend Float4 operator*(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x * y; });
  }
  void store(float* to) const { std::memcpy(to, v, sizeof(v)); }
  void store_truncated(std::int32_t* to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<std::int32_t>(v[i]);
  }
};

#endif

}  // namespace abut::detail

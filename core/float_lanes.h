// Eight floats side by side, and what kernels do with them: plainly, and by SSE2. float_lanes_avx2.h has them for AVX2.
//
// A kernel is written once as a template over one of these types and compiled for each instruction set; the same input
// gives the same bits with all of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {

/// How many there are.
inline constexpr std::size_t kFloatLanes = 8;

/// The reference of the others.
struct PlainFloatLanes {
  using Floats = std::array<float, kFloatLanes>;
  /// Doubles that this instruction set takes at a time.
  static constexpr std::size_t kDoubles = 2;

  static Floats all(float x) {
    Floats result;
    result.fill(x);
    return result;
  }
  static Floats load(const float* from) {
    Floats result;
    std::copy_n(from, kFloatLanes, result.begin());
    return result;
  }
  static void store(float* to, const Floats& a) { std::copy(a.begin(), a.end(), to); }

  static Floats add(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x + y; });
  }
  static Floats sub(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x - y; });
  }
  static Floats mul(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x * y; });
  }
  /// The second where one is NaN.
  static Floats larger(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static Floats abs(const Floats& a) {
    return each(a, a, [](float x, float) { return std::abs(x); });
  }
  static Floats root(const Floats& a) {
    return each(a, a, [](float x, float) { return std::sqrt(x); });
  }
  /// A bit a lane: a > b.
  static unsigned above(const Floats& a, const Floats& b) {
    unsigned bits = 0;
    for (std::size_t i = 0; i < kFloatLanes; ++i) bits |= (a[i] > b[i] ? 1U : 0U) << i;
    return bits;
  }

 private:
  template <class Operation>
  static Floats each(const Floats& a, const Floats& b, Operation operation) {
    Floats result;
    for (std::size_t i = 0; i < kFloatLanes; ++i) result[i] = operation(a[i], b[i]);
    return result;
  }
};

#if defined(__SSE2__)

struct Sse2FloatLanes {
  struct Floats {
    __m128 a;
    __m128 b;
  };
  static constexpr std::size_t kDoubles = 2;

  static Floats all(float x) { return {_mm_set1_ps(x), _mm_set1_ps(x)}; }
  static Floats load(const float* from) { return {_mm_loadu_ps(from), _mm_loadu_ps(from + 4)}; }
  static void store(float* to, Floats x) {
    _mm_storeu_ps(to, x.a);
    _mm_storeu_ps(to + 4, x.b);
  }

  static Floats add(Floats x, Floats y) { return {_mm_add_ps(x.a, y.a), _mm_add_ps(x.b, y.b)}; }
  static Floats sub(Floats x, Floats y) { return {_mm_sub_ps(x.a, y.a), _mm_sub_ps(x.b, y.b)}; }
  static Floats mul(Floats x, Floats y) { return {_mm_mul_ps(x.a, y.a), _mm_mul_ps(x.b, y.b)}; }
  static Floats larger(Floats x, Floats y) { return {_mm_max_ps(x.a, y.a), _mm_max_ps(x.b, y.b)}; }
  static Floats abs(Floats x) {
    const __m128 sign = _mm_set1_ps(-0.0F);
    return {_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
  }
  static Floats root(Floats x) { return {_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)}; }
  static unsigned above(Floats x, Floats y) {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpgt_ps(x.a, y.a)) | _mm_movemask_ps(_mm_cmpgt_ps(x.b, y.b))
                                                                               << 4);
  }
};

#endif

}  // namespace abut::detail

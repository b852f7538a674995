// Eight floats side by side in a register of AVX2, as float_lanes.h has them. For files compiled for that instruction
// set alone.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace abut::detail {

struct Avx2FloatLanes {
  using Floats = __m256;
  static constexpr std::size_t kDoubles = 4;

  static Floats all(float x) { return _mm256_set1_ps(x); }
  static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Floats x) { _mm256_storeu_ps(to, x); }

  static Floats add(Floats x, Floats y) { return _mm256_add_ps(x, y); }
  static Floats sub(Floats x, Floats y) { return _mm256_sub_ps(x, y); }
  static Floats mul(Floats x, Floats y) { return _mm256_mul_ps(x, y); }
  static Floats larger(Floats x, Floats y) { return _mm256_max_ps(x, y); }
  static Floats abs(Floats x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), x); }
  static Floats root(Floats x) { return _mm256_sqrt_ps(x); }
  static unsigned above(Floats x, Floats y) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_GT_OQ)));
  }
};

}  // namespace abut::detail

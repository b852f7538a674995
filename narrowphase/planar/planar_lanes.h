// Several floats in one register, and comparisons of them as bits: what the filters of planar batches are written in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::planar::detail {

/// Floats in a vector register of the instruction set that this is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t kFloatLanes = 16;
#elif defined(__AVX__)
inline constexpr std::size_t kFloatLanes = 8;
#else
inline constexpr std::size_t kFloatLanes = 4;
#endif

template <std::size_t kWidth>
struct Lanes {
  typedef float Floats __attribute__((vector_size(kWidth * sizeof(float))));  // NOLINT: no using here
  static constexpr std::uint32_t kAll = (1u << kWidth) - 1u;

  static Floats broadcast(float value) { return Floats{} + value; }

  static Floats load(const float* from) {
    Floats result;
    std::memcpy(&result, from, sizeof(result));
    return result;
  }

  static Floats smaller(const Floats& a, const Floats& b) { return a < b ? a : b; }
  static Floats larger(const Floats& a, const Floats& b) { return a > b ? a : b; }

  /// Bit k is set where lane k of a is above that of b; not where one of them is NaN.
  /// @tparam Same  Floats; as a parameter, because gcc sees through a dependent vector type too early.
  template <class Same>
  static std::uint32_t above(const Same& a, const Same& b) {
#if defined(__AVX512F__)
    if constexpr (kWidth == 16) return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
#endif
#if defined(__AVX__)
    if constexpr (kWidth == 8) {
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
    }
#endif
#if defined(__SSE2__)
    if constexpr (kWidth == 4) return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpgt_ps(a, b)));
#endif
    return above_plain(a, b);
  }

  /// The plain form, the reference of the others.
  template <class Same>
  static std::uint32_t above_plain(const Same& a, const Same& b) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < kWidth; ++k) bits |= static_cast<std::uint32_t>(a[k] > b[k]) << k;
    return bits;
  }
};

}  // namespace abut::planar::detail

// Small vectors of doubles in registers: compilers' vector types, and choices without branches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace abut::detail {

/// Doubles in a vector register of the instruction set that this is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t kSimdWidth = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kSimdWidth = 4;
#else
inline constexpr std::size_t kSimdWidth = 2;
#endif

template <std::size_t kWidth>
struct Simd {
  typedef double Doubles __attribute__((vector_size(kWidth * sizeof(double))));               // NOLINT: no using here
  typedef std::int64_t Integers __attribute__((vector_size(kWidth * sizeof(std::int64_t))));  // NOLINT

  static Doubles broadcast(double value) { return Doubles{} + value; }

  static Doubles load(const double* from) {
    Doubles result;
    std::memcpy(&result, from, sizeof(result));
    return result;
  }

  /// Lane by lane; `mask` is all ones or all zeros, as comparisons give it.
  static Integers select(const Integers& mask, const Integers& yes, const Integers& no) {
    return (mask & yes) | (~mask & no);
  }
};

/// yes or no, as arithmetic: compilers tend to make a branch of the conditional operator.
inline std::int64_t select(bool condition, std::int64_t yes, std::int64_t no) {
  return no + (yes - no) * static_cast<std::int64_t>(condition);
}

}  // namespace abut::detail

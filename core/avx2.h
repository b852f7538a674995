// Where functions may be compiled for AVX2 whatever instruction set the build is for, and whether the processor has it.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define ABUT_AVX2_VARIANTS  // functions with [[gnu::target("avx2")]]; who calls them asks has_avx2()
#include <immintrin.h>

namespace abut::detail {

#if defined(__AVX2__)
constexpr bool has_avx2() {
  return true;
}
#else
/// Of the processor that the program runs on.
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}
#endif

}  // namespace abut::detail
#endif

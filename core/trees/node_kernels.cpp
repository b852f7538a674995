// Which tests of a node's children this processor can run; the plain ones and those of SSE2, which every x86-64 has.
#include <abut/core/trees/node_kernel_loops.h>
#include <abut/core/trees/node_kernels.h>
#include <abut/core/trees/node_kernels_wide.h>

#include <array>
#include <cmath>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

/// The reference of the others.
struct PlainLanes {
  static constexpr std::size_t kWidth = BoxNode::kWidth;
  using Floats = std::array<float, kWidth>;

  static Floats all(float x) {
    Floats result;
    result.fill(x);
    return result;
  }
  template <class Operation>
  static Floats each(const Floats& a, const Floats& b, Operation operation) {
    Floats result;
    for (std::size_t i = 0; i < kWidth; ++i) result[i] = operation(a[i], b[i]);
    return result;
  }
  static Floats add(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x + y; });
  }
  static Floats sub(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x - y; });
  }
  static Floats mul(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x * y; });
  }
  static Floats larger(const Floats& a, const Floats& b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  static Floats abs(const Floats& a) {
    return each(a, a, [](float x, float) { return std::abs(x); });
  }
  static Floats root(const Floats& a) {
    return each(a, a, [](float x, float) { return std::sqrt(x); });
  }
  static Floats select_positive(const Floats& which, const Floats& yes, const Floats& no) {
    Floats result;
    for (std::size_t i = 0; i < kWidth; ++i) result[i] = which[i] > 0.0F ? yes[i] : no[i];
    return result;
  }
  static unsigned above(const Floats& a, const Floats& b) {
    unsigned mask = 0;
    for (std::size_t i = 0; i < kWidth; ++i) mask |= (a[i] > b[i] ? 1U : 0U) << i;
    return mask;
  }
  static Floats load(const float* from) {
    Floats result;
    for (std::size_t i = 0; i < kWidth; ++i) result[i] = from[i];
    return result;
  }
  static void store(float* to, const Floats& a) {
    for (std::size_t i = 0; i < kWidth; ++i) to[i] = a[i];
  }
};

constexpr NodeKernels kPlain = NodeLoops<PlainLanes>::kernels("plain");

#if defined(__SSE2__)

struct Sse2Lanes {
  struct Floats {
    __m128 a;
    __m128 b;
  };

  static Floats all(float x) { return {_mm_set1_ps(x), _mm_set1_ps(x)}; }
  static Floats add(Floats x, Floats y) { return {_mm_add_ps(x.a, y.a), _mm_add_ps(x.b, y.b)}; }
  static Floats sub(Floats x, Floats y) { return {_mm_sub_ps(x.a, y.a), _mm_sub_ps(x.b, y.b)}; }
  static Floats mul(Floats x, Floats y) { return {_mm_mul_ps(x.a, y.a), _mm_mul_ps(x.b, y.b)}; }
  static Floats larger(Floats x, Floats y) { return {_mm_max_ps(x.a, y.a), _mm_max_ps(x.b, y.b)}; }
  static Floats abs(Floats x) {
    const __m128 sign = _mm_set1_ps(-0.0F);
    return {_mm_andnot_ps(sign, x.a), _mm_andnot_ps(sign, x.b)};
  }
  static Floats root(Floats x) { return {_mm_sqrt_ps(x.a), _mm_sqrt_ps(x.b)}; }
  static __m128 select(__m128 mask, __m128 yes, __m128 no) {
    return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
  }
  static Floats select_positive(Floats which, Floats yes, Floats no) {
    const __m128 zero = _mm_setzero_ps();
    return {select(_mm_cmpgt_ps(which.a, zero), yes.a, no.a), select(_mm_cmpgt_ps(which.b, zero), yes.b, no.b)};
  }
  static unsigned above(Floats x, Floats y) {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpgt_ps(x.a, y.a)) | _mm_movemask_ps(_mm_cmpgt_ps(x.b, y.b))
                                                                               << 4);
  }
  static Floats load(const float* from) { return {_mm_load_ps(from), _mm_load_ps(from + 4)}; }
  static void store(float* to, Floats x) {
    _mm_storeu_ps(to, x.a);
    _mm_storeu_ps(to + 4, x.b);
  }
};

constexpr NodeKernels kSse2 = NodeLoops<Sse2Lanes>::kernels("SSE2");

#endif

struct Runnable {
  std::array<const NodeKernels*, 3> kernels = {};
  std::size_t count = 0;

  Runnable() {
    kernels[count++] = &kPlain;
#if defined(__SSE2__)
    kernels[count++] = &kSse2;
#endif
#if defined(ABUT_CORE_WIDE_KERNELS)
    if (__builtin_cpu_supports("avx2")) kernels[count++] = &avx2_node_kernels();
#endif
  }
};

const Runnable& runnable() {
  static const Runnable found;
  return found;
}

}  // namespace

std::span<const NodeKernels* const> all_node_kernels() {
  return {runnable().kernels.data(), runnable().count};
}

const NodeKernels& best_node_kernels() {
  return *runnable().kernels[runnable().count - 1];
}

}  // namespace abut::detail

// Which loops of the sweep this processor can run; the plain ones and those of SSE2, which every x86-64 has.
#include <abut/broadphase/detail/sweep_kernel_loops.h>
#include <abut/broadphase/detail/sweep_kernels_wide.h>

#include <array>
#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

/// The reference of the others.
struct PlainLanes {
  static constexpr std::size_t kWidth = 4;

  struct Query {
    Query(const SweepArrays& arrays, std::size_t i)
        : lower{arrays.lower[0][i], arrays.lower[1][i], arrays.lower[2][i]},
          upper{arrays.upper[0][i], arrays.upper[1][i], arrays.upper[2][i]},
          word(arrays.word[i]) {}
    float lower[3];
    float upper[3];
    std::uint32_t word;
  };

  static bool meets(const Query& query, const SweepArrays& b, std::size_t j) {
    return b.lower[0][j] <= query.upper[0] && b.lower[1][j] <= query.upper[1] && b.upper[1][j] >= query.lower[1] &&
           b.lower[2][j] <= query.upper[2] && b.upper[2][j] >= query.lower[2] &&
           (b.word[j] & query.word & SweepWord::kExcluding) == 0;
  }
  static void add(const Query& query, const SweepArrays& b, std::size_t j, bool hit, HitBuffer& hits) {
    hits.first[hits.count] = query.word;
    hits.second[hits.count] = b.word[j];
    hits.count += hit ? 1 : 0;
  }
  static void collect(const Query& query, const SweepArrays& b, std::size_t j, HitBuffer& hits) {
    for (std::size_t k = 0; k < kWidth; ++k) add(query, b, j + k, meets(query, b, j + k), hits);
  }
  static void collect_ending(const Query& query, const SweepArrays& b, std::size_t j, std::size_t n, HitBuffer& hits) {
    for (std::size_t k = 0; k < n; ++k) {
      add(query, b, j + k, meets(query, b, j + k) && b.upper[0][j + k] >= query.lower[0], hits);
    }
  }
};

constexpr SweepKernels kPlain = SweepLoops<PlainLanes>::kernels("plain");

#if defined(__SSE2__)

struct Sse2Lanes {
  static constexpr std::size_t kWidth = 4;

  struct Query {
    Query(const SweepArrays& arrays, std::size_t i)
        : lower{_mm_set1_ps(arrays.lower[0][i]), _mm_set1_ps(arrays.lower[1][i]), _mm_set1_ps(arrays.lower[2][i])},
          upper{_mm_set1_ps(arrays.upper[0][i]), _mm_set1_ps(arrays.upper[1][i]), _mm_set1_ps(arrays.upper[2][i])},
          words(_mm_set1_epi32(static_cast<int>(arrays.word[i]))),
          excluding(_mm_and_si128(words, _mm_set1_epi32(static_cast<int>(SweepWord::kExcluding)))) {}
    __m128 lower[3];
    __m128 upper[3];
    __m128i words;
    __m128i excluding;
  };

  static unsigned meets(const Query& query, const SweepArrays& b, std::size_t j) {
    const __m128 s = _mm_cmple_ps(_mm_loadu_ps(b.lower[0] + j), query.upper[0]);
    const __m128 u = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(b.lower[1] + j), query.upper[1]),
                                _mm_cmple_ps(query.lower[1], _mm_loadu_ps(b.upper[1] + j)));
    const __m128 v = _mm_and_ps(_mm_cmple_ps(_mm_loadu_ps(b.lower[2] + j), query.upper[2]),
                                _mm_cmple_ps(query.lower[2], _mm_loadu_ps(b.upper[2] + j)));
    const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.word + j));
    const __m128i apart = _mm_cmpeq_epi32(_mm_and_si128(words, query.excluding), _mm_setzero_si128());
    const __m128 all = _mm_and_ps(_mm_and_ps(s, _mm_castsi128_ps(apart)), _mm_and_ps(u, v));
    return static_cast<unsigned>(_mm_movemask_ps(all));
  }
  static void add(const Query& query, const SweepArrays& b, std::size_t j, unsigned mask, HitBuffer& hits) {
    const std::size_t n0 = hits.count;
    const std::size_t n1 = n0 + (mask & 1U);
    const std::size_t n2 = n1 + ((mask >> 1) & 1U);
    const std::size_t n3 = n2 + ((mask >> 2) & 1U);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(hits.first + n0), query.words);
    hits.second[n0] = b.word[j];
    hits.second[n1] = b.word[j + 1];
    hits.second[n2] = b.word[j + 2];
    hits.second[n3] = b.word[j + 3];
    hits.count = n3 + (mask >> 3);
  }
  static void collect(const Query& query, const SweepArrays& b, std::size_t j, HitBuffer& hits) {
    add(query, b, j, meets(query, b, j), hits);
  }
  static void collect_ending(const Query& query, const SweepArrays& b, std::size_t j, std::size_t n, HitBuffer& hits) {
    const auto ending =
        static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(query.lower[0], _mm_loadu_ps(b.upper[0] + j))));
    add(query, b, j, meets(query, b, j) & ending & ((1U << n) - 1), hits);
  }
};

constexpr SweepKernels kSse2 = SweepLoops<Sse2Lanes>::kernels("SSE2");

#endif

/// Filled once, when first asked for.
struct Runnable {
  std::array<const SweepKernels*, 4> kernels = {};
  std::size_t count = 0;

  Runnable() {
    kernels[count++] = &kPlain;
#if defined(__SSE2__)
    kernels[count++] = &kSse2;
#endif
#if defined(ABUT_BROADPHASE_WIDE_KERNELS)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) kernels[count++] = &avx2_sweep_kernels();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt")) {
      kernels[count++] = &avx512_sweep_kernels();
    }
#endif
  }
};

}  // namespace

std::span<const SweepKernels* const> all_sweep_kernels() {
  static const Runnable runnable;
  return {runnable.kernels.data(), runnable.count};
}

}  // namespace abut::detail

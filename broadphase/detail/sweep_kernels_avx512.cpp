// The loops of the sweep with AVX-512: sixteen candidates a block. Compiled for that instruction set whatever the
// build's.
#include <abut/broadphase/detail/sweep_kernel_loops.h>
#include <abut/broadphase/detail/sweep_kernels_wide.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

struct Avx512Lanes {
  static constexpr std::size_t kWidth = 16;

  struct Query {
    Query(const SweepArrays& arrays, std::size_t i)
        : lower{_mm512_set1_ps(arrays.lower[0][i]), _mm512_set1_ps(arrays.lower[1][i]),
                _mm512_set1_ps(arrays.lower[2][i])},
          upper{_mm512_set1_ps(arrays.upper[0][i]), _mm512_set1_ps(arrays.upper[1][i]),
                _mm512_set1_ps(arrays.upper[2][i])},
          words(_mm512_set1_epi32(static_cast<int>(arrays.word[i]))),
          excluding(_mm512_set1_epi32(static_cast<int>(arrays.word[i] & SweepWord::kExcluding))) {}
    __m512 lower[3];
    __m512 upper[3];
    __m512i words;
    __m512i excluding;
  };

  static __mmask16 meets(const Query& query, const SweepArrays& b, std::size_t j, __m512i words) {
    // Two chains of masks, so that neither waits for all of the other.
    const __mmask16 s = _mm512_cmp_ps_mask(_mm512_loadu_ps(b.lower[0] + j), query.upper[0], _CMP_LE_OQ);
    const __mmask16 u0 = _mm512_mask_cmp_ps_mask(s, _mm512_loadu_ps(b.lower[1] + j), query.upper[1], _CMP_LE_OQ);
    const __mmask16 u1 = _mm512_mask_cmp_ps_mask(u0, query.lower[1], _mm512_loadu_ps(b.upper[1] + j), _CMP_LE_OQ);
    const __mmask16 apart = _mm512_testn_epi32_mask(words, query.excluding);
    const __mmask16 v0 = _mm512_mask_cmp_ps_mask(apart, _mm512_loadu_ps(b.lower[2] + j), query.upper[2], _CMP_LE_OQ);
    const __mmask16 v1 = _mm512_mask_cmp_ps_mask(v0, query.lower[2], _mm512_loadu_ps(b.upper[2] + j), _CMP_LE_OQ);
    return static_cast<__mmask16>(u1 & v1);
  }
  static void add(const Query& query, __m512i words, __mmask16 mask, HitBuffer& hits) {
    const std::size_t n = hits.count;
    _mm512_storeu_si512(hits.first + n, query.words);
    // Compressed in a register: the form that compresses to memory is many times slower on some processors.
    _mm512_storeu_si512(hits.second + n, _mm512_maskz_compress_epi32(mask, words));
    hits.count = n + static_cast<std::size_t>(__builtin_popcount(static_cast<unsigned>(mask)));
  }
  static void collect(const Query& query, const SweepArrays& b, std::size_t j, HitBuffer& hits) {
    const __m512i words = _mm512_loadu_si512(b.word + j);
    add(query, words, meets(query, b, j, words), hits);
  }
  static void collect_ending(const Query& query, const SweepArrays& b, std::size_t j, std::size_t n, HitBuffer& hits) {
    const __m512i words = _mm512_loadu_si512(b.word + j);
    const auto inside = static_cast<__mmask16>((1U << n) - 1);
    const __mmask16 ending =
        _mm512_mask_cmp_ps_mask(inside, query.lower[0], _mm512_loadu_ps(b.upper[0] + j), _CMP_LE_OQ);
    add(query, words, static_cast<__mmask16>(meets(query, b, j, words) & ending), hits);
  }
};

constexpr SweepKernels kAvx512 = SweepLoops<Avx512Lanes>::kernels("AVX-512");

}  // namespace

const SweepKernels& avx512_sweep_kernels() {
  return kAvx512;
}

}  // namespace abut::detail

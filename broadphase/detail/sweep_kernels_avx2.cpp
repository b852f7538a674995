// The loops of the sweep with AVX2: eight candidates a block. Compiled for that instruction set whatever the build's.
#include <abut/broadphase/detail/sweep_kernel_loops.h>
#include <abut/broadphase/detail/sweep_kernels_wide.h>
#include <immintrin.h>

namespace abut::detail {
namespace {

/// For each mask of eight lanes: the numbers of its lanes, ascending, as bytes.
struct LaneTable {
  std::uint64_t lanes[256] = {};

  constexpr LaneTable() {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned count = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1U) != 0) lanes[mask] |= static_cast<std::uint64_t>(lane) << (8 * count++);
      }
    }
  }
};
constexpr LaneTable kLaneTable;

struct Avx2Lanes {
  static constexpr std::size_t kWidth = 8;

  struct Query {
    Query(const SweepArrays& arrays, std::size_t i)
        : lower{_mm256_set1_ps(arrays.lower[0][i]), _mm256_set1_ps(arrays.lower[1][i]),
                _mm256_set1_ps(arrays.lower[2][i])},
          upper{_mm256_set1_ps(arrays.upper[0][i]), _mm256_set1_ps(arrays.upper[1][i]),
                _mm256_set1_ps(arrays.upper[2][i])},
          words(_mm256_set1_epi32(static_cast<int>(arrays.word[i]))),
          excluding(_mm256_and_si256(words, _mm256_set1_epi32(static_cast<int>(SweepWord::kExcluding)))) {}
    __m256 lower[3];
    __m256 upper[3];
    __m256i words;
    __m256i excluding;
  };

  static __m256 at_most(__m256 a, __m256 b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }

  static unsigned meets(const Query& query, const SweepArrays& b, std::size_t j) {
    const __m256 s = at_most(_mm256_loadu_ps(b.lower[0] + j), query.upper[0]);
    const __m256 u = _mm256_and_ps(at_most(_mm256_loadu_ps(b.lower[1] + j), query.upper[1]),
                                   at_most(query.lower[1], _mm256_loadu_ps(b.upper[1] + j)));
    const __m256 v = _mm256_and_ps(at_most(_mm256_loadu_ps(b.lower[2] + j), query.upper[2]),
                                   at_most(query.lower[2], _mm256_loadu_ps(b.upper[2] + j)));
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b.word + j));
    const __m256i apart = _mm256_cmpeq_epi32(_mm256_and_si256(words, query.excluding), _mm256_setzero_si256());
    const __m256 all = _mm256_and_ps(_mm256_and_ps(s, _mm256_castsi256_ps(apart)), _mm256_and_ps(u, v));
    return static_cast<unsigned>(_mm256_movemask_ps(all));
  }
  static void add(const Query& query, const SweepArrays& b, std::size_t j, unsigned mask, HitBuffer& hits) {
    const std::size_t n = hits.count;
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b.word + j));
    const __m256i lanes =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLaneTable.lanes + mask)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hits.first + n), query.words);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(hits.second + n), _mm256_permutevar8x32_epi32(words, lanes));
    hits.count = n + static_cast<std::size_t>(__builtin_popcount(mask));
  }
  static void collect(const Query& query, const SweepArrays& b, std::size_t j, HitBuffer& hits) {
    add(query, b, j, meets(query, b, j), hits);
  }
  static void collect_ending(const Query& query, const SweepArrays& b, std::size_t j, std::size_t n, HitBuffer& hits) {
    const auto ending =
        static_cast<unsigned>(_mm256_movemask_ps(at_most(query.lower[0], _mm256_loadu_ps(b.upper[0] + j))));
    add(query, b, j, meets(query, b, j) & ending & ((1U << n) - 1), hits);
  }
};

constexpr SweepKernels kAvx2 = SweepLoops<Avx2Lanes>::kernels("AVX2");

}  // namespace

const SweepKernels& avx2_sweep_kernels() {
  return kAvx2;
}

}  // namespace abut::detail

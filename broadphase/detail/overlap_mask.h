// Eight closed-interval overlap tests at once: the inner loop of the sweep.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {

/// Candidates are tested in blocks of this many, so arrays need kLanes - 1 readable values after the last one.
inline constexpr std::size_t kLanes = 8;

/// One box. Axis 0 is the axis of the sweep.
struct SweepBox {
  float lower[3];
  float upper[3];
};

/// Pointers to the boxes of a sorted run, structure of arrays.
struct SweepArrays {
  const float* lower[3];
  const float* upper[3];

  [[nodiscard]] SweepBox box(std::size_t i) const {
    return {{lower[0][i], lower[1][i], lower[2][i]}, {upper[0][i], upper[1][i], upper[2][i]}};
  }
};

/// The plain form, the reference of the others. Bit k of the result is set when candidate `first + k` begins on the
/// sweep axis no later than `box` ends and overlaps it on the other two; where it ends on the sweep axis is not tested,
/// because the order of the sweep settles that.
[[nodiscard]] inline std::uint32_t overlap_mask_plain(const SweepArrays& arrays, std::size_t first,
                                                      const SweepBox& box) {
  std::uint32_t mask = 0;
  for (std::size_t k = 0; k < kLanes; ++k) {
    const std::size_t j = first + k;
    const bool hit = (arrays.lower[0][j] <= box.upper[0]) & (arrays.lower[1][j] <= box.upper[1]) &
                     (arrays.upper[1][j] >= box.lower[1]) & (arrays.lower[2][j] <= box.upper[2]) &
                     (arrays.upper[2][j] >= box.lower[2]);
    mask |= static_cast<std::uint32_t>(hit) << k;
  }
  return mask;
}

#if defined(__AVX__)

[[nodiscard]] inline std::uint32_t overlap_mask(const SweepArrays& arrays, std::size_t first, const SweepBox& box) {
  const auto at_most = [first](const float* values, float bound) {
    return _mm256_cmp_ps(_mm256_loadu_ps(values + first), _mm256_set1_ps(bound), _CMP_LE_OQ);
  };
  const auto at_least = [first](const float* values, float bound) {
    return _mm256_cmp_ps(_mm256_loadu_ps(values + first), _mm256_set1_ps(bound), _CMP_GE_OQ);
  };
  const __m256 u = _mm256_and_ps(at_most(arrays.lower[1], box.upper[1]), at_least(arrays.upper[1], box.lower[1]));
  const __m256 v = _mm256_and_ps(at_most(arrays.lower[2], box.upper[2]), at_least(arrays.upper[2], box.lower[2]));
  const __m256 hit = _mm256_and_ps(at_most(arrays.lower[0], box.upper[0]), _mm256_and_ps(u, v));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(hit));
}

#elif defined(__SSE2__)

[[nodiscard]] inline std::uint32_t overlap_mask(const SweepArrays& arrays, std::size_t first, const SweepBox& box) {
  const auto half = [&arrays, &box](std::size_t start) {
    const auto at_most = [start](const float* values, float bound) {
      return _mm_cmple_ps(_mm_loadu_ps(values + start), _mm_set1_ps(bound));
    };
    const auto at_least = [start](const float* values, float bound) {
      return _mm_cmpge_ps(_mm_loadu_ps(values + start), _mm_set1_ps(bound));
    };
    const __m128 u = _mm_and_ps(at_most(arrays.lower[1], box.upper[1]), at_least(arrays.upper[1], box.lower[1]));
    const __m128 v = _mm_and_ps(at_most(arrays.lower[2], box.upper[2]), at_least(arrays.upper[2], box.lower[2]));
    const __m128 hit = _mm_and_ps(at_most(arrays.lower[0], box.upper[0]), _mm_and_ps(u, v));
    return static_cast<std::uint32_t>(_mm_movemask_ps(hit));
  };
  return half(first) | half(first + 4) << 4;
}

#else

[[nodiscard]] inline std::uint32_t overlap_mask(const SweepArrays& arrays, std::size_t first, const SweepBox& box) {
  return overlap_mask_plain(arrays, first, box);
}

#endif

}  // namespace abut::detail

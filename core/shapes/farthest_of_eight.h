// Which of eight vertices of a list is farthest along a direction, without a branch: how a look into a map of
// directions ends. Of equals the first of those at even places is taken, else the first; all variants compute the same
// sums.
#pragma once

#include <abut/core/avx2.h>
#include <abut/core/simd.h>
#include <Eigen/Core>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

using Eigen::Vector3d;

/// @param list       Indices into `all`; shorter lists repeat a vertex.
/// @param all        Vertices, as many as the largest index asks for.
/// @param direction  Of any length. @return One of the list; along NaN the first.
inline std::uint16_t farthest_of_eight(std::span<const std::uint16_t, 8> list, const Vector3d* all,
                                       const Vector3d& direction) {
  using Pair = Simd<2>;
  const auto along = [&](std::size_t i) {
    const Vector3d& p = all[list[i]];
    const Vector3d& q = all[list[i + 1]];
    return Pair::Doubles{p.x(), q.x()} * direction.x() + Pair::Doubles{p.y(), q.y()} * direction.y() +
           Pair::Doubles{p.z(), q.z()} * direction.z();
  };
  const Pair::Doubles v01 = along(0);
  const Pair::Doubles v23 = along(2);
  const Pair::Doubles v45 = along(4);
  const Pair::Doubles v67 = along(6);
  const Pair::Integers i03 = Pair::select(v23 > v01, Pair::Integers{2, 3}, Pair::Integers{0, 1});
  const Pair::Integers i47 = Pair::select(v67 > v45, Pair::Integers{6, 7}, Pair::Integers{4, 5});
  const Pair::Doubles v03 = v23 > v01 ? v23 : v01;
  const Pair::Doubles v47 = v67 > v45 ? v67 : v45;
  const Pair::Integers i07 = Pair::select(v47 > v03, i47, i03);
  const Pair::Doubles v07 = v47 > v03 ? v47 : v03;
  return list[static_cast<std::size_t>(select(v07[1] > v07[0], i07[1], i07[0]))];
}

#if defined(ABUT_AVX2_VARIANTS)

/// Four vertices' heights along the direction whose x and y, twice, and z, four times, are given: the same sums as
/// above.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256d heights_of_four_avx2(const std::uint16_t* list,
                                                                                const Vector3d* all, __m256d xyxy,
                                                                                __m256d zzzz) {
  const double* const p = all[list[0]].data();
  const double* const q = all[list[1]].data();
  const double* const r = all[list[2]].data();
  const double* const s = all[list[3]].data();
  const __m256d xy_p_r = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(p)), _mm_loadu_pd(r), 1);
  const __m256d xy_q_s = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(q)), _mm_loadu_pd(s), 1);
  const __m128d z_p_q = _mm_loadh_pd(_mm_load_sd(p + 2), q + 2);
  const __m128d z_r_s = _mm_loadh_pd(_mm_load_sd(r + 2), s + 2);
  const __m256d xy = _mm256_hadd_pd(_mm256_mul_pd(xy_p_r, xyxy), _mm256_mul_pd(xy_q_s, xyxy));
  const __m256d z = _mm256_insertf128_pd(_mm256_castpd128_pd256(z_p_q), z_r_s, 1);
  return _mm256_add_pd(xy, _mm256_mul_pd(z, zzzz));
}

/// As above, with AVX2.
[[gnu::target("avx2"), gnu::always_inline]] inline std::uint16_t farthest_of_eight_avx2(
    std::span<const std::uint16_t, 8> list, const Vector3d* all, const Vector3d& direction) {
  const __m256d xyxy = _mm256_setr_pd(direction.x(), direction.y(), direction.x(), direction.y());
  const __m256d zzzz = _mm256_set1_pd(direction.z());
  const __m256d low = heights_of_four_avx2(list.data(), all, xyxy, zzzz);
  const __m256d high = heights_of_four_avx2(list.data() + 4, all, xyxy, zzzz);
  const __m256d larger = _mm256_max_pd(low, high);
  const __m256d of_halves = _mm256_max_pd(larger, _mm256_permute2f128_pd(larger, larger, 1));
  const __m256d largest = _mm256_max_pd(of_halves, _mm256_permute_pd(of_halves, 5));
  const int found_low = _mm256_movemask_pd(_mm256_cmp_pd(low, largest, _CMP_EQ_OQ));
  const int found_high = _mm256_movemask_pd(_mm256_cmp_pd(high, largest, _CMP_EQ_OQ));
  const auto found = static_cast<unsigned>(found_low | found_high << 4);
  const unsigned even = found & 0x55;
  // Where nothing is a number, the first.
  return list[static_cast<std::size_t>(std::countr_zero((even != 0 ? even : found) | 0x100)) % 8];
}

#endif

}  // namespace abut::detail

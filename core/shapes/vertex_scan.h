// Branch-free search for the vertex farthest along a direction, and for the box around all, several vertices at a time.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/avx2.h>
#include <abut/core/simd.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace abut::detail {

using Eigen::Vector3d;

/// Vertices in blocks of 2 * kWidth: their x, then their y, then their z.
template <std::size_t kWidth = kSimdWidth>
class VertexScan {
 public:
  VertexScan() = default;

  /// @param vertices  At least one.
  explicit VertexScan(std::span<const Vector3d> vertices) : blocks_((vertices.size() + kBlock - 1) / kBlock) {
    coordinates_.resize(3 * kBlock * blocks_);
    for (std::size_t i = 0; i < blocks_ * kBlock; ++i) {
      const Vector3d& vertex = vertices[i < vertices.size() ? i : 0];  // the padding repeats the first
      for (std::size_t k = 0; k < 3; ++k) {
        coordinates_[3 * kBlock * (i / kBlock) + k * kBlock + i % kBlock] = vertex[static_cast<Eigen::Index>(k)];
      }
    }
  }

  /// Index of a vertex farthest along `direction`; of equals in one lane of the registers the first.
  [[nodiscard]] std::uint32_t farthest(const Vector3d& direction) const {
    const Doubles x = Registers::broadcast(direction.x());
    const Doubles y = Registers::broadcast(direction.y());
    const Doubles z = Registers::broadcast(direction.z());
    const double* block = coordinates_.data();
    Doubles best_0 = along(block, x, y, z);
    Doubles best_1 = along(block + kWidth, x, y, z);
    Integers where_0{};
    Integers where_1{};
    Integers index{};
    for (std::size_t i = 1; i < blocks_; ++i) {
      block += 3 * kBlock;
      index = index + 1;
      const Doubles value_0 = along(block, x, y, z);
      const Doubles value_1 = along(block + kWidth, x, y, z);
      where_0 = Registers::select(value_0 > best_0, index, where_0);
      where_1 = Registers::select(value_1 > best_1, index, where_1);
      best_0 = value_0 > best_0 ? value_0 : best_0;
      best_1 = value_1 > best_1 ? value_1 : best_1;
    }
    // One register out of the two, then one lane of it.
    const Integers where =
        Registers::select(best_1 > best_0, where_1 * kBlockLanes + kWidthLanes, where_0 * kBlockLanes);
    const Doubles best = best_1 > best_0 ? best_1 : best_0;
    std::array<double, kWidth> value;
    std::array<std::int64_t, kWidth> vertex;
    std::memcpy(value.data(), &best, sizeof(best));
    std::memcpy(vertex.data(), &where, sizeof(where));
    for (std::size_t i = 0; i < kWidth; ++i) vertex[i] += static_cast<std::int64_t>(i);
    for (std::size_t step = 1; step < kWidth; step *= 2) {
      for (std::size_t i = 0; i < kWidth; i += 2 * step) {
        vertex[i] = select(value[i + step] > value[i], vertex[i + step], vertex[i]);
        value[i] = std::max(value[i], value[i + step]);
      }
    }
    return static_cast<std::uint32_t>(vertex[0]);
  }

  /// Around the turned vertices, in the axes that they are turned into. Whatever the registers, the same sums; none may
  /// overflow.
  [[nodiscard]] Aabb bounds(const Eigen::Matrix3d& rotation) const {
    std::array<std::array<Doubles, 3>, 3> row;
    std::array<Doubles, 3> lower;
    std::array<Doubles, 3> upper;
    const double* block = coordinates_.data();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) row[i][k] = Registers::broadcast(entry(rotation, i, k));
      lower[i] = upper[i] = along(block, row[i][0], row[i][1], row[i][2]);
    }
    for (std::size_t b = 0; b < blocks_; ++b, block += 3 * kBlock) {
      for (std::size_t half = 0; half < kBlock; half += kWidth) {
        for (std::size_t i = 0; i < 3; ++i) {
          const Doubles value = along(block + half, row[i][0], row[i][1], row[i][2]);
          lower[i] = value < lower[i] ? value : lower[i];
          upper[i] = value > upper[i] ? value : upper[i];
        }
      }
    }
    Aabb box;
    for (std::size_t i = 0; i < 3; ++i) {
      box.lower[static_cast<Eigen::Index>(i)] = -Registers::largest(-lower[i]);
      box.upper[static_cast<Eigen::Index>(i)] = Registers::largest(upper[i]);
    }
    return box;
  }

#if defined(ABUT_AVX2_VARIANTS)
  /// bounds() with AVX2, four vertices at a time.
  [[nodiscard, gnu::target("avx2")]] Aabb bounds_avx2(const Eigen::Matrix3d& rotation) const {
    static_assert(kBlock == 4);
    struct Axis {
      __m256d x, y, z, lower, upper;
    };
    std::array<Axis, 3> axes;
    for (std::size_t i = 0; i < 3; ++i) {
      axes[i].x = _mm256_set1_pd(entry(rotation, i, 0));
      axes[i].y = _mm256_set1_pd(entry(rotation, i, 1));
      axes[i].z = _mm256_set1_pd(entry(rotation, i, 2));
      axes[i].lower = _mm256_set1_pd(std::numeric_limits<double>::infinity());
      axes[i].upper = _mm256_set1_pd(-std::numeric_limits<double>::infinity());
    }
    const double* block = coordinates_.data();
    for (std::size_t b = 0; b < blocks_; ++b, block += 3 * kBlock) {
      const __m256d x = _mm256_loadu_pd(block);
      const __m256d y = _mm256_loadu_pd(block + kBlock);
      const __m256d z = _mm256_loadu_pd(block + 2 * kBlock);
      for (Axis& axis : axes) {
        const __m256d xy = _mm256_add_pd(_mm256_mul_pd(x, axis.x), _mm256_mul_pd(y, axis.y));
        const __m256d value = _mm256_add_pd(xy, _mm256_mul_pd(z, axis.z));
        axis.lower = _mm256_min_pd(axis.lower, value);  // where one is NaN the second: NaN alone ends in NaN
        axis.upper = _mm256_max_pd(axis.upper, value);
      }
    }
    Aabb box;
    for (std::size_t i = 0; i < 3; ++i) {
      const __m256d l = axes[i].lower;
      const __m256d u = axes[i].upper;
      const __m128d low = _mm_min_pd(_mm256_castpd256_pd128(l), _mm256_extractf128_pd(l, 1));
      const __m128d high = _mm_max_pd(_mm256_castpd256_pd128(u), _mm256_extractf128_pd(u, 1));
      box.lower[static_cast<Eigen::Index>(i)] = _mm_cvtsd_f64(_mm_min_sd(low, _mm_unpackhi_pd(low, low)));
      box.upper[static_cast<Eigen::Index>(i)] = _mm_cvtsd_f64(_mm_max_sd(high, _mm_unpackhi_pd(high, high)));
    }
    return box;
  }
#endif

 private:
  static constexpr std::size_t kBlock = 2 * kWidth;
  static constexpr auto kBlockLanes = static_cast<std::int64_t>(kBlock);
  static constexpr auto kWidthLanes = static_cast<std::int64_t>(kWidth);
  using Registers = Simd<kWidth>;
  using Doubles = typename Registers::Doubles;
  using Integers = typename Registers::Integers;

  static Doubles along(const double* block, const Doubles& x, const Doubles& y, const Doubles& z) {
    return Registers::load(block) * x + Registers::load(block + kBlock) * y + Registers::load(block + 2 * kBlock) * z;
  }

  static double entry(const Eigen::Matrix3d& rotation, std::size_t row, std::size_t column) {
    return rotation(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
  }

  std::vector<double> coordinates_;
  std::size_t blocks_ = 0;
};

}  // namespace abut::detail

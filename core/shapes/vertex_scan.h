// Branch-free search for the vertex farthest along a direction, several vertices at a time.
#pragma once

#include <abut/core/simd.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

  std::vector<double> coordinates_;
  std::size_t blocks_ = 0;
};

}  // namespace abut::detail

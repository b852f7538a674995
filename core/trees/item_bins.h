// Where a range of items is split: the binned surface-area heuristic.
// Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007), section 3.
#pragma once

#include <abut/core/infinity.h>
#include <abut/core/trees/float4.h>
#include <abut/core/trees/item_box.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace abut::detail {

inline constexpr std::size_t kMaxBins = 16;

/// A way to divide a range.
struct Split {
  float cost = kFloatInfinity;
  int axis = -1;               ///< None where no split leaves items on both sides.
  std::int32_t last_left = 0;  ///< Items of bins up to this one go left.
};

/// Maps centres to bins. Monotone along each axis, so that a split by bin is a split by position.
struct Binning {
  Float4 origin;
  Float4 scale;
  std::size_t bins;

  explicit Binning(const ItemRange& range)
      : origin(range.centers.lower), bins(std::min<std::size_t>(kMaxBins, 4 + range.size() / 4)) {
    float size[4];
    (range.centers.upper - range.centers.lower).store(size);
    float factor[4] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      // A little less than all bins, so that no rounding leads past the last.
      const float per_bin = 0.9999F * static_cast<float>(bins) / size[k];
      factor[k] = size[k] > 0.0F && std::isfinite(per_bin) ? per_bin : 0.0F;
    }
    scale = Float4::of(factor[0], factor[1], factor[2], 0.0F);
  }
  void operator()(const ItemBox& item, std::int32_t* bin) const {
    ((item.twice_center() - origin) * scale).store_truncated(bin);
  }
};

/// Which side of a split an item goes to, by the same numbers as its bin.
struct Side {
  std::size_t axis;
  float origin;
  float scale;
  std::int32_t last_left;

  Side(const Binning& binning, const Split& split)
      : axis(static_cast<std::size_t>(split.axis)), last_left(split.last_left) {
    float of_axes[4];
    binning.origin.store(of_axes);
    origin = of_axes[axis];
    binning.scale.store(of_axes);
    scale = of_axes[axis];
  }
  [[nodiscard]] bool is_left(const ItemBox& item) const {
    float lower[4];
    float upper[4];
    std::memcpy(lower, &item.lower, sizeof(lower));
    std::memcpy(upper, &item.upper, sizeof(upper));
    return static_cast<std::int32_t>((lower[axis] + upper[axis] - origin) * scale) <= last_left;
  }
};

/// Boxes and numbers of the items in each bin of each axis.
struct Bins {
  std::array<std::array<Float4Box, kMaxBins>, 3> box;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count;
  std::size_t used;  ///< The others are not initialised: most ranges are small and need few.

  explicit Bins(std::size_t bins) : used(bins) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t b = 0; b < used; ++b) {
        box[k][b] = Float4Box::none();
        count[k][b] = 0;
      }
    }
  }

  void add(const ItemBox& item, const std::int32_t* bin) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto b = static_cast<std::size_t>(bin[k]);
      box[k][b].merge(item.lower, item.upper);
      ++count[k][b];
    }
  }
  void add(const Bins& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t b = 0; b < used; ++b) {
        box[k][b].merge(other.box[k][b]);
        count[k][b] += other.count[k][b];
      }
    }
  }

  [[nodiscard]] std::uint32_t items_left(const Split& split) const {
    std::uint32_t sum = 0;
    for (std::size_t b = 0; b <= static_cast<std::size_t>(split.last_left); ++b) {
      sum += count[static_cast<std::size_t>(split.axis)][b];
    }
    return sum;
  }
  /// The boxes of what lies on either side of a split.
  [[nodiscard]] std::pair<ItemRange, ItemRange> boxes_beside(const Split& split) const {
    const auto axis = static_cast<std::size_t>(split.axis);
    std::pair<ItemRange, ItemRange> sides;
    for (std::size_t b = 0; b < used; ++b) {
      (static_cast<std::int32_t>(b) <= split.last_left ? sides.first : sides.second).box.merge(box[axis][b]);
    }
    return sides;
  }

  /// Of a range of so many items.
  [[nodiscard]] Split cheapest_split(std::uint32_t items) const {
    Split best;
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<float, kMaxBins> left_cost;
      Float4Box left = Float4Box::none();
      std::uint32_t left_items = 0;
      for (std::size_t b = 0; b + 1 < used; ++b) {
        left.merge(box[k][b]);
        left_items += count[k][b];
        left_cost[b] = left_items == 0 ? 0.0F : left.half_area() * static_cast<float>(left_items);
      }
      if (count[k][0] == items) continue;
      Float4Box right = Float4Box::none();
      std::uint32_t right_items = 0;
      for (std::size_t b = used - 1; b > 0; --b) {
        right.merge(box[k][b]);
        right_items += count[k][b];
        if (right_items == 0 || right_items == items) continue;
        const float cost = left_cost[b - 1] + right.half_area() * static_cast<float>(right_items);
        if (cost < best.cost) best = {cost, static_cast<int>(k), static_cast<std::int32_t>(b) - 1};
      }
    }
    return best;
  }
};

}  // namespace abut::detail

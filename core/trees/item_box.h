// The boxes of a tree's items while it is built, and ranges of items.
#pragma once

#include <abut/core/infinity.h>
#include <abut/core/trees/float4.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace abut::detail {

/// A box of floats; the fourth lanes are not used.
struct Float4Box {
  Float4 lower;
  Float4 upper;

  static Float4Box none() { return {Float4::all(kFloatInfinity), Float4::all(-kFloatInfinity)}; }
  void merge(Float4 low, Float4 high) {
    lower = min(lower, low);
    upper = max(upper, high);
  }
  void merge(const Float4Box& other) { merge(other.lower, other.upper); }
  /// Half the area of its surface.
  [[nodiscard]] float half_area() const {
    float size[4];
    (upper - lower).store(size);
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  }
};

/// Box of an item, cut to finite coordinates.
struct ItemBox {
  Float4 lower;
  Float4 upper;

  [[nodiscard]] Float4 twice_center() const { return lower + upper; }
};

/// Some items that are neighbours in the order.
struct ItemRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  Float4Box box = Float4Box::none();
  Float4Box centers = Float4Box::none();  ///< Of twice the centres.

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  void add_center(const ItemBox& item) {
    const Float4 center = item.twice_center();
    centers.merge(center, center);
  }
  void add(const ItemBox& item) {
    box.merge(item.lower, item.upper);
    add_center(item);
  }
  void add(const ItemRange& other) {
    box.merge(other.box);
    centers.merge(other.centers);
  }
  /// The longest axis of the centres' box.
  [[nodiscard]] std::size_t longest_axis() const {
    float size[4];
    (centers.upper - centers.lower).store(size);
    return static_cast<std::size_t>(std::max_element(size, size + 3) - size);
  }

  using Halves = std::pair<ItemRange, ItemRange>;
  /// What left and right hold, with their places in this range.
  [[nodiscard]] Halves halves(std::uint32_t border, ItemRange left, ItemRange right) const {
    left.begin = begin;
    left.end = border;
    right.begin = border;
    right.end = end;
    return {left, right};
  }
};

}  // namespace abut::detail

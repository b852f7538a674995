// The items of a tree in an order in which every subtree is a range of them, and the splits that make it so: binned
// surface-area heuristic, or halves.
// Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007), section 3. Departure: large
// ranges are binned and partitioned by blocks whose results do not depend on who computes them.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/infinity.h>
#include <abut/core/trees/float4.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

/// A box of floats; the fourth lanes are not used.
struct FloatBox {
  Float4 lower;
  Float4 upper;

  static FloatBox none() { return {Float4::all(kFloatInfinity), Float4::all(-kFloatInfinity)}; }
  void merge(Float4 low, Float4 high) {
    lower = min(lower, low);
    upper = max(upper, high);
  }
  void merge(const FloatBox& other) { merge(other.lower, other.upper); }
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
  FloatBox box = FloatBox::none();
  FloatBox centers = FloatBox::none();  ///< Of twice the centres.

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  void add(const ItemBox& item) {
    box.merge(item.lower, item.upper);
    const Float4 center = item.twice_center();
    centers.merge(center, center);
  }
  void add_centers(const ItemBox* first, const ItemBox* last) {
    for (const ItemBox* item = first; item != last; ++item) {
      const Float4 center = item->twice_center();
      centers.merge(center, center);
    }
  }
  void add(const ItemRange& other) {
    box.merge(other.box);
    centers.merge(other.centers);
  }
};

/// Positions count from 0. Coordinates are those of the tree's nodes (see BoxTree).
class ItemRanges {
 public:
  using Halves = std::pair<ItemRange, ItemRange>;

  /// Ranges of this size and more are split by several threads.
  static constexpr std::uint32_t kParallelItems = 16384;

  /// The items in the order in which they are given.
  /// @param boxes   One an item, not empty; infinite sides are allowed.
  /// @param origin  Of the tree, metres.
  /// @param unit    Of the tree, metres.
  ItemRanges(std::span<const Aabb> boxes, const Vector3d& origin, double unit);

  [[nodiscard]] ItemRange whole() const { return range_of(0, count_); }
  [[nodiscard]] ItemRange range_of(std::uint32_t begin, std::uint32_t end) const;

  /// Orders a range of two items or more so that it falls into two. Disjoint ranges may be split at the same time.
  /// @param must_halve  In the middle, whatever it costs.
  Halves split(const ItemRange& range, bool must_halve);

  /// Sets bits of the item at a position.
  void mark(std::uint32_t position, std::uint32_t bits) { items_[position] |= bits; }
  /// In their order.
  [[nodiscard]] std::vector<std::uint32_t> items() const { return {items_.get(), items_.get() + count_}; }

 private:
  struct Binning;
  struct Bins;
  struct Side;

  [[nodiscard]] const ItemBox* box(std::uint32_t position) const { return boxes_.get() + position; }
  void fill(Bins& bins, const ItemRange& range, const Binning& binning) const;
  Halves split_few(const ItemRange& range);
  Halves partition(const ItemRange& range, const Side& side, const Bins& bins);
  Halves partition_blocks(const ItemRange& range, const Side& side, const Bins& bins);
  Halves halve(const ItemRange& range);

  // Not vectors: their pages are first touched by the threads that write them.
  std::uint32_t count_;
  std::unique_ptr<ItemBox[]> boxes_;
  std::unique_ptr<std::uint32_t[]> items_;
};

}  // namespace abut::detail

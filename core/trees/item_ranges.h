// The items of a tree in an order in which every subtree is a range of them, and the splits of large ranges that make
// it so: item_bins.h tells where. They are binned and partitioned by blocks, whose results do not depend on who
// computes them.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/trees/item_box.h>
#include <abut/core/trees/small_item_ranges.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace abut::detail {

struct Binning;
struct Bins;
struct Side;

/// Positions count from 0. Coordinates are those of the tree's nodes (see BoxTree).
class ItemRanges {
 public:
  /// Ranges of this size and more are split by several threads.
  static constexpr std::uint32_t kParallelItems = SmallItemRanges::kMostItems;

  /// The items in the order in which they are given.
  /// @param boxes   One an item, not empty; infinite sides are allowed.
  /// @param origin  Of the tree, metres.
  /// @param unit    Of the tree, metres.
  ItemRanges(std::span<const Aabb> boxes, const Vector3d& origin, double unit);

  [[nodiscard]] ItemRange whole() const { return range_of(0, count_); }
  [[nodiscard]] ItemRange range_of(std::uint32_t begin, std::uint32_t end) const;

  /// Orders a range of two items or more so that it falls into two. Disjoint ranges may be split at the same time.
  /// @param must_halve  In the middle, whatever it costs.
  ItemRange::Halves split(const ItemRange& range, bool must_halve);

  /// To split a range of no more than SmallItemRanges::kMostItems and what it falls into; the boxes stay where they
  /// are.
  [[nodiscard]] SmallItemRanges small(const ItemRange& range) {
    return {range, boxes_.get() + range.begin, items_.get() + range.begin};
  }

  /// Sets bits of the item at a position.
  void mark(std::uint32_t position, std::uint32_t bits) { items_[position] |= bits; }
  /// In their order.
  [[nodiscard]] std::vector<std::uint32_t> items() const { return {items_.get(), items_.get() + count_}; }

 private:
  void fill(Bins& bins, const ItemRange& range, const Binning& binning) const;
  ItemRange::Halves partition(const ItemRange& range, const Side& side, std::uint32_t border);
  ItemRange::Halves halve(const ItemRange& range);

  std::uint32_t count_;
  // Not vectors: their pages are first touched by the threads that fill them.
  std::unique_ptr<ItemBox[]> boxes_;
  std::unique_ptr<std::uint32_t[]> items_;
};

}  // namespace abut::detail

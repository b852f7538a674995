// Splits of a range that one thread works on, and of what it falls into: only places move, not the boxes.
#pragma once

#include <abut/core/trees/item_box.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

/// Positions are those of ItemRanges.
class SmallItemRanges {
 public:
  static constexpr std::uint32_t kMostItems = 16384;
  static_assert(kMostItems <= 1u << 16);  // places have two bytes

  /// Of no range yet.
  SmallItemRanges() = default;
  /// As assign().
  SmallItemRanges(const ItemRange& range, const ItemBox* boxes, std::uint32_t* items) { assign(range, boxes, items); }

  /// Takes a range in the order in which it is given, in the memory that there is.
  /// @param range  Of kMostItems or fewer.
  /// @param boxes  Those of the range, from its first; they outlive this.
  /// @param items  The same; their numbers tell apart what lies at one place.
  void assign(const ItemRange& range, const ItemBox* boxes, std::uint32_t* items);

  /// Orders two items or more so that they fall into two ranges.
  /// @param must_halve  In the middle, whatever it costs.
  ItemRange::Halves split(const ItemRange& range, bool must_halve);
  [[nodiscard]] ItemRange range_of(std::uint32_t begin, std::uint32_t end) const;

  /// Brings the items into the order of the ranges, at the end.
  void order_items();

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const {
    return place_.capacity() * sizeof(place_[0]) + bins_.capacity() * sizeof(bins_[0]) +
           right_.capacity() * sizeof(right_[0]);
  }

 private:
  [[nodiscard]] const ItemBox& box(std::uint32_t position) const { return boxes_[place_[position - first_]]; }
  ItemRange::Halves split_few(const ItemRange& range);
  ItemRange::Halves halve(const ItemRange& range);

  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
  const ItemBox* boxes_ = nullptr;
  std::uint32_t* items_ = nullptr;
  std::vector<std::uint16_t> place_;  // by position: where its box and its item lie
  std::vector<std::uint32_t> bins_;   // by position: a byte an axis
  std::vector<std::uint16_t> right_;  // room for those that go right
};

}  // namespace abut::detail

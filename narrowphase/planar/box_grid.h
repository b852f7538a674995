// A uniform grid of fixed boxes in the plane. Where boxes are spread evenly it finds those that touch a small one in
// half the time of a tree; where they are not, it says so and is left empty.
#pragma once

#include <abut/narrowphase/planar/packed_box_tree.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::planar::detail {

/// Boxes beyond the cells count for the outermost ones, and boxes over many cells are kept in a list beside them, so
/// that memory grows with the number of boxes and nothing else.
class BoxGrid {
 public:
  BoxGrid() = default;
  /// @param boxes  Not NaN.
  explicit BoxGrid(std::span<const FloatBox> boxes);

  /// False: boxes are few, of too many sizes, or crowded in a few cells.
  [[nodiscard]] bool is_useful() const { return !first_.empty(); }

  /// Calls visit(number of the box) for all boxes that touch this one, some of them more than once, in a fixed order,
  /// until it returns true. Where the answer to `is_for` is no, a tree is better.
  template <class Visit>
  bool find_touching(const FloatBox& box, Visit&& visit) const;
  [[nodiscard]] bool is_for(const FloatBox& box) const;

 private:
  struct Item {
    FloatBox box;
    std::uint32_t number;
  };
  /// Rows and columns of cells, both ends included.
  struct Range {
    std::array<std::uint32_t, 2> lower;
    std::array<std::uint32_t, 2> upper;

    [[nodiscard]] std::size_t count() const {
      return std::size_t{upper[0] - lower[0] + 1} * std::size_t{upper[1] - lower[1] + 1};
    }
  };

  // Rounding does not change the order of coordinates, so boxes that touch share a cell. NaN means all cells.
  [[nodiscard]] Range range_of(const FloatBox& box) const {
    Range range;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto last = static_cast<float>(size_[axis] - 1);
      const float low = (box.lower[axis] - origin_[axis]) * cells_per_metre_;
      const float high = (box.upper[axis] - origin_[axis]) * cells_per_metre_;
      range.lower[axis] = static_cast<std::uint32_t>(low > 0.0f ? std::min(low, last) : 0.0f);
      range.upper[axis] = static_cast<std::uint32_t>(high < last ? std::max(high, 0.0f) : last);
    }
    return range;
  }

  std::array<float, 2> origin_{};
  float cells_per_metre_ = 0.0f;
  std::array<std::uint32_t, 2> size_{};
  std::vector<std::uint32_t> first_;  // of the items of each cell, row by row, and one more at the end
  std::vector<Item> items_;
  std::vector<Item> large_;
};

inline bool BoxGrid::is_for(const FloatBox& box) const {
  constexpr std::size_t kMostCells = 64;
  return is_useful() && range_of(box).count() <= kMostCells;
}

template <class Visit>
bool BoxGrid::find_touching(const FloatBox& box, Visit&& visit) const {
  // So that NaN touches, and without a branch for each side.
  const auto touches = [&box](const Item& item) {
    const int sides_apart = int{item.box.lower[0] > box.upper[0]} + int{box.lower[0] > item.box.upper[0]} +
                            int{item.box.lower[1] > box.upper[1]} + int{box.lower[1] > item.box.upper[1]};
    return sides_apart == 0;
  };
  for (const Item& item : large_) {
    if (touches(item) && visit(item.number)) return true;
  }
  const Range range = range_of(box);
  for (std::size_t row = range.lower[1]; row <= range.upper[1]; ++row) {
    const std::uint32_t* cells = &first_[row * size_[0]];
    const Item* const end = items_.data() + cells[range.upper[0] + 1];
    for (const Item* item = items_.data() + cells[range.lower[0]]; item != end; ++item) {
      if (touches(*item) && visit(item->number)) return true;
    }
  }
  return false;
}

}  // namespace abut::planar::detail

// The grid of columns of a sweep: which columns a box lies in.
// Source: Ericson, Real-Time Collision Detection (2005), section 7.1.3 (hashed grids). Departures: the hash is linear,
// so that the few cells of one box are sure to differ; a box knows in which of its columns it comes first.
#pragma once

#include <abut/broadphase/box_table.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut::detail {

/// Cells of equal width on the two axes across the sweep, laid around a cycle of `columns` columns.
///
/// A box is entered in every column that its cells map to. Two boxes that overlap share at least one cell; among the
/// shared cells the one with the least coordinates is the first cell, along each axis, of at least one of the two. So
/// marking each entry with "first along u" and "first along v" lets exactly one column report the pair.
struct ColumnGrid {
  /// Widest box on u and v, in cells. Such a box covers at most kMaxCells cells an axis.
  static constexpr float kMaxWidths = 2.0F;
  static constexpr int kMaxCells = 4;
  /// Columns of a grid that is cut at all. With fewer of them two cells 2 kMaxCells apart could share a column, and a
  /// pair be reported twice. Below it there is one column.
  static constexpr std::uint32_t kMinColumns = 128;
  static constexpr std::uint32_t kMaxColumns = std::uint32_t{1} << 18;
  /// Cells beyond this are one; within it, cell numbers are exact in float to half a cell.
  static constexpr float kMaxCell = 4194304.0F;

  std::size_t sweep_axis = 0;
  std::size_t u_axis = 1;
  std::size_t v_axis = 2;
  float origin_u = 0.0F;
  float origin_v = 0.0F;
  float cells_per_metre = 1.0F;
  /// Larger boxes, in metres on u or v, do not belong here.
  float size_limit = std::numeric_limits<float>::infinity();
  std::uint32_t columns = 1;  ///< A power of two.
  std::uint32_t row_stride = 0;

  /// Rounds towards minus infinity; never decreases when `x` increases, whatever the rounding.
  [[nodiscard]] int cell(float x, float origin) const {
    const float scaled = (x - origin) * cells_per_metre;
    const float above = scaled > -kMaxCell ? scaled : -kMaxCell;
    const float clamped = above < kMaxCell ? above : kMaxCell;
    const int truncated = static_cast<int>(clamped);
    return truncated - static_cast<int>(static_cast<float>(truncated) > clamped);
  }

  [[nodiscard]] std::uint32_t column(int cell_u, int cell_v) const {
    return (static_cast<std::uint32_t>(cell_u) + row_stride * static_cast<std::uint32_t>(cell_v)) & (columns - 1);
  }

  /// The larger extent across the sweep, metres; infinity and more than the largest float are the same here.
  [[nodiscard]] float size_of(const FloatBox& box) const {
    return std::max(box.upper[u_axis] - box.lower[u_axis], box.upper[v_axis] - box.lower[v_axis]);
  }

  /// The columns of a box in one word: the first one, and how many cells it covers along u and v besides.
  struct Code {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};  ///< The box does not belong here.
    static constexpr unsigned kShiftU = 18;
    static constexpr unsigned kShiftV = 20;

    [[nodiscard]] static std::uint32_t more_u(std::uint32_t code) { return (code >> kShiftU) & 3U; }
    [[nodiscard]] static std::uint32_t more_v(std::uint32_t code) { return (code >> kShiftV) & 3U; }
  };

  /// Codes of `count` ids from `first` on, widened.
  void find_codes(const BoxTable& table, std::uint32_t first, std::size_t count, std::uint32_t* codes) const;

  /// Calls visit(column, is_first_u, is_first_v) for each column of a code; each column once.
  template <class Visit>
  void visit_columns(std::uint32_t code, const Visit& visit) const {
    const std::uint32_t first = code & (kMaxColumns - 1);
    for (std::uint32_t v = 0; v <= Code::more_v(code); ++v) {
      for (std::uint32_t u = 0; u <= Code::more_u(code); ++u) {
        visit((first + u + v * row_stride) & (columns - 1), u == 0, v == 0);
      }
    }
  }
};

/// So many boxes tell enough of the sizes and the spread of all: the quartiles are then right to a few per cent of
/// rank.
inline constexpr std::size_t kMaxSample = 128;

/// The grid for boxes of about the size of a sample.
/// @param sample  Some of the boxes, not empty, at most kMaxSample.
/// @param count   Number of boxes that will be entered.
/// @param finer   The grid of the next smaller boxes, whose axes are kept; null for the first grid.
[[nodiscard]] ColumnGrid choose_grid(std::span<const FloatBox> sample, std::size_t count, const ColumnGrid* finer);

}  // namespace abut::detail

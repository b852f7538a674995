// The grid of columns of a sweep: which columns a box lies in.
// Source: Ericson, Real-Time Collision Detection (2005), section 7.1.3 (hashed grids). Departures: the hash is linear,
// so that the few cells of one box are sure to differ; a box knows in which of its columns it comes first.
#pragma once

#include <abut/broadphase/proxy_table.h>

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
    const float scaled = std::clamp((x - origin) * cells_per_metre, -kMaxCell, kMaxCell);
    const int truncated = static_cast<int>(scaled);
    return truncated - static_cast<int>(static_cast<float>(truncated) > scaled);
  }

  [[nodiscard]] std::uint32_t column(int cell_u, int cell_v) const {
    return (static_cast<std::uint32_t>(cell_u) + row_stride * static_cast<std::uint32_t>(cell_v)) & (columns - 1);
  }

  /// The larger extent across the sweep, metres; infinity and more than the largest float are the same here.
  [[nodiscard]] float size_of(const BoxArrays& boxes, std::size_t id) const {
    return std::max(boxes.upper[u_axis][id] - boxes.lower[u_axis][id],
                    boxes.upper[v_axis][id] - boxes.lower[v_axis][id]);
  }

  /// Calls visit(column, first_u, first_v) for each column of a box; each column once.
  template <class Visit>
  void visit_columns(const BoxArrays& boxes, std::size_t id, Visit&& visit) const {
    if (columns == 1) {
      visit(std::uint32_t{0}, true, true);
      return;
    }
    const int first_u = cell(boxes.lower[u_axis][id], origin_u);
    const int first_v = cell(boxes.lower[v_axis][id], origin_v);
    const int last_u = cell(boxes.upper[u_axis][id], origin_u);
    const int last_v = cell(boxes.upper[v_axis][id], origin_v);
    for (int v = first_v; v <= last_v; ++v) {
      for (int u = first_u; u <= last_u; ++u) visit(column(u, v), u == first_u, v == first_v);
    }
  }
};

/// So many boxes tell enough of the sizes and the spread of all: the quartiles are then right to a few per cent of
/// rank.
inline constexpr std::size_t kMaxSample = 128;

/// The grid for boxes of about the size of `sample`.
/// @param boxes   Boxes of all proxies.
/// @param sample  Ids of some of them, not empty, at most kMaxSample.
/// @param count   Number of boxes that will be entered.
/// @param finer   The grid of the next smaller boxes, whose axes are kept; null for the first grid.
[[nodiscard]] ColumnGrid choose_grid(const BoxArrays& boxes, std::span<const std::uint32_t> sample, std::size_t count,
                                     const ColumnGrid* finer);

}  // namespace abut::detail

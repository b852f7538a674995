// Two pieces whose relative pose depends on one or two variables: what is proven about them, cell by cell.
//
// Neighbouring links of an arm, which are never far apart, are settled by one look, and all along a motion by the cells
// that it passes through (Amanatides, Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing", 1987).
#pragma once

#include <abut/core/infinity.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace abut::detail {

/// One of the variables of a table.
struct TableAxis {
  std::uint32_t variable = 0;  ///< Of a configuration.
  double lower = 0.0;          ///< Radians or metres.
  double upper = 0.0;
};

class PairTable {
 public:
  /// What is proven for a cell: a distance that the pieces keep in all of it, kUnknown or kCollides.
  /// @param middle, half  Of the cell: one number an axis, radians or metres.
  using ProveCell = std::function<double(std::span<const double> middle, std::span<const double> half)>;

  static constexpr double kUnknown = 0.0;
  static constexpr double kCollides = -1.0;

  PairTable() = default;
  /// @param axes   One or two, each with lower < upper.
  /// @param cells  Along each axis.
  PairTable(std::span<const TableAxis> axes, std::size_t cells, const ProveCell& prove);

  /// A distance, metres, that the pieces are certain to keep in the cell of a configuration; or kUnknown, also outside
  /// of the table, or kCollides.
  /// @param stride  From one number of the configuration to the next.
  [[nodiscard]] float at(const double* configuration, std::size_t stride = 1) const {
    const double x = (configuration[stride * axes_[0].variable] - axes_[0].lower) * scale_[0];
    const double y = (configuration[stride * axes_[1].variable] - axes_[1].lower) * scale_[1];
    if (!(x >= 0.0 && x < cells_[0] && y >= 0.0 && y < cells_[1])) return 0.0F;
    return values_[static_cast<std::size_t>(x) * stride_ + static_cast<std::size_t>(y)];
  }

  /// What is proven along a straight motion.
  struct Way {
    unsigned open = 0;           ///< Stretches of equal length in which the pieces are not proven apart: a bit each.
    double contact = kInfinity;  ///< A fraction at which they are proven to collide, or infinity.
  };
  /// @param from, change  The configuration at 0 and its change to 1. @param stretches  At most 32.
  [[nodiscard]] Way along(const double* from, const double* change, unsigned stretches) const;

 private:
  /// Cells along a side of a block.
  static constexpr double kBlock = 8.0;

  [[nodiscard]] bool is_inside(const std::array<double, 2>& cell, double width) const {
    return cell[0] >= 0.0 && cell[0] * width < cells_[0] && cell[1] >= 0.0 && cell[1] * width < cells_[1];
  }
  static std::size_t index_of(const std::array<double, 2>& cell, std::size_t stride) {
    return static_cast<std::size_t>(cell[0]) * stride + static_cast<std::size_t>(cell[1]);
  }

  std::array<TableAxis, 2> axes_;  // of one axis, the second is the first once more with a single cell
  std::array<double, 2> scale_{};
  std::array<double, 2> cells_{};
  std::size_t stride_ = 1;
  std::vector<float> values_;
  std::size_t block_stride_ = 1;
  std::vector<std::uint8_t> is_block_clear_;  // a block of cells: all of them are proven apart
};

}  // namespace abut::detail

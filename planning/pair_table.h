// Two pieces whose relative pose depends on one or two variables: what is proven about them, cell by cell.
//
// The distance of two bodies changes by no more than their points move, so the distance at the middle of a cell, less
// the farthest that points move from there within the cell, bounds it in the whole cell from below, and likewise from
// above. Neighbouring links of an arm, which are never far apart, are settled by one look.
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
  double rate = 0.0;  ///< Points of one piece move no more than this against the other, metres per unit.
};

class PairTable {
 public:
  /// Signed distance at values of the axes, and the error of it.
  struct Gap {
    double distance;
    double error;
  };
  using GapAt = std::function<Gap(std::span<const double> values)>;

  /// What is proven nowhere.
  static constexpr float kUnknown = 0.0F;
  /// In collision all over a cell.
  static constexpr float kCollides = -1.0F;

  PairTable() = default;
  /// @param axes   One or two, each with lower < upper.
  /// @param cells  Along each axis.
  PairTable(std::span<const TableAxis> axes, std::size_t cells, const GapAt& gap_at);

  /// A distance, metres, that the pieces are certain to keep in the cell of a configuration; or kUnknown, also outside
  /// of the table, or kCollides.
  [[nodiscard]] float at(const double* configuration) const {
    const double x = (configuration[axes_[0].variable] - axes_[0].lower) * scale_[0];
    const double y = (configuration[axes_[1].variable] - axes_[1].lower) * scale_[1];
    if (!(x >= 0.0 && x < cells_[0] && y >= 0.0 && y < cells_[1])) return kUnknown;
    return values_[static_cast<std::size_t>(x) * stride_ + static_cast<std::size_t>(y)];
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }

 private:
  std::array<TableAxis, 2> axes_;  // of one axis, the second is the first once more with a single cell
  std::array<double, 2> scale_{};
  std::array<double, 2> cells_{};
  std::size_t stride_ = 1;
  std::vector<float> values_;
};

}  // namespace abut::detail

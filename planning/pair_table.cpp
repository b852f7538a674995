#include <abut/planning/pair_table.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

/// Distances are kept in floats, rounded down.
constexpr double kRoundedDown = 1.0 - 1e-6;
/// Cells reach into each other by this much of their width, for the rounding of the look-up.
constexpr double kOverlap = 1e-6;
/// A way through cells goes on by at least this fraction of it; less than the overlap of cells for ways of less than a
/// thousand cells.
constexpr double kLeastStep = 1e-9;

}  // namespace

PairTable::PairTable(std::span<const TableAxis> axes, std::size_t cells, const ProveCell& prove)
    : axes_{axes.front(), axes.back()}, stride_(axes.size() == 2 ? cells : 1) {
  for (std::size_t i = 0; i < 2; ++i) {
    cells_[i] = i < axes.size() ? static_cast<double>(cells) : 1.0;
    scale_[i] = cells_[i] / (axes_[i].upper - axes_[i].lower);
  }
  values_.resize(cells * stride_);
  tbb::parallel_for(std::size_t{0}, values_.size(), [&](std::size_t index) {
    const std::array<std::size_t, 2> cell = {index / stride_, index % stride_};
    std::array<double, 2> middle{};
    std::array<double, 2> half{};
    for (std::size_t i = 0; i < axes.size(); ++i) {
      middle[i] = axes_[i].lower + (static_cast<double>(cell[i]) + 0.5) / scale_[i];
      half[i] = (0.5 + kOverlap) / scale_[i];
    }
    values_[index] = static_cast<float>(kRoundedDown * prove({middle.data(), axes.size()}, {half.data(), axes.size()}));
  });

  constexpr auto kWidth = static_cast<std::size_t>(kBlock);
  block_stride_ = (stride_ + kWidth - 1) / kWidth;
  is_block_clear_.assign((cells + kWidth - 1) / kWidth * block_stride_, 1);
  for (std::size_t index = 0; index < values_.size(); ++index) {
    if (values_[index] > 0.0F) continue;
    is_block_clear_[index / stride_ / kWidth * block_stride_ + index % stride_ / kWidth] = 0;
  }
  // A block that reaches beyond the table is not clear there. (Beyond one axis is beyond its twin as well.)
  if (cells % kWidth == 0) return;
  for (std::size_t i = 0; i <= cells / kWidth; ++i) {
    is_block_clear_[cells / kWidth * block_stride_ + std::min(i, block_stride_ - 1)] = 0;
    if (axes.size() == 2) is_block_clear_[i * block_stride_ + cells / kWidth] = 0;
  }
}

PairTable::Way PairTable::along(const double* from, const double* change, unsigned stretches) const {
  // In cells; the sides of cells are met at t = next[i] and every every[i] from there.
  std::array<double, 2> at{};
  std::array<double, 2> slope{};
  for (std::size_t i = 0; i < 2; ++i) {
    at[i] = (from[axes_[i].variable] - axes_[i].lower) * scale_[i];
    slope[i] = change[axes_[i].variable] * scale_[i];
  }
  Way way;
  const auto open = [&way, stretches](double begin, double end) {
    const double count = stretches;
    const auto first = static_cast<unsigned>(std::clamp(begin * count - kOverlap, 0.0, count - 1.0));
    const auto last = static_cast<unsigned>(std::clamp(end * count + kOverlap, 0.0, count - 1.0));
    for (unsigned i = first; i <= last; ++i) way.open |= 1U << i;
  };
  // The cell ahead on a grid whose cells are so many times as wide, and where the way leaves it.
  struct Step {
    std::array<double, 2> cell;
    double end;
  };
  const auto step = [&at, &slope](double t, double width) {
    Step ahead{{}, 1.0};
    for (std::size_t i = 0; i < 2; ++i) {
      const double x = at[i] + t * slope[i];
      ahead.cell[i] = std::floor((x + std::copysign(kOverlap, slope[i])) / width);
      if (slope[i] > 0.0) ahead.end = std::min(ahead.end, (width * (ahead.cell[i] + 1.0) - at[i]) / slope[i]);
      if (slope[i] < 0.0) ahead.end = std::min(ahead.end, (width * ahead.cell[i] - at[i]) / slope[i]);
    }
    ahead.end = std::max(ahead.end, t + kLeastStep);
    return ahead;
  };
  double t = 0.0;
  while (t < 1.0) {
    const Step block = step(t, kBlock);
    if (is_inside(block.cell, kBlock) && is_block_clear_[index_of(block.cell, block_stride_)] != 0) {
      t = block.end;
      continue;
    }
    while (t < block.end && t < 1.0) {
      const Step ahead = step(t, 1.0);
      const float value = is_inside(ahead.cell, 1.0) ? values_[index_of(ahead.cell, stride_)] : 0.0F;
      if (value <= 0.0F) open(t, ahead.end);
      if (value < 0.0F) way.contact = std::min(way.contact, 0.5 * (t + std::min(ahead.end, 1.0)));
      t = ahead.end;
    }
  }
  return way;
}

}  // namespace abut::detail

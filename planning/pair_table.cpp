#include <abut/planning/pair_table.h>
#include <tbb/parallel_for.h>

#include <cmath>

namespace abut::detail {
namespace {

/// Distances are kept in floats, rounded down.
constexpr double kRoundedDown = 1.0 - 1e-6;
/// Cells reach into each other by this much of their width, for the rounding of the look-up.
constexpr double kOverlap = 1e-9;

}  // namespace

PairTable::PairTable(std::span<const TableAxis> axes, std::size_t cells, const GapAt& gap_at)
    : axes_{axes.front(), axes.back()}, stride_(axes.size() == 2 ? cells : 1) {
  for (std::size_t i = 0; i < 2; ++i) {
    const bool is_single = i >= axes.size();
    cells_[i] = is_single ? 1.0 : static_cast<double>(cells);
    scale_[i] = cells_[i] / (axes_[i].upper - axes_[i].lower);
  }
  values_.resize(cells * stride_);
  tbb::parallel_for(std::size_t{0}, values_.size(), [&](std::size_t index) {
    const std::array<std::size_t, 2> cell = {index / stride_, index % stride_};
    std::array<double, 2> middle{};
    double motion = 0.0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      middle[i] = axes_[i].lower + (static_cast<double>(cell[i]) + 0.5) / scale_[i];
      motion += axes_[i].rate * (0.5 + kOverlap) / scale_[i];
    }
    const Gap gap = gap_at({middle.data(), axes.size()});
    float value = kUnknown;
    if (gap.distance - gap.error > motion) {
      value = static_cast<float>((gap.distance - gap.error - motion) * kRoundedDown);
    } else if (gap.distance + gap.error < -motion) {
      value = kCollides;
    }
    values_[index] = value;
  });
}

}  // namespace abut::detail

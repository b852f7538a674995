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
  double t = 0.0;
  while (t < 1.0) {
    // The cell ahead, and where the way leaves it.
    std::array<double, 2> cell{};
    double end = 1.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double x = at[i] + t * slope[i];
      cell[i] = std::floor(x + std::copysign(kOverlap, slope[i]));
      if (slope[i] > 0.0) end = std::min(end, (cell[i] + 1.0 - at[i]) / slope[i]);
      if (slope[i] < 0.0) end = std::min(end, (cell[i] - at[i]) / slope[i]);
    }
    end = std::max(end, t + kLeastStep);
    const bool is_inside = cell[0] >= 0.0 && cell[0] < cells_[0] && cell[1] >= 0.0 && cell[1] < cells_[1];
    const float value =
        is_inside ? values_[static_cast<std::size_t>(cell[0]) * stride_ + static_cast<std::size_t>(cell[1])] : 0.0F;
    if (value <= 0.0F) open(t, end);
    if (value < 0.0F) way.contact = std::min(way.contact, 0.5 * (t + std::min(end, 1.0)));
    t = end;
  }
  return way;
}

}  // namespace abut::detail

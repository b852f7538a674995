#include <abut/narrowphase/planar/box_grid.h>

#include <cmath>

namespace abut::planar::detail {
namespace {

constexpr std::size_t kFewestBoxes = 16;
constexpr double kCellsPerBox = 4.0;
constexpr std::size_t kMostCellsPerBox = 16;  // of one box; larger ones are kept apart
constexpr std::size_t kMostLarge = 32;
constexpr double kMostInCell = 8.0;  // as a box finds it; a tree is as fast from about there on

// The value below which that share of them lies. @param values  Not empty.
float quantile(std::vector<float>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

BoxGrid::BoxGrid(std::span<const FloatBox> boxes) {
  if (boxes.size() < kFewestBoxes) return;
  // The cells cover where the middles of nearly all boxes lie.
  std::array<double, 2> extent{};
  double side = 0.0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    std::vector<float> middles;
    std::vector<float> sides;
    for (const FloatBox& box : boxes) {
      middles.push_back(0.5f * box.lower[axis] + 0.5f * box.upper[axis]);
      sides.push_back(0.5f * box.upper[axis] - 0.5f * box.lower[axis]);
    }
    origin_[axis] = quantile(middles, 0.02);
    extent[axis] = static_cast<double>(quantile(middles, 0.98)) - static_cast<double>(origin_[axis]);
    side = std::max(side, static_cast<double>(quantile(sides, 0.5)));
  }
  const double most_cells = kCellsPerBox * static_cast<double>(boxes.size());
  side = std::max(
      {side, std::sqrt(extent[0]) * std::sqrt(extent[1] / most_cells), 2.0 * (extent[0] + extent[1]) / most_cells});
  cells_per_metre_ = static_cast<float>(1.0 / side);
  if (!(cells_per_metre_ > 1e-30f && cells_per_metre_ < 1e30f)) return;
  for (std::size_t axis = 0; axis < 2; ++axis) size_[axis] = static_cast<std::uint32_t>(extent[axis] / side) + 1;

  std::vector<std::uint32_t> first(std::size_t{size_[0]} * size_[1] + 1, 0);
  const auto visit_cells = [this](const Range& range, auto&& visit) {
    for (std::size_t row = range.lower[1]; row <= range.upper[1]; ++row) {
      for (std::size_t column = range.lower[0]; column <= range.upper[0]; ++column) visit(row * size_[0] + column);
    }
  };
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const Range range = range_of(boxes[i]);
    if (range.count() > kMostCellsPerBox) {
      large_.push_back({boxes[i], i});
      if (large_.size() > kMostLarge) return;
    } else {
      visit_cells(range, [&first](std::size_t cell) { ++first[cell + 1]; });
    }
  }
  double items = 0.0;
  double meetings = 0.0;
  for (const std::uint32_t count : first) {
    items += static_cast<double>(count);
    meetings += static_cast<double>(count) * static_cast<double>(count);
  }
  if (meetings > kMostInCell * items) return;

  for (std::size_t cell = 1; cell < first.size(); ++cell) first[cell] += first[cell - 1];
  items_.resize(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    const Range range = range_of(boxes[i]);
    if (range.count() > kMostCellsPerBox) continue;
    visit_cells(range, [&](std::size_t cell) { items_[next[cell]++] = {boxes[i], i}; });
  }
  first_ = std::move(first);
}

}  // namespace abut::planar::detail

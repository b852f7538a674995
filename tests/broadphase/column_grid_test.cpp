// The grid of columns: what keeps each pair from being lost or reported twice.
#include <abut/broadphase/detail/column_grid.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace abut::detail {
namespace {

/// A grid of the given number of columns, as choose_grid makes it for equal boxes.
ColumnGrid grid_with(std::uint32_t columns) {
  BoxArrays boxes;
  boxes.resize(2, 0.0F, 1.0F);
  boxes.lower[0][1] = 100.0F;
  boxes.upper[0][1] = 101.0F;
  const std::vector<std::uint32_t> sample = {0, 1};
  return choose_grid(boxes, sample, std::size_t{8} * columns, nullptr);
}

TEST(ColumnGrid, KeepsCellsOfOverlappingBoxesInDifferentColumns) {
  // The cells of two boxes that share a cell are at most 2 (kMaxCells - 1) apart.
  constexpr int kReach = 2 * (ColumnGrid::kMaxCells - 1);
  for (std::uint32_t columns = ColumnGrid::kMinColumns; columns <= ColumnGrid::kMaxColumns; columns *= 2) {
    SCOPED_TRACE(testing::Message() << columns << " columns");
    const ColumnGrid grid = grid_with(columns);
    ASSERT_EQ(grid.columns, columns);
    for (int v = -kReach; v <= kReach; ++v) {
      for (int u = -kReach; u <= kReach; ++u) {
        if (u == 0 && v == 0) continue;
        ASSERT_NE(grid.column(u, v), grid.column(0, 0)) << u << ", " << v;
      }
    }
  }
}

TEST(ColumnGrid, CoversFewCellsWithAnyBoxItTakes) {
  test::Random random(21);
  BoxArrays boxes;
  boxes.resize(2000, 0.0F, 0.0F);
  std::vector<std::uint32_t> sample;
  for (std::uint32_t id = 0; id < 2000; ++id) {
    // Positions up to far beyond the exact cells, some sizes up to beyond what the grid takes.
    const double largest = id % 10 == 0 ? 80.0 : 10.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      boxes.lower[axis][id] = static_cast<float>(random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(0.0, 9.0)));
      boxes.upper[axis][id] = boxes.lower[axis][id] + static_cast<float>(random.uniform(0.0, largest));
    }
    if (id < kMaxSample) sample.push_back(id);
  }
  const ColumnGrid grid = choose_grid(boxes, sample, 10000, nullptr);
  ASSERT_GT(grid.columns, 1U);
  std::size_t several = 0;
  for (std::uint32_t id = 0; id < 2000; ++id) {
    if (grid.size_of(boxes, id) > grid.size_limit) continue;
    std::set<std::uint32_t> columns;
    std::size_t visits = 0;
    std::size_t first = 0;
    grid.visit_columns(boxes, id, [&](std::uint32_t column, bool first_u, bool first_v) {
      columns.insert(column);
      ++visits;
      first += first_u && first_v ? 1U : 0U;
    });
    ASSERT_EQ(columns.size(), visits) << "box " << id << " is twice in a column";
    ASSERT_EQ(first, 1U);
    ASSERT_LE(visits, static_cast<std::size_t>(ColumnGrid::kMaxCells * ColumnGrid::kMaxCells));
    several += visits > 1 ? 1U : 0U;
  }
  EXPECT_GT(several, 20U);
}

TEST(ColumnGrid, SweepsAlongTheWidestSpreadDespiteInfiniteBoxes) {
  test::Random random(22);
  for (std::size_t wide = 0; wide < 3; ++wide) {
    BoxArrays boxes;
    boxes.resize(100, 0.0F, 0.0F);
    std::vector<std::uint32_t> sample;
    for (std::uint32_t id = 0; id < 100; ++id) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto reach = axis == wide ? 50.0 : 10.0;
        boxes.lower[axis][id] = static_cast<float>(random.uniform(0.0, reach));
        boxes.upper[axis][id] = boxes.lower[axis][id] + 1.0F;
        // A tenth are half-spaces along some other axis.
        if (id % 10 == 0 && axis == (wide + 1) % 3) boxes.lower[axis][id] = -std::numeric_limits<float>::max();
      }
      sample.push_back(id);
    }
    EXPECT_EQ(choose_grid(boxes, sample, 10000, nullptr).sweep_axis, wide);
  }
}

}  // namespace
}  // namespace abut::detail

// The grid of columns: what keeps each pair from being lost or reported twice.
#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/proxy_table.h>
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
  const std::vector<FloatBox> sample = {{{0.0F, 0.0F, 0.0F}, {1.0F, 1.0F, 1.0F}},
                                        {{100.0F, 0.0F, 0.0F}, {101.0F, 1.0F, 1.0F}}};
  return choose_grid(sample, std::size_t{8} * columns, nullptr);
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

/// Boxes at positions up to far beyond the exact cells, some of sizes up to beyond what a grid takes.
ProxyTable scattered_boxes(std::uint64_t seed, std::uint32_t count, double margin) {
  test::Random random(seed);
  ProxyTable table(margin);
  for (std::uint32_t id = 0; id < count; ++id) {
    const double largest = id % 10 == 0 ? 80.0 : 10.0;
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      box.lower[axis] = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(0.0, 9.0));
      box.upper[axis] = box.lower[axis] + random.uniform(0.0, largest);
    }
    table.insert(id, box);
  }
  return table;
}

TEST(ColumnGrid, CoversFewCellsWithAnyBoxItTakes) {
  for (const double margin : {0.0, 0.5}) {
    SCOPED_TRACE(testing::Message() << "seed 21, margin " << margin);
    const ProxyTable table = scattered_boxes(21, 2000, margin);
    std::vector<FloatBox> sample;
    for (std::uint32_t id = 0; id < kMaxSample; ++id) sample.push_back(table.search_box(id));
    const ColumnGrid grid = choose_grid(sample, 10000, nullptr);
    ASSERT_GT(grid.columns, 1U);
    std::vector<std::uint32_t> codes(2000);
    grid.find_codes(table, 0, 2000, codes.data());
    std::size_t several = 0;
    for (std::uint32_t id = 0; id < 2000; ++id) {
      const FloatBox box = table.search_box(id);
      std::uint32_t alone = 0;
      grid.find_codes(table, id, 1, &alone);
      ASSERT_EQ(alone, codes[id]);
      ASSERT_EQ(codes[id] == ColumnGrid::Code::kNone, grid.size_of(box) > grid.size_limit) << "box " << id;
      if (codes[id] == ColumnGrid::Code::kNone) continue;
      std::set<std::uint32_t> columns;
      std::size_t visits = 0;
      std::size_t first = 0;
      grid.visit_columns(codes[id], [&](std::uint32_t column, bool first_u, bool first_v) {
        columns.insert(column);
        ++visits;
        first += first_u && first_v ? 1U : 0U;
      });
      ASSERT_EQ(columns.size(), visits) << "box " << id << " is twice in a column";
      ASSERT_EQ(first, 1U);
      ASSERT_LE(visits, static_cast<std::size_t>(ColumnGrid::kMaxCells * ColumnGrid::kMaxCells));
      ASSERT_TRUE(columns.contains(grid.column(grid.cell(box.lower[grid.u_axis], grid.origin_u),
                                               grid.cell(box.lower[grid.v_axis], grid.origin_v))));
      ASSERT_TRUE(columns.contains(grid.column(grid.cell(box.upper[grid.u_axis], grid.origin_u),
                                               grid.cell(box.upper[grid.v_axis], grid.origin_v))));
      several += visits > 1 ? 1U : 0U;
    }
    EXPECT_GT(several, 20U);
  }
}

TEST(ColumnGrid, SweepsAlongTheWidestSpreadDespiteBoundlessBoxes) {
  test::Random random(22);
  for (std::size_t wide = 0; wide < 3; ++wide) {
    std::vector<FloatBox> sample;
    for (std::size_t k = 0; k < 100; ++k) {
      FloatBox box;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.lower[axis] = static_cast<float>(random.uniform(0.0, axis == wide ? 50.0 : 10.0));
        box.upper[axis] = box.lower[axis] + 1.0F;
        // A tenth are half-spaces along some other axis.
        if (k % 10 == 0 && axis == (wide + 1) % 3) box.lower[axis] = -std::numeric_limits<float>::max();
      }
      sample.push_back(box);
    }
    EXPECT_EQ(choose_grid(sample, 10000, nullptr).sweep_axis, wide);
  }
}

}  // namespace
}  // namespace abut::detail

// The sorted runs of a bucket of columns hold the records, each once, in exact order.
#include <abut/broadphase/detail/column_sorter.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cmath>
#include <limits>
#include <vector>

namespace abut::detail {
namespace {

void expect_sorted(const std::vector<ColumnRecord>& records, std::size_t columns, ColumnSorter& sorter) {
  sorter.sort(records, columns);
  const SweepArrays arrays = sorter.arrays();
  std::vector<int> seen(records.size(), 0);
  for (std::size_t k = 0; k < 2 * columns; ++k) {
    const RunRange run = sorter.run(k);
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const ColumnRecord& record = records[arrays.word[i]];  // a record's word is its number here
      ++seen[arrays.word[i]];
      ASSERT_EQ(record.run % (2 * columns), k);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_EQ(arrays.lower[axis][i], record.lower[axis]);
        ASSERT_EQ(arrays.upper[axis][i], record.upper[axis]);
      }
      if (i > run.begin) {
        ASSERT_LE(arrays.lower[0][i - 1], arrays.lower[0][i]) << "run " << k;
      }
    }
    for (std::size_t i = run.end; !run.is_empty() && i < run.end + SweepKernels::kGuard; ++i) {
      ASSERT_EQ(arrays.lower[0][i], std::numeric_limits<float>::infinity());
    }
  }
  for (const int count : seen) ASSERT_EQ(count, 1);
}

std::vector<ColumnRecord> records_with(std::size_t count, std::size_t columns, samples::Random& random,
                                       float (*start)(samples::Random&)) {
  std::vector<ColumnRecord> records;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float lower = start(random);
    const std::uint32_t run =
        32 * static_cast<std::uint32_t>(columns) + random.below(2 * static_cast<std::uint32_t>(columns));
    records.push_back({{lower, 2.0F * static_cast<float>(i), 3.0F}, {lower + 1.0F, 4.0F, 5.0F}, i, run});
  }
  return records;
}

TEST(ColumnSorter, SortsEachRunExactlyWhateverTheSpread) {
  float (*const starts[])(samples::Random&) = {
      [](samples::Random& random) { return static_cast<float>(random.uniform(-50.0, 50.0)); },
      [](samples::Random&) { return 7.0F; },
      [](samples::Random& random) { return random.chance(0.5) ? 0.0F : -0.0F; },
      // One box far away makes all others equal on a scale of the whole extent.
      [](samples::Random& random) {
        return random.chance(0.01) ? 1e30F : static_cast<float>(random.uniform(0.0, 1.0));
      },
      [](samples::Random& random) { return static_cast<float>(std::pow(10.0, random.uniform(-40.0, 38.0))); },
      [](samples::Random& random) {
        return (random.chance(0.5) ? 1.0F : -1.0F) * (random.chance(0.1) ? 1.0F : 0.99F) *
               std::numeric_limits<float>::max();
      },
  };
  ColumnSorter sorter;
  for (const auto& start : starts) {
    for (const std::size_t columns : {1U, 32U, 256U}) {
      for (const std::size_t count : {0U, 1U, 40U, 3000U}) {
        SCOPED_TRACE(testing::Message() << "seed 5, case " << &start - starts << ", " << columns << " columns, "
                                        << count << " records");
        samples::Random random(5);
        expect_sorted(records_with(count, columns, random, start), columns, sorter);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
      }
    }
  }
}

}  // namespace
}  // namespace abut::detail

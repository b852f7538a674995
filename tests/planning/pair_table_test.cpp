// Proofs by cells, looked up and walked through.
#include <abut/planning/pair_table.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

/// A disc of collision about the origin of two variables, numbers 1 and 3 of a configuration.
double disc_gap(double x, double y) {
  return std::hypot(x, y) - 0.5;
}

PairTable disc_table() {
  const TableAxis axes[] = {{1, -1.0, 1.0}, {3, -2.0, 2.0}};
  return PairTable(axes, 50, [](std::span<const double> middle, std::span<const double> half) {
    const double gap = disc_gap(middle[0], middle[1]);
    const double reach = std::hypot(half[0], half[1]);
    if (gap < -reach) return PairTable::kCollides;
    return std::max(PairTable::kUnknown, gap - reach);
  });
}

TEST(PairTable, ProvesNothingThatIsNotSo) {
  const PairTable table = disc_table();
  samples::Random random(1);
  int decided = 0;
  for (int i = 0; i < 10000; ++i) {
    const double q[] = {9.0, random.uniform(-1.2, 1.2), 9.0, random.uniform(-2.4, 2.4)};
    const float value = table.at(q);
    const double gap = disc_gap(q[1], q[3]);
    if (value > 0.0F) {
      EXPECT_LE(static_cast<double>(value), gap);
    }
    if (value < 0.0F) {
      EXPECT_LE(gap, 0.0);
    }
    if (std::abs(q[1]) > 1.0 || std::abs(q[3]) > 2.0) {
      EXPECT_EQ(value, 0.0F);
    }
    decided += value != 0.0F ? 1 : 0;
  }
  EXPECT_GT(decided, 5000);
}

TEST(PairTable, LeavesOpenEveryStretchOfAMotionThatTouches) {
  const PairTable table = disc_table();
  samples::Random random(2);
  constexpr unsigned kParts = 7;
  int clear = 0;
  int contacts = 0;
  for (int i = 0; i < 3000; ++i) {
    double from[4] = {0.0, random.uniform(-1.0, 1.0), 0.0, random.uniform(-2.0, 2.0)};
    double change[4] = {0.0, random.uniform(-1.5, 1.5), 0.0, random.uniform(-1.5, 1.5)};
    if (i % 10 == 0) change[1] = 0.0;
    if (i % 10 == 1) change[3] = 0.0;
    if (i % 50 == 2) change[1] = change[3] = 0.0;
    const PairTable::Way way = table.along(from, change, kParts);
    for (int k = 0; k <= 700; ++k) {
      const double t = k / 700.0;
      if (disc_gap(from[1] + t * change[1], from[3] + t * change[3]) > 0.0) continue;
      const auto part = std::min(static_cast<unsigned>(t * kParts), kParts - 1);
      EXPECT_NE(way.open & (1U << part), 0U) << i << " at " << t;
    }
    if (way.contact <= 1.0) {
      ++contacts;
      EXPECT_LE(disc_gap(from[1] + way.contact * change[1], from[3] + way.contact * change[3]), 0.0);
    }
    clear += way.open == 0 ? 1 : 0;
  }
  EXPECT_GT(clear, 500);
  EXPECT_GT(contacts, 300);
}

TEST(PairTable, WalksATableOfOneVariable) {
  const TableAxis axis = {0, -1.0, 1.0};
  const PairTable table({&axis, 1}, 100, [](std::span<const double> middle, std::span<const double> half) {
    return middle[0] - half[0] > 0.3 ? middle[0] - half[0] - 0.3 : PairTable::kUnknown;
  });
  const double from[] = {-0.9};
  const double change[] = {1.8};
  EXPECT_EQ(table.along(from, change, 2).open, 3U);
  const double high[] = {0.5};
  const double little[] = {0.4};
  EXPECT_EQ(table.along(high, little, 2).open, 0U);
  EXPECT_GT(table.at(high), 0.15F);
}

TEST(PairTable, LeavesOpenWhatIsBeyondIt) {
  const auto all_clear = [](std::span<const double>, std::span<const double>) { return 1.0; };
  for (const std::size_t cells : {50U, 64U}) {
    const TableAxis axes[] = {{0, -1.0, 1.0}, {1, -1.0, 1.0}};
    const PairTable of_one({axes, 1}, cells, all_clear);
    const PairTable of_two({axes, 2}, cells, all_clear);
    const double from[] = {0.0, 0.0};
    for (const std::size_t variable : {0U, 1U}) {
      for (const double sign : {-1.0, 1.0}) {
        double change[] = {0.0, 0.0};
        change[variable] = sign * 0.99;
        EXPECT_EQ(of_two.along(from, change, 4).open, 0U);
        change[variable] = sign * 1.1;
        EXPECT_EQ(of_two.along(from, change, 4).open, 8U) << cells;
        EXPECT_EQ(of_one.along(from, change, 4).open, variable == 0 ? 8U : 0U) << cells;
      }
    }
  }
}

}  // namespace
}  // namespace abut::detail

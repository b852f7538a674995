// Splits of ranges of items: what they say of both sides holds for the items that lie there.
#include <abut/core/trees/item_ranges.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

namespace abut::detail {
namespace {

using samples::Random;

std::vector<Aabb> random_boxes(std::size_t count, Random& random) {
  std::vector<Aabb> boxes(count);
  for (Aabb& box : boxes) {
    box.lower = random.vector(-1.0, 1.0);
    box.upper = box.lower + random.vector(0.0, 0.05);
  }
  return boxes;
}

std::array<float, 12> numbers(const ItemRange& range) {
  std::array<float, 16> lanes;
  range.box.lower.store(lanes.data());
  range.box.upper.store(lanes.data() + 4);
  range.centers.lower.store(lanes.data() + 8);
  range.centers.upper.store(lanes.data() + 12);
  std::array<float, 12> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = lanes[4 * (i / 3) + i % 3];
  return result;
}

// Splits a range to its single items and compares what each split says with what is there.
template <class Ranges>
void expect_honest_splits(Ranges& ranges, const ItemRange& range, int depth) {
  ASSERT_EQ(numbers(range), numbers(ranges.range_of(range.begin, range.end)));
  if (range.size() < 2 || depth == 0) return;
  const bool must_halve = depth % 3 == 0;
  const auto [left, right] = ranges.split(range, must_halve);
  ASSERT_EQ(left.begin, range.begin);
  ASSERT_LT(left.begin, left.end);
  ASSERT_EQ(left.end, right.begin);
  ASSERT_LT(right.begin, right.end);
  ASSERT_EQ(right.end, range.end);
  if (must_halve) {
    ASSERT_EQ(left.size(), range.size() / 2);
  }
  expect_honest_splits(ranges, left, depth - 1);
  expect_honest_splits(ranges, right, depth - 1);
}

// The items in their order, and the boxes that they really have.
void expect_boxes_of(const ItemRange& range, const std::vector<std::uint32_t>& items, const std::vector<Aabb>& boxes) {
  Aabb all;
  for (std::uint32_t i = range.begin; i < range.end; ++i) all.merge(boxes[items[i]]);
  const std::array<float, 12> found = numbers(range);
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(found[k], static_cast<float>(all.lower[static_cast<Eigen::Index>(k)]));
    ASSERT_EQ(found[3 + k], static_cast<float>(all.upper[static_cast<Eigen::Index>(k)]));
  }
}

TEST(ItemRanges, SplitsTellWhatLiesOnEitherSide) {
  Random random(5);
  for (const std::size_t count : {2u, 3u, 4u, 5u, 1000u, 16383u, 16384u, 70000u}) {
    SCOPED_TRACE(testing::Message() << count << " items");
    const std::vector<Aabb> boxes = random_boxes(count, random);
    ItemRanges ranges(boxes, Vector3d::Zero(), 1.0);
    expect_honest_splits(ranges, ranges.whole(), 4);
    const auto [left, right] = ranges.split(ranges.whole(), false);
    const std::vector<std::uint32_t> items = ranges.items();
    EXPECT_EQ(std::set<std::uint32_t>(items.begin(), items.end()).size(), count);
    expect_boxes_of(left, items, boxes);
    expect_boxes_of(right, items, boxes);
  }
}

TEST(ItemRanges, SmallOnesAreSplitInTheirPlace) {
  Random random(6);
  for (const std::size_t count : {2u, 3u, 4u, 5u, 60u, 16384u}) {
    SCOPED_TRACE(testing::Message() << count << " items");
    const std::vector<Aabb> boxes = random_boxes(count + 7, random);
    ItemRanges ranges(boxes, Vector3d::Zero(), 1.0);
    const ItemRange behind = ranges.range_of(7, static_cast<std::uint32_t>(count + 7));
    SmallItemRanges small = ranges.small(behind);
    expect_honest_splits(small, behind, 20);
    const auto [left, right] = small.split(behind, false);
    small.order_items();
    const std::vector<std::uint32_t> items = ranges.items();
    EXPECT_EQ(std::set<std::uint32_t>(items.begin(), items.end()).size(), items.size());
    for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(items[i], i);
    expect_boxes_of(left, items, boxes);
    expect_boxes_of(right, items, boxes);
  }
}

TEST(ItemRanges, ItemsAtOnePlaceAreHalvedByTheirNumbers) {
  for (const std::size_t count : {2u, 9u, 20000u}) {
    const std::vector<Aabb> boxes(count, Aabb{Vector3d::Zero(), Vector3d::Ones()});
    ItemRanges ranges(boxes, Vector3d::Zero(), 1.0);
    const auto [left, right] = ranges.split(ranges.whole(), false);
    EXPECT_EQ(left.size(), count / 2);
    const std::vector<std::uint32_t> items = ranges.items();
    EXPECT_TRUE(
        std::all_of(items.begin(), items.begin() + left.size(), [&](std::uint32_t i) { return i < count / 2; }));
  }
}

}  // namespace
}  // namespace abut::detail

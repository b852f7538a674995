// The radix sort against std::stable_sort, and the vectorised overlap test against the plain one.
#include <abut/broadphase/detail/overlap_mask.h>
#include <abut/broadphase/detail/radix_sort.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>

#include <algorithm>
#include <array>
#include <vector>

namespace abut::detail {
namespace {

struct Item {
  std::uint32_t key = 0;
  std::uint32_t place = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

TEST(RadixSort, OrdersAsStableSortDoes) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    test::Random random(seed);
    for (const std::size_t count : {0U, 1U, 2U, 97U, 5000U}) {
      for (const std::uint32_t keys : {1U, 3U, 300U, 70000U, 0xffffffffU}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << count << " items, " << keys << " keys");
        std::vector<Item> items;
        for (std::uint32_t i = 0; i < count; ++i) items.push_back({random.below(keys), i});
        std::vector<Item> expected = items;
        std::stable_sort(expected.begin(), expected.end(), [](const Item& x, const Item& y) { return x.key < y.key; });
        std::vector<Item> scratch(count);
        radix_sort(std::span<Item>(items), std::span<Item>(scratch), [](const Item& item) { return item.key; });
        ASSERT_EQ(items, expected);
      }
    }
  }
}

TEST(OverlapMask, EqualsItsPlainFormOnOverlapsAndTouches) {
  test::Random random(4);
  constexpr std::size_t kCount = 64;
  std::array<std::array<float, kCount + kLanes>, 6> values = {};
  int hits = 0;
  for (int round = 0; round < 500; ++round) {
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {  // small integers touch often
        values[axis][i] = static_cast<float>(random.below(5));
        values[3 + axis][i] = values[axis][i] + static_cast<float>(random.below(3));
      }
    }
    const SweepArrays arrays = {{values[0].data(), values[1].data(), values[2].data()},
                                {values[3].data(), values[4].data(), values[5].data()}};
    for (std::size_t first = 0; first < kCount; ++first) {
      const SweepBox box = arrays.box(random.below(kCount));
      const std::uint32_t plain = overlap_mask_plain(arrays, first, box);
      ASSERT_EQ(overlap_mask(arrays, first, box), plain) << "round " << round << ", first " << first;
      hits += plain != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(hits, 1000);
}

}  // namespace
}  // namespace abut::detail

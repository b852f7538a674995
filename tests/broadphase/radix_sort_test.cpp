// The radix sort against std::stable_sort.
#include <abut/broadphase/detail/radix_sort.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>

#include <algorithm>
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

}  // namespace
}  // namespace abut::detail

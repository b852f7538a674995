// The queue of a walk over pairs of boxes: the least bound comes first whatever came before it, and places are used
// again.
#include <abut/narrowphase/composite/entry_queue.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace abut::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

WalkEntry entry_of(double bound, std::uint32_t number) {
  return {bound, {.node = number, .slot = 3}, {.node = number + 1, .slot = WalkRef::kWhole}, number % 2 == 0, false};
}

TEST(EntryQueue, GivesBoundsInAscendingOrderWhateverTheOrderOfPushes) {
  samples::Random random(1);
  const auto queue = std::make_unique<EntryQueue>();
  std::vector<float> expected;  // bounds of what is queued, largest first
  std::uint32_t number = 0;
  std::vector<double> bound_of;
  for (int step = 0; step < 20000; ++step) {
    const bool pushes = expected.empty() || (queue->has_room(1) && random.chance(0.51));
    if (pushes) {
      const double bound = random.chance(0.1) ? 0.25 : random.uniform(-1.0, 1.0);
      bound_of.push_back(bound);
      queue->push(entry_of(bound, number++));
      expected.insert(std::lower_bound(expected.begin(), expected.end(), static_cast<float>(bound), std::greater<>()),
                      static_cast<float>(bound));
    } else {
      ASSERT_EQ(queue->least(), expected.back());
      const WalkEntry entry = queue->pop();
      ASSERT_EQ(static_cast<float>(entry.bound), expected.back());
      ASSERT_EQ(entry.bound, bound_of[entry.a.node]) << "another entry's place";
      ASSERT_EQ(entry.a.slot, 3);
      ASSERT_EQ(entry.b.node, entry.a.node + 1);
      ASSERT_EQ(entry.b.slot, WalkRef::kWhole);
      ASSERT_EQ(entry.a_composites_done, entry.a.node % 2 == 0);
      expected.pop_back();
    }
    ASSERT_EQ(queue->is_empty(), expected.empty());
  }
}

TEST(EntryQueue, TakesNoMoreThanItsCapacityAndIsAsGoodAsNewOnceEmptied) {
  const auto queue = std::make_unique<EntryQueue>();
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(queue->has_room(EntryQueue::kCapacity));
    for (std::uint32_t i = 0; i < EntryQueue::kCapacity; ++i) {
      ASSERT_TRUE(queue->has_room(1));
      queue->push(entry_of(static_cast<double>((i * 7919u) % EntryQueue::kCapacity), i));
    }
    EXPECT_FALSE(queue->has_room(1));
    for (std::uint32_t i = 0; i < EntryQueue::kCapacity; ++i) ASSERT_EQ(queue->pop().bound, static_cast<double>(i));
    EXPECT_TRUE(queue->is_empty());
  }
}

TEST(EntryQueue, OrdersInfinitiesZeroesAndTinyBoundsAndPutsNoNumberFirst) {
  EntryQueue queue;
  const std::vector<double> ascending = {-kInfinity, -1e300, -2.0, -1e-40, 0.0, 1e-40, 3.0, kInfinity};
  for (std::size_t i = ascending.size(); i-- > 0;) queue.push(entry_of(ascending[i], 0));
  queue.push(entry_of(std::numeric_limits<double>::quiet_NaN(), 1));
  // As floats NaN and the two lowest bounds are equal, and each of them may come first.
  std::vector<WalkEntry> first = {queue.pop(), queue.pop(), queue.pop()};
  EXPECT_TRUE(std::any_of(first.begin(), first.end(), [](const WalkEntry& entry) { return entry.a.node == 1; }));
  for (std::size_t i = 2; i < ascending.size(); ++i) EXPECT_EQ(queue.pop().bound, ascending[i]);
  EXPECT_TRUE(queue.is_empty());
}

}  // namespace
}  // namespace abut::detail

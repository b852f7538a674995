// Arrays that are filled again and again: what stays, what growth keeps, and whose memory is counted.
#include <abut/world/detail/growing_array.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace abut::detail {
namespace {

struct alignas(64) Element {
  std::uint64_t value = 7;
  std::uint64_t other = 8;
};

/// Fills it with value + i.
void fill(GrowingArray<Element>& array, std::size_t begin, std::size_t end, std::uint64_t value) {
  for (std::size_t i = begin; i < end; ++i) array.write(i).value = value + i;
}

TEST(GrowingArray, BeginsEmptyAndTakesNoMemoryForRoom) {
  GrowingArray<Element> array;
  EXPECT_EQ(array.bytes(), 0u);
  array.make_room(0, 0);
  EXPECT_TRUE(array.first(0).empty());
  array.make_room(1'000'000, 0);
  EXPECT_EQ(array.bytes(), 0u);
  fill(array, 0, 10, 0);
  array.make_room(10, 10);
  EXPECT_EQ(array.bytes(), 10 * sizeof(Element));
}

TEST(GrowingArray, MakesElementsWhereTheyAreFirstWrittenAndLeavesThemAsTheyAreFromThenOn) {
  GrowingArray<Element> array;
  array.make_room(4, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(array.write(i).value, 7u) << i;
  }
  fill(array, 0, 4, 100);
  array.make_room(4, 4);
  array.make_room(3, 0);  // begins anew, with fewer
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(array.write(i).value, 100 + i) << i;
    EXPECT_EQ(array.write(i).other, 8u) << i;
  }
  EXPECT_EQ(array.first(4)[3].value, 103u);
}

TEST(GrowingArray, KeepsWhatHasBeenWrittenWhereItGrowsAndMakesTheOthersAnew) {
  GrowingArray<Element> array;
  array.make_room(8, 0);
  fill(array, 0, 8, 100);
  array.make_room(8, 8);
  array.make_room(4, 0);  // the next time: two are written, then more than there is room for
  fill(array, 0, 2, 200);
  const void* const before = array.address(0);
  array.make_room(1000, 2);
  EXPECT_NE(array.address(0), before);
  EXPECT_EQ(array.first(2)[0].value, 200u);
  EXPECT_EQ(array.first(2)[1].value, 201u);
  EXPECT_EQ(array.write(2).value, 7u);
  EXPECT_EQ(array.write(999).value, 7u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.address(0)) % alignof(Element), 0u);
}

TEST(GrowingArray, GrowsByAQuarterAtLeast) {
  GrowingArray<Element> array;
  int growths = 0;
  const void* last = nullptr;
  for (std::size_t count = 1; count <= 100'000; ++count) {
    array.make_room(count, count - 1);
    array.write(count - 1).value = count;
    growths += array.address(0) != last ? 1 : 0;
    last = array.address(0);
  }
  EXPECT_LE(growths, 55);  // log(100 000) / log(5/4), rounded up, and the small ones
  for (std::size_t i = 0; i < 100'000; ++i) ASSERT_EQ(array[i].value, i + 1);
}

TEST(GrowingArray, IsWrittenBySeveralThreads) {
  GrowingArray<Element> array;
  std::size_t written = 0;
  for (const std::size_t end : {500u, 3000u, 20'000u}) {
    array.make_room(end, written);
    tbb::parallel_for(written, end, [&array](std::size_t i) { array.write(i).value = 3 * i; });
    written = end;
  }
  array.make_room(written, written);
  for (std::size_t i = 0; i < written; ++i) ASSERT_EQ(array.first(written)[i].value, 3 * i);
}

TEST(GrowingArray, IsMovedAndSwappedWithItsElements) {
  GrowingArray<Element> array;
  array.make_room(5, 0);
  fill(array, 0, 5, 10);
  array.make_room(5, 5);
  GrowingArray<Element> moved = std::move(array);
  EXPECT_EQ(moved.first(5)[4].value, 14u);
  GrowingArray<Element> other;
  other.make_room(2, 0);
  fill(other, 0, 2, 50);
  other.make_room(2, 2);
  other.swap(moved);
  EXPECT_EQ(moved.first(2)[1].value, 51u);
  EXPECT_EQ(other.first(5)[0].value, 10u);
  moved = std::move(other);
  EXPECT_EQ(moved.bytes(), 5 * sizeof(Element));
}

}  // namespace
}  // namespace abut::detail

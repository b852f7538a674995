// Memory of large arrays: at huge pages, and otherwise a vector like any other.
#include <abut/core/large_arrays.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

namespace abut {
namespace {

using Line = std::array<std::uint64_t, 8>;

TEST(LargeArrays, BeginAtAHugePageAndKeepWhatTheyHoldAsTheyGrow) {
  LargeVector<Line> lines;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    lines.push_back({i});
    if (i % 50000 == 0) {
      const Line middle = lines[i / 2];
      ASSERT_EQ(middle[0], i / 2);
    }
  }
  const auto address = reinterpret_cast<std::uintptr_t>(lines.data());
  EXPECT_EQ(address % LargeArrayAllocator<Line>::kHugePage, 0u);
  for (std::uint64_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i][0], i);
  const LargeVector<Line> copy = lines;
  EXPECT_EQ(copy, lines);
  lines.clear();
  lines.shrink_to_fit();
  EXPECT_EQ(copy.size(), 300000u);
}

TEST(LargeArrays, HoldWhatOwnsMemoryItself) {
  LargeVector<std::shared_ptr<int>> owners;
  const auto shared = std::make_shared<int>(3);
  for (int i = 0; i < 400000; ++i) owners.push_back(shared);
  EXPECT_EQ(shared.use_count(), 400001);
  owners.resize(10);
  owners.shrink_to_fit();
  EXPECT_EQ(shared.use_count(), 11);
}

TEST(LargeArrays, SmallOnesAreAlignedAsTheirElements) {
  struct alignas(128) Aligned {
    char byte;
  };
  LargeVector<Aligned> small(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 128, 0u);
  EXPECT_TRUE(LargeArrayAllocator<int>() == LargeArrayAllocator<double>());
}

TEST(LargeArrays, RefuseMoreThanThereAreBytes) {
  LargeArrayAllocator<Line> allocator;
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max() / 2), std::bad_array_new_length);
}

}  // namespace
}  // namespace abut

// A smoothed distance does not allocate, whatever the pair. A test program of its own, which counts every call of
// operator new.
#include <abut/narrowphase/smoothed_distance.h>
#include <gtest/gtest.h>
#include <support/random_shapes.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t size, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Not inlined: the compiler would see free() meet operator new and warn of a mismatch.
[[gnu::noinline]] void release(void* memory) noexcept {
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}

namespace abut {
namespace {

TEST(SmoothedDistanceAllocation, IsCountedInThisProgram) {
  const std::size_t before = allocations.load();
  const std::vector<int> values(100);
  EXPECT_EQ(allocations.load() - before, 1U);
  EXPECT_EQ(values.size(), 100U);
}

TEST(SmoothedDistanceAllocation, DoesNotHappenForAnyConvexPair) {
  constexpr std::uint32_t kConvexKinds = 12;  // the first of ShapeKind
  for (std::uint32_t kind_a = 0; kind_a < kConvexKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kConvexKinds; ++kind_b) {
      SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b);
      samples::Random random(kConvexKinds * kind_a + kind_b);
      const Shape a = samples::random_shape(static_cast<samples::ShapeKind>(kind_a), 1.0, random);
      const Shape b = samples::random_shape(static_cast<samples::ShapeKind>(kind_b), 1.0, random);
      for (const double apart : {0.0, 0.3, 1.0, 4.0}) {
        const Pose pose_b(apart * random.direction(), random.rotation());
        const std::size_t before = allocations.load();
        const SmoothedDistance s = smoothed_distance(a, Pose(), b, pose_b, 0.1);
        EXPECT_EQ(allocations.load() - before, 0U);
        EXPECT_TRUE(std::isfinite(s.distance));
      }
    }
  }
}

}  // namespace
}  // namespace abut

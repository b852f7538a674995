// Proximity and its derivatives do not allocate. This program counts every call of operator new.
#include <abut/narrowphase/proximity.h>
#include <gtest/gtest.h>
#include <narrowphase/pill_samples.h>

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

TEST(ProximityAllocation, IsCountedInThisProgram) {
  const std::size_t before = allocations.load();
  const std::vector<int> values(100);
  EXPECT_EQ(allocations.load() - before, 1U);
  EXPECT_EQ(values.size(), 100U);
}

TEST(ProximityAllocation, DoesNotHappen) {
  for (const auto& [kind_a, kind_b] : samples::kPillKinds) {
    samples::Random random(1);
    for (int i = 0; i < 200; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 1 number " << i);
      const samples::PillPair pair = i % 2 == 0 ? samples::random_pair(kind_a, kind_b, 1.0, random)
                                                : samples::nearly_parallel_pair(kind_a, kind_b, 1.0, 1e-9, random);
      const std::size_t before = allocations.load();
      const Proximity p = proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b, QpMethod::interior_point);
      const Proximity q = proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
      const ProximityDerivatives d = derivatives(pair.a, pair.world_from_a, pair.b, pair.world_from_b, q);
      EXPECT_EQ(allocations.load() - before, 0U);
      EXPECT_TRUE(std::isfinite(p.distance + d.by_a.phi.sum()));
    }
  }
}

}  // namespace
}  // namespace abut

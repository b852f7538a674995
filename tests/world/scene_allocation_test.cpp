// In steady state step() and set_poses() allocate nothing. A program of its own: it takes the place of malloc and of
// operator new to count their calls.
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/busy_workers.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "scene_checks.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> malloc_calls{0};
std::atomic<std::size_t> new_calls{0};

void count_call(std::atomic<std::size_t>& calls) {
  if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1, std::memory_order_relaxed);
}

void* counted_new(std::size_t size, std::size_t alignment) {
  count_call(new_calls);
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size == 0 ? 1 : size) != 0) throw std::bad_alloc();
  return memory;
}

}  // namespace

// glibc offers its own allocator under these names for programs that interpose malloc.
#ifdef __GLIBC__
extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  count_call(malloc_calls);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  count_call(malloc_calls);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  count_call(malloc_calls);
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count_call(malloc_calls);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count_call(malloc_calls);
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : 12;  // ENOMEM
}
}
#endif

void* operator new(std::size_t size) {
  return counted_new(size, alignof(std::max_align_t));
}
void* operator new[](std::size_t size) {
  return counted_new(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_new(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted_new(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace abut {
namespace {

struct Calls {
  std::size_t malloc = 0;
  std::size_t new_ = 0;
};

/// Runs a scene for two periods of its motion, then counts over a third.
/// @param late  Where not null: worker threads that come for the third only.
Calls calls_in_steady_state(const samples::MovingScene& moving, WarmStart warm_start,
                            samples::BusyWorkers* late = nullptr) {
  constexpr std::size_t kPeriod = 15;  // odd: buffers that take turns see every frame of the period
  std::vector<std::vector<Pose>> frames;
  for (std::size_t frame = 0; frame < kPeriod; ++frame) frames.push_back(moving.poses(frame, kPeriod));
  Scene scene({.contact_margin = 0.005, .warm_start = warm_start});
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  std::vector<SeparationDerivatives> derivatives(10 * ids.size());
  std::size_t contacts = 0;
  std::size_t events = 0;
  for (std::size_t step = 0; step < 3 * kPeriod; ++step) {
    if (step == 2 * kPeriod) {
      if (late != nullptr) late->release();
      malloc_calls = 0;
      new_calls = 0;
      counting = true;
    }
    scene.set_poses(ids, frames[step % kPeriod]);
    scene.step();
    scene.contact_derivatives(std::span(derivatives).first(scene.contacts().size()));
    contacts += scene.contacts().size();
    events += scene.began().size() + scene.ended().size();
  }
  counting = false;
  EXPECT_GT(contacts, 1000u);
  EXPECT_GT(events, 100u);
  return {malloc_calls, new_calls};
}

TEST(SceneAllocation, TheCountersCount) {
  malloc_calls = 0;
  new_calls = 0;
  counting = true;
  std::vector<double>* values = new std::vector<double>(100);
  counting = false;
  delete values;
  EXPECT_EQ(new_calls, 2u);
#ifdef __GLIBC__
  EXPECT_EQ(malloc_calls, 2u);
#endif
}

TEST(SceneAllocation, OneThreadAllocatesNothingInSteadyState) {
  tbb::task_arena arena(1);
  for (const WarmStart warm_start : {WarmStart::previous, WarmStart::transformed_previous}) {
    for (const samples::MovingScene& moving : {samples::pile(400), samples::drift(400)}) {
      arena.execute([&] {
        const Calls calls = calls_in_steady_state(moving, warm_start);
        EXPECT_EQ(calls.new_, 0u);
        EXPECT_EQ(calls.malloc, 0u);
      });
    }
  }
}

TEST(SceneAllocation, TwoThreadsCallNoOperatorNewInSteadyState) {
  // With workers TBB may have to grow its own pool of tasks at any time, which it does through malloc or its own
  // allocator; abut's memory comes from operator new.
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  arena.execute([&] { EXPECT_EQ(calls_in_steady_state(samples::pile(400), WarmStart::previous).new_, 0u); });
}

TEST(SceneAllocation, AThreadThatComesLateCallsNoOperatorNew) {
  samples::BusyWorkers workers(1);
  tbb::task_arena arena(2);
  arena.execute([&] { EXPECT_EQ(calls_in_steady_state(samples::pile(400), WarmStart::previous, &workers).new_, 0u); });
}

}  // namespace
}  // namespace abut

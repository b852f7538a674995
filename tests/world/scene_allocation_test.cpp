// In steady state step() and set_poses() allocate nothing. A program of its own: it takes the place of malloc and of
// operator new to count their calls.
#include <abut/world/scene.h>
#include <abut/world/snapshot.h>
#include <gtest/gtest.h>
#include <support/busy_workers.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "scene_checks.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> malloc_calls{0};
std::atomic<std::size_t> new_calls{0};
std::atomic<std::ptrdiff_t> calls_until_failure{-1};  // of operator new; negative: it does not fail

void count_call(std::atomic<std::size_t>& calls) {
  if (counting.load(std::memory_order_relaxed)) calls.fetch_add(1, std::memory_order_relaxed);
}

void* counted_new(std::size_t size, std::size_t alignment) {
  count_call(new_calls);
  if (calls_until_failure.load(std::memory_order_relaxed) >= 0 &&
      calls_until_failure.fetch_sub(1, std::memory_order_relaxed) == 0) {
    throw std::bad_alloc();
  }
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

/// Calls work() with the call of operator new failing that comes after `calls` others.
/// @return Whether that call came.
template <class Work>
bool fails_at(std::ptrdiff_t calls, const Work& work) {
  bool has_failed = false;
  calls_until_failure = calls;
  try {
    work();
  } catch (const std::bad_alloc&) {
    has_failed = true;
  }
  calls_until_failure = -1;
  return has_failed;
}

std::vector<BodyPair> contact_pairs(const Scene& scene) {
  std::vector<BodyPair> pairs;
  for (const Contact& contact : scene.contacts()) {
    EXPECT_GE(contact.points().size(), 1u);
    EXPECT_LE(contact.points().size(), Contact::kMaxPatchPoints);
    pairs.push_back({contact.body_a, contact.body_b});
  }
  return pairs;
}

/// Twenty balls in a row that have been stepped, then many more beside them.
std::vector<BodyId> crowd(Scene& scene) {
  std::vector<BodyId> ids;
  const auto add_row = [&](int count, double y) {
    for (int i = 0; i < count; ++i) {
      ids.push_back(scene.add({.shape = Sphere(0.6), .pose = Pose(Vector3d(i, y, 0))}));
    }
  };
  add_row(20, 0.0);
  scene.step();
  scene.step();
  add_row(400, 0.5);
  return ids;
}

TEST(SceneWithoutMemory, AStepThatFailsIsForgottenAndTheNextOneFindsAllContacts) {
  tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  Scene reference;
  const std::vector<BodyId> ids = crowd(reference);
  reference.step();
  const std::vector<BodyPair> expected = contact_pairs(reference);
  ASSERT_GT(expected.size(), 400u);
  int failures = 0;
  for (std::ptrdiff_t k = 0;; ++k) {
    Scene scene;
    crowd(scene);
    if (!fails_at(k, [&] { scene.step(); })) break;
    ++failures;
    // Those of before, or none: they can be read, and the statistics are theirs.
    EXPECT_EQ(contact_pairs(scene).size(), scene.statistics().contacts) << k;
    const std::vector<std::byte> bytes = save(scene);
    EXPECT_NO_THROW(static_cast<void>(restore(bytes))) << k;
    scene.set_pose(ids[0], Pose(Vector3d(0, 0, 1e-9)));
    scene.step();
    EXPECT_EQ(contact_pairs(scene), expected) << k;
    EXPECT_EQ(scene.began().size() + scene.persisted().size(), expected.size()) << k;
    scene.step();
    EXPECT_EQ(scene.persisted().size(), expected.size()) << k;
  }
  EXPECT_GT(failures, 20);
}

TEST(SceneWithoutMemory, ABodyThatCouldNotBeAddedOrPairThatCouldNotBeIgnoredLeavesNoTrace) {
  int failures = 0;
  for (std::ptrdiff_t k = 0; k < 40; ++k) {
    Scene scene;
    const std::vector<BodyId> ids = crowd(scene);
    const auto add = [&scene] { scene.add({.shape = Sphere(0.6), .pose = Pose(Vector3d(0, 0.25, 0.5))}); };
    int added = 0;
    const bool has_failed = fails_at(k, [&] {
      for (; added < 200; ++added) add();
    });
    failures += has_failed ? 1 : 0;
    EXPECT_EQ(scene.body_count(), ids.size() + static_cast<std::size_t>(added)) << k;
    EXPECT_EQ(scene.bodies().size(), scene.body_count()) << k;
    const bool is_refused = fails_at(k % 4, [&] { scene.ignore_pair(ids[0], ids[1]); });
    EXPECT_EQ(scene.is_ignored(ids[0], ids[1]), !is_refused) << k;
    EXPECT_EQ(scene.is_ignored(ids[1], ids[0]), !is_refused) << k;
    add();
    scene.step();
    for (const BodyId id : scene.bodies()) scene.remove(id);
    EXPECT_EQ(scene.body_count(), 0u) << k;
    scene.step();
    EXPECT_TRUE(scene.contacts().empty()) << k;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace abut

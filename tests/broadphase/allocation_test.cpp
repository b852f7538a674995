// A settled broad phase does not allocate. This program counts every call of operator new; what TBB takes from its own
// allocator for tasks does not pass through it.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/busy_workers.h>
#include <support/count_allocations.h>
#include <support/drifting_boxes.h>
#include <tbb/task_arena.h>

#include <vector>

namespace abut {
namespace {

/// Calls of operator new in the last half of the frames of a scene.
/// @param late  Whether threads but the caller's come in the last half only.
template <class Broad>
std::size_t settled_allocations(test::DriftingBoxes scene, int frames, int threads, bool late = false) {
  Broad broad;
  for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
  test::Random random(3);
  std::vector<ProxyPair> pairs;
  samples::BusyWorkers workers(threads - 1);
  if (!late) workers.release();
  tbb::task_arena arena(threads);
  std::size_t before = 0;
  for (int frame = 0; frame < frames; ++frame) {
    if (frame == frames / 2) {
      pairs.reserve(pairs.size() + pairs.size() / 4);  // the caller's own list may grow a little as well
      workers.release();
      before = samples::allocation_count();
    }
    arena.execute([&] { broad.find_pairs(pairs); });
    scene.advance(random);
    for (const std::uint32_t id : scene.movers) broad.set_box(id, scene.boxes[id]);
  }
  return samples::allocation_count() - before;
}

TEST(Allocation, IsCountedInThisProgram) {
  const std::size_t before = samples::allocation_count();
  const std::vector<int> values(100);
  EXPECT_EQ(samples::allocation_count() - before, 1U);
  EXPECT_EQ(values.size(), 100U);
}

void expect_no_allocation(int threads, bool late) {
  SCOPED_TRACE(testing::Message() << threads << " threads, late: " << late);
  const auto count = [&](const test::DriftingBoxes& scene) {
    return settled_allocations<SweepAndPrune>(scene, 40, threads, late);
  };
  EXPECT_EQ(count(test::uniform_cloud(6000, 0.05, 1)), 0U);
  EXPECT_EQ(count(test::log_uniform_sizes(6000, 2)), 0U);
  EXPECT_EQ(count(test::layer(6000, 3)), 0U);
  EXPECT_EQ(count(test::movers_among_fixed(6000, 4)), 0U);
  EXPECT_EQ(count(test::uniform_cloud(300, 0.05, 5)), 0U);
  EXPECT_EQ(count(test::uniform_cloud(1000, 0.05, 6)), 0U);
}

TEST(Allocation, DoesNotHappenInASettledSweepAndPrune) {
  for (const int threads : {1, 2, 4}) expect_no_allocation(threads, /*late=*/false);
}

TEST(Allocation, DoesNotHappenWhereThreadsComeLate) {
  for (const int threads : {2, 4}) expect_no_allocation(threads, /*late=*/true);
}

TEST(Allocation, DoesNotHappenWhereChangesAreListed) {
  for (const int threads : {1, 2, 4}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    test::DriftingBoxes scene = test::uniform_cloud(12000, 0.01, 7);
    SweepAndPrune broad;
    for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id]);
    test::Random random(3);
    // The caller's lists have room from the start.
    std::vector<ProxyPair> began;
    std::vector<ProxyPair> ended;
    began.reserve(60000);
    ended.reserve(60000);
    samples::BusyWorkers workers(threads - 1);
    workers.release();
    tbb::task_arena arena(threads);
    std::size_t before = 0;
    constexpr int kFrames = 200;
    for (int frame = 0; frame < kFrames; ++frame) {
      if (frame == kFrames / 2) before = samples::allocation_count();
      arena.execute([&] { broad.update(began, ended); });
      scene.advance(random);
      for (const std::uint32_t id : scene.movers) broad.set_box(id, scene.boxes[id]);
    }
    EXPECT_GT(began.size(), 100U);
    EXPECT_EQ(samples::allocation_count() - before, 0U);
  }
}

TEST(Allocation, DoesNotHappenInASettledBruteForce) {
  EXPECT_EQ(settled_allocations<BruteForce>(test::uniform_cloud(300, 0.05, 5), 40, 1), 0U);
}

}  // namespace
}  // namespace abut

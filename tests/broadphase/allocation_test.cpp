// A settled broad phase does not allocate. This program counts every call of operator new; what TBB takes from its own
// allocator for tasks does not pass through it.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/count_allocations.h>
#include <support/drifting_boxes.h>
#include <tbb/task_arena.h>

#include <vector>

namespace abut {
namespace {

/// Calls of operator new in the last half of the frames of a scene.
template <class Broad>
std::size_t settled_allocations(test::DriftingBoxes scene, int frames, int threads) {
  Broad broad;
  for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
  test::Random random(3);
  std::vector<ProxyPair> pairs;
  tbb::task_arena arena(threads);
  std::size_t before = 0;
  for (int frame = 0; frame < frames; ++frame) {
    if (frame == frames / 2) {
      pairs.reserve(pairs.size() + pairs.size() / 4);  // the caller's own list may grow a little as well
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

TEST(Allocation, DoesNotHappenInASettledSweepAndPrune) {
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    EXPECT_EQ(settled_allocations<SweepAndPrune>(test::uniform_cloud(6000, 0.05, 1), 40, threads), 0U);
    EXPECT_EQ(settled_allocations<SweepAndPrune>(test::log_uniform_sizes(6000, 2), 40, threads), 0U);
    EXPECT_EQ(settled_allocations<SweepAndPrune>(test::layer(6000, 3), 40, threads), 0U);
    EXPECT_EQ(settled_allocations<SweepAndPrune>(test::movers_among_fixed(6000, 4), 40, threads), 0U);
    EXPECT_EQ(settled_allocations<SweepAndPrune>(test::uniform_cloud(300, 0.05, 5), 40, threads), 0U);
  }
}

TEST(Allocation, DoesNotHappenInASettledBruteForce) {
  EXPECT_EQ(settled_allocations<BruteForce>(test::uniform_cloud(300, 0.05, 5), 40, 1), 0U);
}

}  // namespace
}  // namespace abut

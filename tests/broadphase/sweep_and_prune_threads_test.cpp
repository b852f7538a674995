// The list of pairs is the same for any number of threads, and boxes may be set from several.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "pair_checks.h"

namespace abut {
namespace {

using test::DriftingBoxes;

/// Pairs of each frame of a scene, boxes set and pairs found with `threads` threads.
std::vector<std::vector<ProxyPair>> frames_with(int threads, DriftingBoxes scene, int frames) {
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  SweepAndPrune broad;
  for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
  test::Random random(5);
  std::vector<std::vector<ProxyPair>> result;
  for (int frame = 0; frame < frames; ++frame) {
    arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, scene.movers.size(), 64), [&](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          broad.set_box(scene.movers[i], scene.boxes[scene.movers[i]]);
        }
      });
      result.emplace_back();
      broad.find_pairs(result.back());
    });
    scene.advance(random);
  }
  return result;
}

TEST(SweepAndPruneThreads, FindsTheSameListWithAnyNumberOfThreads) {
  // The small ones are a single column, swept in parts beside the test of the oversize boxes.
  const DriftingBoxes scenes[] = {test::uniform_cloud(20000, 0.3, 1),
                                  test::log_uniform_sizes(20000, 2),
                                  test::layer(20000, 3),
                                  test::movers_among_fixed(20000, 4),
                                  test::uniform_cloud(1000, 0.3, 5),
                                  test::log_uniform_sizes(1000, 6),
                                  test::layer(1000, 7),
                                  test::movers_among_fixed(1000, 8)};
  for (const DriftingBoxes& scene : scenes) {
    const auto expected = frames_with(1, scene, 4);
    EXPECT_GT(expected.back().size(), scene.boxes.size() / 40);
    for (const int threads : {2, 8}) {
      SCOPED_TRACE(testing::Message() << "scene " << &scene - scenes << ", " << threads << " threads");
      const auto frames = frames_with(threads, scene, 4);
      for (std::size_t frame = 0; frame < frames.size(); ++frame) {
        ASSERT_TRUE(test::is_canonical(frames[frame]));
        ASSERT_TRUE(test::same_pairs(frames[frame], expected[frame])) << "frame " << frame;
      }
    }
  }
}

TEST(SweepAndPruneThreads, FindsTheSamePairsAndChangesOfSlowScenesWithAnyNumberOfThreads) {
  // Long enough for fat boxes, and with more pairs than one task chooses or compares.
  struct Frame {
    std::vector<ProxyPair> pairs;
    std::vector<ProxyPair> began;
    std::vector<ProxyPair> ended;
  };
  const auto frames_of = [](int threads) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    DriftingBoxes scene = test::uniform_cloud(12000, 0.02, 9);
    SweepAndPrune broad;
    for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad.insert(id, scene.boxes[id]);
    test::Random random(5);
    std::vector<Frame> frames(10);
    for (Frame& frame : frames) {
      arena.execute([&] { broad.update(frame.began, frame.ended); });
      frame.pairs.assign(broad.pairs().begin(), broad.pairs().end());
      scene.advance(random);
      for (const std::uint32_t id : scene.movers) broad.set_box(id, scene.boxes[id]);
    }
    return frames;
  };
  const std::vector<Frame> expected = frames_of(1);
  EXPECT_GT(expected.back().pairs.size(), 30000U);
  EXPECT_GT(expected.back().began.size(), 100U);
  for (const int threads : {2, 8}) {
    const std::vector<Frame> frames = frames_of(threads);
    for (std::size_t k = 0; k < frames.size(); ++k) {
      SCOPED_TRACE(testing::Message() << threads << " threads, frame " << k);
      ASSERT_TRUE(test::is_canonical(frames[k].pairs));
      ASSERT_TRUE(test::same_pairs(frames[k].pairs, expected[k].pairs));
      ASSERT_TRUE(test::same_pairs(frames[k].began, expected[k].began));
      ASSERT_TRUE(test::same_pairs(frames[k].ended, expected[k].ended));
      if (k == 0) continue;
      // The changes are those of the lists.
      std::vector<ProxyPair> changed = expected[k - 1].pairs;
      changed.insert(changed.end(), frames[k].began.begin(), frames[k].began.end());
      std::sort(changed.begin(), changed.end());
      std::vector<ProxyPair> left;
      std::set_difference(changed.begin(), changed.end(), frames[k].ended.begin(), frames[k].ended.end(),
                          std::back_inserter(left));
      ASSERT_TRUE(test::same_pairs(left, frames[k].pairs));
    }
  }
}

TEST(SweepAndPruneThreads, SweepsACrowdedColumnInPartsWithTheSameResult) {
  // A line along one axis is a single column of thousands.
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 8);
  SweepAndPrune one;
  SweepAndPrune many;
  BruteForce brute;
  test::Random random(6);
  for (std::uint32_t id = 0; id < 6000; ++id) {
    const Aabb box = test::detail::box_at({random.uniform(0.0, 2000.0), 0.0, 0.0}, 1.0);
    one.insert(id, box);
    many.insert(id, box);
    brute.insert(id, box);
  }
  std::vector<ProxyPair> from_one;
  std::vector<ProxyPair> from_many;
  tbb::task_arena(1).execute([&] { one.find_pairs(from_one); });
  tbb::task_arena(8).execute([&] { many.find_pairs(from_many); });
  EXPECT_GT(from_one.size(), 6000U);
  EXPECT_TRUE(test::same_pairs(from_one, test::pairs_of(brute)));
  EXPECT_TRUE(test::same_pairs(from_many, from_one));
}

TEST(SweepAndPruneThreads, TwoOfThemMayWorkAtOnce) {
  const DriftingBoxes scene = test::uniform_cloud(5000, 0.3, 8);
  SweepAndPrune broad[4];
  std::vector<ProxyPair> pairs[4];
  tbb::task_arena(4).execute([&] {
    tbb::parallel_for(0, 4, [&](int k) {
      for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) broad[k].insert(id, scene.boxes[id]);
      broad[k].find_pairs(pairs[k]);
    });
  });
  EXPECT_GT(pairs[0].size(), 5000U);
  for (int k = 1; k < 4; ++k) EXPECT_TRUE(test::same_pairs(pairs[k], pairs[0]));
}

}  // namespace
}  // namespace abut

// What many insertions and removals leave behind: the same pairs, the same amount of work, the same memory.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <vector>

#include "pair_checks.h"

namespace abut {
namespace {

using test::DriftingBoxes;
using test::Random;
using Pairs = std::vector<ProxyPair>;

using samples::kIsInstrumented;

// The sanitizers slow threads unequally.
constexpr double kMeasuringError = kIsInstrumented ? 10.0 : 2.0;

/// Fastest of some frames in which all boxes move, seconds.
double frame_seconds(SweepAndPrune& broad, DriftingBoxes scene) {
  using Clock = std::chrono::steady_clock;
  Random random(3);
  double fastest = 1e9;
  for (int frame = 0; frame < (kIsInstrumented ? 5 : 20); ++frame) {
    scene.advance(random);
    const Clock::time_point start = Clock::now();
    for (const std::uint32_t id : scene.movers) broad.set_box(id, scene.boxes[id]);
    broad.update();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fastest;
}

/// How many times longer a frame of `broad` takes than one of `reference`. Measured in turns, because shared machines
/// have faster and slower moments.
double slowdown(SweepAndPrune& broad, SweepAndPrune& reference, const DriftingBoxes& scene) {
  double own = 1e9;
  double expected = 1e9;
  for (int turn = 0; turn < 4; ++turn) {
    expected = std::min(expected, frame_seconds(reference, scene));
    own = std::min(own, frame_seconds(broad, scene));
  }
  return own / (expected + 1e-4 / kMeasuringError);
}

TEST(Churn, LeavesCostAndMemoryAsTheyWere) {
  constexpr std::uint32_t kCount = 4000;
  const DriftingBoxes scene = test::uniform_cloud(kCount, 0.1, 1);
  SweepAndPrune fresh;
  SweepAndPrune churned;
  for (std::uint32_t id = 0; id < kCount; ++id) {
    fresh.insert(id, scene.boxes[id]);
    churned.insert(id, scene.boxes[id]);
  }
  // Up to 20 000 more come and go, a search now and then.
  constexpr int kChanges = kIsInstrumented ? 20000 : 100000;
  constexpr int kGrowing = kIsInstrumented ? 12000 : 50000;
  Random random(2);
  std::vector<std::uint32_t> guests;
  std::vector<std::uint32_t> unused;
  for (std::uint32_t id = kCount + 20000; id > kCount; --id) unused.push_back(id - 1);
  const double side = scene.room.upper.x();
  for (int change = 0; change < kChanges; ++change) {
    const bool goes = unused.empty() || (!guests.empty() && random.chance(change < kGrowing ? 0.3 : 0.7));
    if (goes) {
      const std::size_t k = random.below(static_cast<std::uint32_t>(guests.size()));
      churned.remove(guests[k]);
      unused.push_back(guests[k]);
      guests[k] = guests.back();
      guests.pop_back();
    } else {
      const std::uint32_t id = unused.back();
      unused.pop_back();
      churned.insert(id, test::detail::box_at(random.vector(-side, 2.0 * side), random.uniform(0.1, 3.0)));
      guests.push_back(id);
    }
    if (change % 2500 == 0) churned.update();
  }
  EXPECT_GT(churned.size(), kCount);
  for (const std::uint32_t id : guests) churned.remove(id);
  churned.update();
  fresh.update();
  ASSERT_EQ(churned.size(), kCount);
  EXPECT_TRUE(std::equal(churned.pairs().begin(), churned.pairs().end(), fresh.pairs().begin(), fresh.pairs().end()));

  EXPECT_LT(slowdown(churned, fresh, scene), kMeasuringError);
  EXPECT_LT(static_cast<double>(churned.memory()), 4.0 * static_cast<double>(fresh.memory()));
  EXPECT_EQ(churned.id_bound(), kCount);
  EXPECT_TRUE(std::equal(churned.pairs().begin(), churned.pairs().end(), fresh.pairs().begin(), fresh.pairs().end()));
}

TEST(Churn, ReportsWhatBeganAndEnded) {
  for (std::uint64_t seed = 1; seed <= (kIsInstrumented ? 1 : 3); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SweepAndPrune broad;
    BruteForce brute;
    Pairs began;
    Pairs ended;
    Pairs last;
    Pairs now;
    std::size_t changes = 0;
    for (int frame = 0; frame < 40; ++frame) {
      const double activity = frame % 4 == 0 ? 1.0 : std::pow(10.0, random.uniform(-3.0, 0.0));
      for (std::uint32_t id = 0; id < 1500; ++id) {
        if (!random.chance(activity)) continue;
        const Aabb box = test::detail::box_at(random.vector(0.0, 13.0), random.uniform(0.5, 1.5));
        if (!broad.contains(id)) {
          const Motion motion = random.chance(0.3) ? Motion::fixed : Motion::moving;
          broad.insert(id, box, {}, motion);
          brute.insert(id, box, {}, motion);
        } else if (random.chance(0.2)) {
          broad.remove(id);
          brute.remove(id);
        } else {
          broad.set_box(id, box);
          brute.set_box(id, box);
        }
      }
      if (frame % 5 == 4) {  // events are those since the last search of either kind
        broad.find_pairs(last);
        ASSERT_TRUE(test::same_pairs(last, test::pairs_of(brute)));
      }
      broad.update(began, ended);
      brute.find_pairs(now);
      ASSERT_TRUE(test::same_pairs(Pairs(broad.pairs().begin(), broad.pairs().end()), now));
      Pairs expected;
      std::set_difference(now.begin(), now.end(), last.begin(), last.end(), std::back_inserter(expected));
      ASSERT_TRUE(test::same_pairs(began, expected)) << "began in frame " << frame;
      expected.clear();
      std::set_difference(last.begin(), last.end(), now.begin(), now.end(), std::back_inserter(expected));
      ASSERT_TRUE(test::same_pairs(ended, expected)) << "ended in frame " << frame;
      changes += began.size() + ended.size();
      last = now;
    }
    EXPECT_GT(changes, 5000U);
  }
}

TEST(Churn, TenThousandIdenticalBoxesAreAllReported) {
  constexpr std::uint32_t kCount = kIsInstrumented ? 1000 : 10000;
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 8);
  for (const int threads : {1, 8}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    SweepAndPrune broad;
    for (std::uint32_t id = 0; id < kCount; ++id) broad.insert(id, test::detail::box_at({1.0, 2.0, 3.0}, 1.0));
    tbb::task_arena(threads).execute([&broad] { broad.update(); });
    const std::span<const ProxyPair> pairs = broad.pairs();
    ASSERT_EQ(pairs.size(), std::size_t{kCount} * (kCount - 1) / 2);
    std::size_t k = 0;
    for (std::uint32_t a = 0; a < kCount; ++a) {
      for (std::uint32_t b = a + 1; b < kCount; ++b, ++k) {
        if (pairs[k] != ProxyPair{a, b}) FAIL() << "place " << k;
      }
    }
  }
}

TEST(Churn, OneBoxFarAwayCostsNothing) {
  for (const double distance : {1e6, 1e12, 1e30}) {
    SCOPED_TRACE(testing::Message() << "distance " << distance);
    const DriftingBoxes scene = test::uniform_cloud(4000, 0.1, 5);
    SweepAndPrune near;
    SweepAndPrune far;
    for (std::uint32_t id = 0; id < 4000; ++id) {
      near.insert(id, scene.boxes[id]);
      far.insert(id, scene.boxes[id]);
    }
    far.insert(4000, test::detail::box_at(Vector3d::Constant(distance), 1.0));
    near.update();
    far.update();
    EXPECT_TRUE(std::equal(far.pairs().begin(), far.pairs().end(), near.pairs().begin(), near.pairs().end()));
    EXPECT_LT(slowdown(far, near, scene), kMeasuringError);
  }
}

}  // namespace
}  // namespace abut

// Sweep-and-prune against brute force, and the rules of a broad phase on cases small enough to see.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <support/instrumented.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "pair_checks.h"

namespace abut {
namespace {

using test::DriftingBoxes;
using test::is_canonical;
using test::pairs_of;
using test::same_pairs;

constexpr double kLargest = std::numeric_limits<double>::max();
using Pairs = std::vector<ProxyPair>;

Aabb cube(double x, double y, double z, double size) {
  return test::detail::box_at({x, y, z}, size);
}

/// Both broad phases under the same calls.
struct Twins {
  explicit Twins(double margin = 0.0) : sweep(margin), brute(margin) {}

  template <class Call>
  void both(Call call) {
    call(sweep);
    call(brute);
  }
  void insert(std::uint32_t id, const Aabb& box, const CollisionFilter& filter = {}, Motion motion = Motion::moving) {
    both([&](auto& broad) { broad.insert(id, box, filter, motion); });
  }
  void set_box(std::uint32_t id, const Aabb& box) {
    both([&](auto& broad) { broad.set_box(id, box); });
  }
  /// The pairs of both, checked to be the same.
  Pairs pairs() {
    const Pairs found = pairs_of(sweep);
    EXPECT_TRUE(is_canonical(found));
    EXPECT_TRUE(same_pairs(found, pairs_of(brute)));
    return found;
  }

  SweepAndPrune sweep;
  BruteForce brute;
};

template <class Broad>
class EveryBroadPhase : public testing::Test {};
using Implementations = testing::Types<BruteForce, SweepAndPrune>;
TYPED_TEST_SUITE(EveryBroadPhase, Implementations);

TYPED_TEST(EveryBroadPhase, HasNoPairsWhenEmptyOrAlone) {
  TypeParam broad;
  EXPECT_EQ(pairs_of(broad), Pairs{});
  broad.insert(4, cube(0, 0, 0, 1));
  EXPECT_EQ(pairs_of(broad), Pairs{});
  broad.remove(4);
  EXPECT_EQ(pairs_of(broad), Pairs{});
}

TYPED_TEST(EveryBroadPhase, CountsTouchingAsOverlap) {
  for (int axis = 0; axis < 3; ++axis) {
    TypeParam broad;
    broad.insert(0, cube(0, 0, 0, 1));
    Aabb next = cube(0, 0, 0, 1);
    next.lower[axis] += 1.0;
    next.upper[axis] += 1.0;
    broad.insert(1, next);
    EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}})) << "axis " << axis;
    next.lower[axis] = std::nextafter(0.5F, 1.0F);
    broad.set_box(1, next);
    EXPECT_EQ(pairs_of(broad), Pairs{}) << "axis " << axis;
  }
}

TYPED_TEST(EveryBroadPhase, ReportsGapsUpToTheMarginAndNotBeyond) {
  for (const double margin : {1e-6, 1e-3, 0.25}) {
    TypeParam broad(margin);
    broad.insert(0, {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}});
    broad.insert(1, {{1.0 + margin, 0.0, 0.0}, {2.0, 1.0, 1.0}});
    EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}})) << margin;
    broad.set_box(1, {{1.0 + margin + 1e-6, 0.0, 0.0}, {2.0, 1.0, 1.0}});  // some steps of a float at 1
    EXPECT_EQ(pairs_of(broad), Pairs{}) << margin;
    broad.set_margin(margin + 1e-5);
    EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}})) << margin;
    broad.set_margin(0.0);
    EXPECT_EQ(pairs_of(broad), Pairs{}) << margin;
  }
}

TYPED_TEST(EveryBroadPhase, PairsNoTwoFixedProxies) {
  TypeParam broad;
  broad.insert(0, cube(0, 0, 0, 1), {}, Motion::fixed);
  broad.insert(1, cube(0, 0, 0, 1), {}, Motion::fixed);
  broad.insert(2, cube(0, 0, 0, 1), {}, Motion::moving);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 2}, {1, 2}}));
  broad.set_motion(1, Motion::moving);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {0, 2}, {1, 2}}));
  broad.set_motion(2, Motion::fixed);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {1, 2}}));
}

TYPED_TEST(EveryBroadPhase, RespectsFiltersFromBothSides) {
  TypeParam broad;
  broad.insert(0, cube(0, 0, 0, 1), {.layers = 1, .mask = 2});
  broad.insert(1, cube(0, 0, 0, 1), {.layers = 2, .mask = 1});
  broad.insert(2, cube(0, 0, 0, 1), {.layers = 2, .mask = 4});  // does not accept proxy 0
  broad.insert(3, cube(0, 0, 0, 1));
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {1, 3}}));
  broad.set_filter(2, {});
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {1, 2}, {1, 3}, {2, 3}}));
}

TYPED_TEST(EveryBroadPhase, ForgetsARemovedProxyAndTakesItsIdAgain) {
  TypeParam broad;
  for (std::uint32_t id = 0; id < 3; ++id) broad.insert(id, cube(0, 0, 0, 1));
  EXPECT_EQ(pairs_of(broad).size(), 3U);
  broad.remove(1);
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 2}}));
  broad.insert(1, cube(5, 0, 0, 1));
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 2}}));
  broad.remove(1);
  broad.insert(1, cube(0, 0, 0, 1));  // within one call of find_pairs
  EXPECT_EQ(pairs_of(broad).size(), 3U);
}

TYPED_TEST(EveryBroadPhase, PairsBoundlessBoxesWithAllOnTheirSide) {
  TypeParam broad;
  broad.insert(0, {{-kLargest, -kLargest, -kLargest}, {kLargest, kLargest, 0.0}}, {}, Motion::fixed);
  broad.insert(1, cube(1e6, -3e37, -0.4, 1.0));
  broad.insert(2, cube(0, 0, 0.6, 1.0));
  broad.insert(3, {{1e200, 1e200, -1e300}, {1e201, 1e201, -1e299}});
  broad.insert(4, {{-kLargest, 0.0, 0.0}, {kLargest, 1.0, 1.0}});
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {0, 3}, {0, 4}, {2, 4}}));
}

TYPED_TEST(EveryBroadPhase, HandlesPointsSegmentsAndPlanes) {
  TypeParam broad;
  const Vector3d origin = Vector3d::Zero();
  broad.insert(0, Aabb::of_point(origin));
  broad.insert(1, Aabb::of_point(origin));
  broad.insert(2, {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}});
  broad.insert(3, {{-1.0, -1.0, 0.0}, {1.0, 1.0, 0.0}});
  broad.insert(4, Aabb::of_point({0.0, 0.0, 1e-30}));
  EXPECT_EQ(pairs_of(broad), (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceInEveryDriftingScene) {
  struct Case {
    const char* name;
    DriftingBoxes scene;
  };
  for (const std::size_t count : {300U, 2500U}) {  // one column, many columns
    const Case cases[] = {{"slow cloud", test::uniform_cloud(count, 0.01, 1)},
                          {"fast cloud", test::uniform_cloud(count, 1.0, 2)},
                          {"layer", test::layer(count, 3)},
                          {"mixed sizes", test::log_uniform_sizes(count, 4)},
                          {"movers among fixed", test::movers_among_fixed(count, 5)},
                          {"towers", test::towers(count, 6)}};
    for (const Case& item : cases) {
      SCOPED_TRACE(testing::Message() << item.name << ", " << count << " boxes");
      DriftingBoxes scene = item.scene;
      Twins twins;
      for (std::uint32_t id = 0; id < count; ++id) twins.insert(id, scene.boxes[id], {}, scene.motions[id]);
      test::Random random(9);
      std::size_t changes = 0;
      Pairs last;
      for (int frame = 0; frame < (samples::kIsInstrumented && count > 300 ? 3 : 12); ++frame) {
        const Pairs pairs = twins.pairs();
        ASSERT_FALSE(testing::Test::HasFailure());
        ASSERT_GT(pairs.size(), count / 100);  // the scene does exercise overlap
        changes += pairs != last ? 1U : 0U;
        last = pairs;
        scene.advance(random);
        for (const std::uint32_t id : scene.movers) twins.set_box(id, scene.boxes[id]);
      }
      EXPECT_GT(changes, 1U);
    }
  }
}

/// One box of a kind that random scripts draw: mostly small, some long, huge, flat, or without an end.
Aabb any_box(test::Random& random, double side) {
  const Vector3d center = random.vector(0.0, side);
  switch (random.below(40)) {
    case 0:
      return Aabb::of_point(center);
    case 1:
      return test::detail::box_at(center, 0.5 * side);
    case 2: {
      Aabb slab = test::detail::box_at(center, 1.0);
      const auto axis = static_cast<int>(random.below(3));
      slab.lower[axis] = -kLargest;
      if (random.chance(0.5)) slab.upper[axis] = kLargest;
      return slab;
    }
    case 3: {
      Aabb needle = test::detail::box_at(center, 0.2);
      needle.upper[static_cast<int>(random.below(3))] += 0.3 * side;
      return needle;
    }
    default:
      return test::detail::box_at(center, random.uniform(0.2, 1.5));
  }
}

void run_random_script(std::uint64_t seed, std::uint32_t ids, int frames, double margin) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ids << " ids, margin " << margin);
  test::Random random(seed);
  const double side = std::cbrt(1.5 * ids);
  Twins twins(margin);
  std::size_t pairs_seen = 0;
  for (int frame = 0; frame < frames; ++frame) {
    // From a single change to nearly everything at once.
    const double activity = std::pow(10.0, random.uniform(-4.0, 0.0));
    for (std::uint32_t id = 0; id < ids; ++id) {
      if (frame > 0 && !random.chance(activity)) continue;
      if (!twins.sweep.contains(id)) {
        const Motion motion = random.chance(0.3) ? Motion::fixed : Motion::moving;
        const CollisionFilter filter =
            random.chance(0.2) ? CollisionFilter{random.below(8), random.below(8)} : CollisionFilter{};
        twins.insert(id, any_box(random, side), filter, motion);
        continue;
      }
      switch (random.below(8)) {
        case 0:
          twins.both([&](auto& broad) { broad.remove(id); });
          break;
        case 1: {
          const CollisionFilter filter{random.below(8), random.below(8)};
          twins.both([&](auto& broad) { broad.set_filter(id, filter); });
          break;
        }
        case 2:
          twins.both([&](auto& broad) { broad.set_filter(id, {}); });
          break;
        case 3: {
          const Motion motion = random.chance(0.5) ? Motion::fixed : Motion::moving;
          twins.both([&](auto& broad) { broad.set_motion(id, motion); });
          break;
        }
        case 4:
          twins.set_box(id, any_box(random, side));
          break;
        default: {
          Aabb box = twins.sweep.widened_box(id);
          const Vector3d shift = random.vector(-0.3, 0.3);
          box.lower += shift;
          box.upper += shift;
          twins.set_box(id, box);
        }
      }
    }
    if (random.chance(0.05)) {
      const double next = random.uniform(0.0, 0.3);
      twins.both([&](auto& broad) { broad.set_margin(next); });
    }
    pairs_seen += twins.pairs().size();
    ASSERT_FALSE(testing::Test::HasFailure()) << "frame " << frame;
  }
  EXPECT_GT(pairs_seen, static_cast<std::size_t>(frames) * ids / 4);
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceUnderRandomScripts) {
  constexpr int kFewer = samples::kIsInstrumented ? 5 : 1;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) run_random_script(seed, 150, 150 / kFewer, 0.0);
  for (const std::uint64_t seed : {5U, 6U}) run_random_script(seed, 1500, 40 / kFewer, 0.05);
  run_random_script(7, 4000, 15 / kFewer, 0.0);
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceFarFromTheOrigin) {
  for (const double offset : {1e3, 1e6, 1e9}) {
    SCOPED_TRACE(testing::Message() << "offset " << offset);
    constexpr std::size_t kCount = samples::kIsInstrumented ? 800 : 2500;
    DriftingBoxes scene = test::uniform_cloud(kCount, 1.0, 31);
    Twins twins;
    const auto placed = [offset](const Aabb& box) {
      const Vector3d shift(offset, -offset, 0.5 * offset);
      return Aabb{box.lower + shift, box.upper + shift};
    };
    for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) twins.insert(id, placed(scene.boxes[id]));
    test::Random random(32);
    std::size_t exact = 0;
    for (std::size_t a = 0; a < scene.boxes.size(); ++a) {
      for (std::size_t b = a + 1; b < scene.boxes.size(); ++b) {
        exact += placed(scene.boxes[a]).overlaps(placed(scene.boxes[b])) ? 1U : 0U;
      }
    }
    EXPECT_GE(twins.pairs().size(), exact);  // rounding adds pairs and loses none
    scene.advance(random);
    for (const std::uint32_t id : scene.movers) twins.set_box(id, placed(scene.boxes[id]));
    EXPECT_GT(twins.pairs().size(), kCount);
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceOfALargerBoxOfAnySizeAtCoordinatesOfMaps) {
  // A row of unit boxes and one under them. Widening by the margin rounds by float steps of the coordinate, which
  // decide here whether the larger box is too large for the grid of the others.
  constexpr std::uint32_t kLarge = 30;
  constexpr double kStep = samples::kIsInstrumented ? 0.25 : 1.0 / 32.0;
  for (const double offset : {9e3, 4.5e6, 2e7}) {
    for (double size = 4.0; size < 80.0; size += kStep) {
      Twins twins(0.001);
      for (std::uint32_t id = 0; id < 60; ++id) {
        const Vector3d half = id == kLarge ? Vector3d(0.5 * size, 0.5 * size, 0.5) : Vector3d(0.5, 0.5, 0.5);
        const Vector3d center = id == kLarge ? Vector3d(id, offset + 0.25, -0.9) : Vector3d(id, offset, 0.0);
        twins.insert(id, {center - half, center + half});
      }
      twins.pairs();
      ASSERT_FALSE(testing::Test::HasFailure()) << "offset " << offset << ", size " << size;
    }
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceBeyondTheRangeOfFloat) {
  // Such coordinates become the largest float, whose step is larger than any grid.
  test::Random random(35);
  for (int round = 0; round < (samples::kIsInstrumented ? 100 : 1000); ++round) {
    Twins twins(std::array{0.0, 0.01, 0.3}[random.below(3)]);
    const std::uint32_t count = 2 + random.below(150);
    const std::uint32_t far_count = 1 + random.below(4);
    for (std::uint32_t id = 0; id < count; ++id) {
      Vector3d center = random.vector(0.0, 5.0);
      const double far = std::pow(10.0, random.uniform(38.4, 250.0));
      for (int axis = 0; axis < 3 && id < far_count; ++axis) {
        if (random.below(3) != 0) center[axis] = far * random.uniform(0.5, 1.0) * (random.below(4) == 0 ? -1.0 : 1.0);
      }
      twins.insert(id, test::detail::box_at(center, 1.0));
    }
    twins.pairs();
    ASSERT_FALSE(testing::Test::HasFailure()) << "round " << round;
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceThatAHugeBoxMakesByTheRoundingOfWideEnds) {
  // Ends on both sides of the origin, about a margin apart: those near it have far smaller steps than those of their
  // sum with the margin.
  constexpr double kMargin = 2.0;
  std::size_t pairs = 0;
  for (const double end : {2.0 + 0x1p-22, 2.0 + 0x1p-21, 2.0, 2.0 - 0x1p-22, 1.5 + 0x1p-22}) {
    for (const double other : {0.0, 0x1p-24, -0x1p-25, -0x1p-24, 0x1p-23, end - 2.0}) {
      Twins twins(kMargin);
      twins.insert(0, {Vector3d(end, -1e4, -1e4), Vector3d(end + 1.0, 1e4, 1e4)});
      twins.insert(1, {Vector3d(-end - 1.0, -1e4, -1e4), Vector3d(-end, 1e4, 1e4)});
      for (std::uint32_t id = 2; id < 40; ++id) {
        const double y = 10.0 * id;
        twins.insert(id, id % 2 == 0 ? Aabb{{other - 1.0, y, 0.0}, {other, y + 1.0, 1.0}}
                                     : Aabb{{-other, y, 0.0}, {1.0 - other, y + 1.0, 1.0}});
      }
      pairs += twins.pairs().size();
      ASSERT_FALSE(testing::Test::HasFailure()) << "end " << end << ", other " << other;
    }
  }
  EXPECT_GT(pairs, 500U);
}

TEST(SweepAndPrune, ReportsAllPairsOfIdenticalBoxes) {
  for (const double size : {0.0, 1.0}) {
    SCOPED_TRACE(testing::Message() << "size " << size);
    constexpr std::uint32_t kCount = 2000;
    SweepAndPrune broad;
    for (std::uint32_t id = 0; id < kCount; ++id) broad.insert(id, cube(1, 2, 3, size));
    const Pairs pairs = pairs_of(broad);
    EXPECT_EQ(pairs.size(), std::size_t{kCount} * (kCount - 1) / 2);
    EXPECT_TRUE(is_canonical(pairs));
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceAmongManyLargeBoxes) {
  // Three scales, each a hundred times the last, and more half-spaces than are scanned one by one.
  test::Random random(41);
  Twins twins;
  std::uint32_t id = 0;
  const auto add = [&](int count, double size) {
    for (int i = 0; i < count; ++i) twins.insert(id++, test::detail::box_at(random.vector(0.0, 60.0), size));
  };
  add(2000, 0.5);
  add(150, 5.0);
  add(60, 50.0);
  for (int i = 0; i < 40; ++i) {
    Aabb half_space{Vector3d::Constant(-kLargest), Vector3d::Constant(kLargest)};
    half_space.upper[i % 3] = random.uniform(0.0, 10.0);
    twins.insert(id++, half_space, {}, i % 2 == 0 ? Motion::fixed : Motion::moving);
  }
  EXPECT_GT(twins.pairs().size(), 10000U);
  for (int frame = 0; frame < 20; ++frame) {  // few changes, of all sizes
    SCOPED_TRACE(testing::Message() << "seed 41, frame " << frame);
    for (int i = 0; i < 10; ++i) {
      const std::uint32_t moved = frame < 10 ? random.below(id) : 2000 + random.below(id - 2000);
      Aabb box = twins.sweep.widened_box(moved);
      const Vector3d shift = random.vector(-2.0, 2.0);
      twins.set_box(moved, {box.lower + shift, box.upper + shift});
    }
    twins.pairs();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceInAFullBin) {
  // Few walls that rest, until they move too, around many boxes that never do: rows of all lengths, in one column and
  // in many, with fewer ids than bits of a long row and with more.
  for (const std::uint32_t count : {40U, 600U, 5000U}) {
    for (const std::uint32_t first_box : {0U, 5U, 20000U}) {
      if (samples::kIsInstrumented && count == 5000 && first_box == 5) continue;
      SCOPED_TRACE(testing::Message() << count << " boxes from " << first_box);
      test::Random random(71);
      Twins twins;
      const std::uint32_t first_wall = first_box == 5 ? 0 : first_box + count;
      const double side = std::cbrt(static_cast<double>(count)) * 0.6;
      for (std::uint32_t wall = 0; wall < 5; ++wall) {
        Aabb box{Vector3d::Constant(-1.0), Vector3d::Constant(side + 1.0)};
        const Eigen::Index axis = wall / 2;
        (wall % 2 == 0 ? box.upper : box.lower)[axis] = wall % 2 == 0 ? 0.3 * side : 0.7 * side;
        twins.insert(first_wall + wall, box, {}, Motion::fixed);
      }
      std::vector<Vector3d> centers;
      for (std::uint32_t i = 0; i < count; ++i) {
        centers.push_back(random.vector(0.0, side));
        twins.insert(first_box + i, test::detail::box_at(centers.back(), random.uniform(0.3, 1.2)));
      }
      const int frames = count > 1000 ? 3 : samples::kIsInstrumented ? 8 : 24;
      for (int frame = 0; frame < frames; ++frame) {
        for (std::uint32_t i = 0; i < count; ++i) {
          const Aabb box = twins.sweep.widened_box(first_box + i);
          const Vector3d shift = random.vector(-0.01, 0.01);
          twins.set_box(first_box + i, {box.lower + shift, box.upper + shift});
        }
        if (frame >= frames / 2) {
          const std::uint32_t wall = first_wall + static_cast<std::uint32_t>(frame) % 5;
          const Aabb box = twins.sweep.widened_box(wall);
          twins.set_box(wall, {box.lower, box.upper + Vector3d::Constant(0.01)});
        }
        EXPECT_GT(twins.pairs().size(), 4U * count);
        ASSERT_FALSE(testing::Test::HasFailure()) << "frame " << frame;
      }
    }
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceOnALineAndInAPlane) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool plane : {false, true}) {
      SCOPED_TRACE(testing::Message() << "axis " << axis << (plane ? " plane" : " line"));
      test::Random random(51);
      Twins twins;
      for (std::uint32_t id = 0; id < 2500; ++id) {
        Vector3d center = Vector3d::Zero();
        center[axis] = random.uniform(0.0, plane ? 50.0 : 900.0);
        if (plane) center[(axis + 1) % 3] = random.uniform(0.0, 50.0);
        twins.insert(id, test::detail::box_at(center, 1.0));
      }
      EXPECT_GT(twins.pairs().size(), 2500U);
    }
  }
}

TEST(SweepAndPrune, FindsThePairsOfBruteForceWithFewProxiesAmongManyIds) {
  Twins twins;
  test::Random random(61);
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t id = 7000 + 13 * static_cast<std::uint32_t>(i);
    twins.insert(id, test::detail::box_at(random.vector(0.0, 6.0), 1.0));
  }
  EXPECT_GT(twins.pairs().size(), 300U);
}

TEST(SweepAndPrune, KeepsItsProxiesWhenMoved) {
  SweepAndPrune first;
  first.insert(0, cube(0, 0, 0, 1));
  first.insert(1, cube(0, 0, 0, 1));
  EXPECT_EQ(pairs_of(first).size(), 1U);
  SweepAndPrune second = std::move(first);
  EXPECT_EQ(pairs_of(second).size(), 1U);
  second.set_box(1, cube(9, 0, 0, 1));
  EXPECT_EQ(pairs_of(second).size(), 0U);
}

}  // namespace
}  // namespace abut

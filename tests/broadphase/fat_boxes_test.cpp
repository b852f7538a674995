// Fat boxes are swept in the place of the boxes of slow proxies. Whether they are, no list of pairs shows.
#include <abut/broadphase/brute_force.h>
#include <abut/broadphase/detail/fat_boxes.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "pair_checks.h"

namespace abut {
namespace {

using detail::FatBoxes;
using test::DriftingBoxes;
using test::Random;
using Pairs = std::vector<ProxyPair>;

/// A table whose changes a test looks through as a broad phase does.
class WatchedTable : public ProxyTable {
 public:
  explicit WatchedTable(const DriftingBoxes& scene, double margin = 0.0) : ProxyTable(margin) {
    for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) insert(id, scene.boxes[id], {}, scene.motions[id]);
  }
  void set_boxes(const DriftingBoxes& scene) {
    for (const std::uint32_t id : scene.movers) set_box(id, scene.boxes[id]);
  }
  using ProxyTable::clear_changed;
};

/// Frames of a scene, up to the first in which fat boxes are on; `frames` where they never are.
int frames_until_on(DriftingBoxes scene, int frames) {
  WatchedTable table(scene);
  FatBoxes fat;
  Random random(3);
  for (int frame = 0; frame < frames; ++frame) {
    fat.update(table);
    if (fat.is_on()) return frame;
    table.clear_changed();
    scene.advance(random);
    table.set_boxes(scene);
  }
  return frames;
}

bool contains(const FloatBox& outer, const FloatBox& inner) {
  bool contains = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    contains = contains && outer.lower[axis] <= inner.lower[axis] && inner.upper[axis] <= outer.upper[axis];
  }
  return contains;
}

TEST(FatBoxes, AreOnWhereBoxesMoveSlowlyAndOffElsewhere) {
  EXPECT_LT(frames_until_on(test::uniform_cloud(500, 0.01, 1), 40), 20);
  EXPECT_LT(frames_until_on(test::towers(500, 2), 40), 20);
  EXPECT_LT(frames_until_on(test::log_uniform_sizes(500, 3), 40), 20);
  EXPECT_LT(frames_until_on(test::layer(500, 4), 40), 20);
  EXPECT_EQ(frames_until_on(test::uniform_cloud(500, 1.0, 5), 100), 100);
  EXPECT_EQ(frames_until_on(test::uniform_cloud(500, 0.1, 6), 100), 100);
  EXPECT_EQ(frames_until_on(test::movers_among_fixed(500, 7), 100), 100);
  EXPECT_EQ(frames_until_on(test::uniform_cloud(20, 0.01, 8), 100), 100);  // too few to gain anything
}

TEST(FatBoxes, GoOffWhereBoxesLeaveThemAtOnceAndComeBack) {
  DriftingBoxes scene = test::uniform_cloud(500, 0.01, 1);
  WatchedTable table(scene);
  FatBoxes fat;
  Random random(3);
  const auto frames_until = [&](bool on) {
    int frame = 0;
    for (fat.update(table); fat.is_on() != on && frame < 100; ++frame, fat.update(table)) {
      table.clear_changed();
      if (fat.is_on()) fat.clear_changed();
      scene.advance(random);
      table.set_boxes(scene);
    }
    return frame;
  };
  EXPECT_LT(frames_until(true), 20);
  scene.step = 1.0;
  EXPECT_LT(frames_until(false), 10);
  scene.step = 0.01;
  EXPECT_LT(frames_until(true), 40);
  scene.step = 0.5;
  EXPECT_LT(frames_until(false), 10);
}

TEST(FatBoxes, ContainTheBoxesAndChangeOnlyWhereTheseLeaveThem) {
  DriftingBoxes scene = test::log_uniform_sizes(800, 1);
  for (std::uint32_t id = 0; id < 100; ++id) scene.motions[id] = Motion::fixed;
  scene.movers.erase(scene.movers.begin(), scene.movers.begin() + 100);
  WatchedTable table(scene, /*margin=*/0.01);
  FatBoxes fat;
  Random random(3);
  std::size_t stayed = 0;
  std::size_t left = 0;
  std::vector<FloatBox> before(scene.boxes.size());
  for (int frame = 0; frame < 200; ++frame) {
    const bool was_on = fat.is_on();
    fat.update(table);
    for (std::uint32_t id = 0; fat.is_on() && id < scene.boxes.size(); ++id) {
      const FloatBox box = table.search_box(id);
      const FloatBox fat_box = fat.search_box(id);
      ASSERT_TRUE(contains(fat_box, box)) << "frame " << frame << ", id " << id;
      const bool is_same = contains(fat_box, before[id]) && contains(before[id], fat_box);
      if (was_on) {
        const bool is_changed = (fat.states()[id] & BoxTable::kChanged) != 0;
        ASSERT_EQ(is_changed, !contains(before[id], box)) << "frame " << frame << ", id " << id;
        ASSERT_TRUE(is_same || is_changed);
        ++(is_changed ? left : stayed);
      }
      if (id < 100) {
        ASSERT_FALSE(fat.has_room(table, id)) << "fixed";
      }
      before[id] = fat_box;
    }
    table.clear_changed();
    if (fat.is_on()) fat.clear_changed();
    scene.advance(random);
    table.set_boxes(scene);
  }
  EXPECT_GT(left, 100U);
  EXPECT_GT(stayed, 50 * left);
}

/// A cloud that trembles, of which some boxes swing by half their size instead, up and down in forty frames.
class SwingingCloud {
 public:
  static constexpr std::uint32_t kSwinging = 8;

  /// @param moving  So many of the boxes tremble or swing, those of the first ids.
  SwingingCloud(std::uint32_t count, std::uint64_t seed, std::uint32_t moving)
      : scene_(test::uniform_cloud(count, 0.0005, seed)), moving_(moving) {
    std::erase_if(scene_.movers, [moving](std::uint32_t id) { return id < kSwinging || id >= moving; });
    for (std::uint32_t id = 0; id < kSwinging; ++id) middles_.push_back(scene_.boxes[id]);
  }
  SwingingCloud(std::uint32_t count, std::uint64_t seed) : SwingingCloud(count, seed, count) {}
  [[nodiscard]] const DriftingBoxes& scene() const { return scene_; }
  [[nodiscard]] std::uint32_t moving() const { return moving_; }

  void advance(Random& random, bool swings) {
    scene_.advance(random);
    ++frame_;
    for (std::uint32_t id = 0; id < kSwinging && swings; ++id) {
      const Vector3d size = middles_[id].upper - middles_[id].lower;
      const Vector3d shift = 0.25 * size * std::sin(0.157 * frame_ + id);
      scene_.boxes[id] = {middles_[id].lower + shift, middles_[id].upper + shift};
    }
  }

 private:
  DriftingBoxes scene_;
  std::uint32_t moving_;
  std::vector<Aabb> middles_;
  int frame_ = 0;
};

TEST(FatBoxes, HaveMoreRoomWhereAFewBoxesLeaveThemTimeAndAgainAndGiveItBack) {
  SwingingCloud cloud(600, 1);
  WatchedTable table(cloud.scene());
  FatBoxes fat;
  Random random(3);
  const auto times_as_large = [&](std::uint32_t id) {
    const FloatBox box = table.search_box(id);
    const FloatBox fat_box = fat.search_box(id);
    return (fat_box.upper[0] - fat_box.lower[0]) / (box.upper[0] - box.lower[0]);
  };
  // Of so many frames, in how many a fat box has changed.
  const auto changing_frames = [&](int frames, bool swings) {
    int changing = 0;
    for (int frame = 0; frame < frames; ++frame) {
      table.clear_changed();
      if (fat.is_on()) fat.clear_changed();
      cloud.advance(random, swings);
      table.set_boxes(cloud.scene());
      for (std::uint32_t id = 0; id < SwingingCloud::kSwinging; ++id) table.set_box(id, cloud.scene().boxes[id]);
      fat.update(table);
      changing += fat.is_on() && fat.any_changed() ? 1 : 0;
    }
    return changing;
  };
  fat.update(table);
  changing_frames(30, /*swings=*/false);
  ASSERT_TRUE(fat.is_on());
  for (std::uint32_t id = 0; id < SwingingCloud::kSwinging; ++id) EXPECT_LT(times_as_large(id), 1.2F) << id;

  EXPECT_GT(changing_frames(40, /*swings=*/true), 10);
  changing_frames(160, /*swings=*/true);
  EXPECT_LT(changing_frames(40, /*swings=*/true), 4);
  for (std::uint32_t id = 0; id < SwingingCloud::kSwinging; ++id) EXPECT_GT(times_as_large(id), 1.3F) << id;

  changing_frames(1500, /*swings=*/false);
  for (std::uint32_t id = 0; id < SwingingCloud::kSwinging; ++id) EXPECT_LT(times_as_large(id), 1.2F) << id;
}

TEST(FatBoxes, GiveBoxesWithoutAnEndNoRoom) {
  DriftingBoxes scene = test::uniform_cloud(200, 0.01, 1);
  for (std::uint32_t id = 0; id < 150; ++id) {
    scene.boxes[id].lower[2] = -std::numeric_limits<double>::max();
    scene.boxes[id].upper[0] = std::numeric_limits<double>::max();
  }
  WatchedTable table(scene);
  FatBoxes fat;
  Random random(3);
  for (int frame = 0; frame < 40; ++frame) {
    fat.update(table);
    for (std::uint32_t id = 0; fat.is_on() && id < scene.boxes.size(); ++id) {
      ASSERT_TRUE(contains(fat.search_box(id), table.search_box(id)));
      if (id < 150) {
        ASSERT_FALSE(fat.has_room(table, id));
      }
    }
    table.clear_changed();
    if (fat.is_on()) fat.clear_changed();
    for (std::uint32_t id = 150; id < 200; ++id) {
      scene.boxes[id].lower.x() += 0.001;
      scene.boxes[id].upper.x() += 0.001;
      table.set_box(id, scene.boxes[id]);
    }
  }
  EXPECT_TRUE(fat.is_on());
}

/// Two broad phases under the same calls, and the fat boxes that the one has.
struct Watched {
  explicit Watched(double margin) : sweep(margin), brute(margin) {}

  template <class Call>
  void both(Call call) {
    call(sweep);
    call(brute);
  }

  SweepAndPrune sweep;
  BruteForce brute;
  FatBoxes fat;  // looks at what changes, as those within do
};

/// What scripts have done: a list of pairs does not show it.
struct Exercise {
  int frames_on = 0;
  int switches = 0;
  std::size_t began = 0;
  std::size_t ended = 0;

  void add(const Exercise& other) {
    frames_on += other.frames_on;
    switches += other.switches;
    began += other.began;
    ended += other.ended;
  }
};

/// A scene whose speed changes now and then, whose proxies come and go, are frozen and given other filters, whose
/// margin changes, whose boxes shrink, and about whose boxes questions are asked.
/// @param moving  The share of boxes that move; the others are changed in other ways alone.
void run_script(std::uint64_t seed, std::uint32_t count, int frames, double margin, double moving, Exercise& all) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << count << " boxes, margin " << margin << ", " << moving
                                  << " of them moving");
  Random random(seed);
  DriftingBoxes scene = test::log_uniform_sizes(count, seed);
  Watched world(margin);
  for (std::uint32_t id = 0; id < count; ++id) world.both([&](auto& b) { b.insert(id, scene.boxes[id]); });
  Pairs last;
  Exercise exercise;
  bool is_on = false;
  for (int frame = 0; frame < frames; ++frame) {
    SCOPED_TRACE(testing::Message() << "frame " << frame);
    world.fat.update(world.sweep);
    exercise.switches += world.fat.is_on() != is_on ? 1 : 0;
    is_on = world.fat.is_on();
    exercise.frames_on += is_on ? 1 : 0;
    if (is_on) world.fat.clear_changed();

    Pairs expected;
    world.brute.find_pairs(expected);
    Pairs began;
    Pairs ended;
    const bool with_events = random.chance(0.5);
    if (with_events) {
      world.sweep.update(began, ended);
      Pairs expected_began;
      Pairs expected_ended;
      std::set_difference(expected.begin(), expected.end(), last.begin(), last.end(),
                          std::back_inserter(expected_began));
      std::set_difference(last.begin(), last.end(), expected.begin(), expected.end(),
                          std::back_inserter(expected_ended));
      ASSERT_TRUE(test::same_pairs(began, expected_began));
      ASSERT_TRUE(test::same_pairs(ended, expected_ended));
      exercise.began += began.size();
      exercise.ended += ended.size();
    } else {
      world.sweep.update();
    }
    const auto pairs = world.sweep.pairs();
    ASSERT_TRUE(test::same_pairs({pairs.begin(), pairs.end()}, expected));
    last = expected;

    if (random.chance(0.02)) {
      world.sweep.index();
      const Aabb box = test::detail::box_at(random.vector(0.0, scene.room.upper.x()), 3.0);
      std::vector<std::uint32_t> found;
      std::vector<std::uint32_t> overlapping;
      world.sweep.find_overlaps(box, found);
      const auto is_inside = [&](std::uint32_t id) { return world.sweep.widened_box(id).overlaps(box); };
      for (std::uint32_t id = 0; id < count; ++id) {
        if (world.sweep.contains(id) && is_inside(id)) overlapping.push_back(id);
      }
      ASSERT_EQ(found, overlapping);
      const auto after = world.sweep.pairs();
      ASSERT_TRUE(test::same_pairs({after.begin(), after.end()}, expected)) << "a question changes no pairs";
      world.fat.suspend();
    }
    if (random.chance(0.02)) scene.step = random.chance(0.7) ? 0.005 : 0.5;
    scene.advance(random);
    for (std::uint32_t id = 0; id < count; ++id) {
      const bool moves = id < moving * count && random.chance(0.9);
      if (world.sweep.contains(id) && moves) world.both([&](auto& b) { b.set_box(id, scene.boxes[id]); });
    }
    if (const std::uint32_t id = random.below(count); world.sweep.contains(id)) {
      // Smaller than it was, and so still within its fat box.
      const Aabb box = world.sweep.widened_box(id);
      const Vector3d quarter = 0.25 * (box.upper - box.lower);
      world.both([&](auto& b) { b.set_box(id, {box.lower + quarter, box.upper - quarter}); });
    }
    if (random.chance(0.02)) {
      const double next = random.uniform(0.0, 0.1);
      world.both([&](auto& b) { b.set_margin(next); });
    }
    for (std::uint32_t change = random.below(8); change < 4; ++change) {
      const std::uint32_t id = random.below(count);
      if (!world.sweep.contains(id)) {
        world.both([&](auto& b) { b.insert(id, scene.boxes[id], {}, Motion::moving); });
      } else if (random.chance(0.3)) {
        world.both([&](auto& b) { b.remove(id); });
      } else if (random.chance(0.5)) {
        const Motion motion = random.chance(0.5) ? Motion::fixed : Motion::moving;
        world.both([&](auto& b) { b.set_motion(id, motion); });
      } else {
        const CollisionFilter filter{random.below(4), random.below(4)};
        world.both([&](auto& b) { b.set_filter(id, filter); });
      }
    }
  }
  all.add(exercise);
  if (samples::kIsInstrumented) return;  // too few frames for each script to have done all
  EXPECT_GT(exercise.frames_on, 20);
  EXPECT_GE(exercise.switches, 2);
  EXPECT_GT(exercise.began, count / 4);
  EXPECT_GT(exercise.ended, count / 4);
}

TEST(FatBoxes, ChangeNoListOfPairs) {
  constexpr int kFrames = samples::kIsInstrumented ? 150 : 600;
  Exercise exercise;
  run_script(11, 200, kFrames, 0.0, 1.0, exercise);
  run_script(12, 200, kFrames, 0.02, 1.0, exercise);
  run_script(13, 1500, kFrames / 5, 0.01, 1.0, exercise);
  run_script(14, 400, kFrames, 0.01, 0.15, exercise);
  EXPECT_GT(exercise.frames_on, kFrames / 2);
  EXPECT_GE(exercise.switches, 6);
  EXPECT_GT(exercise.began, 500U);
  EXPECT_GT(exercise.ended, 500U);
}

/// Boxes swing in the first and in the last quarter of the frames; in between there is time to take room back.
/// @param every  So many frames lie between two in which the pairs are compared.
void compare_swinging(SwingingCloud cloud, double margin, int frames, int every) {
  const auto count = static_cast<std::uint32_t>(cloud.scene().boxes.size());
  Watched world(margin);
  for (std::uint32_t id = 0; id < count; ++id) world.both([&](auto& b) { b.insert(id, cloud.scene().boxes[id]); });
  Random random(4);
  std::size_t seen = 0;
  int compared = 0;
  for (int frame = 0; frame < frames; ++frame) {
    world.sweep.update();
    world.fat.update(world.sweep);
    if (world.fat.is_on()) world.fat.clear_changed();
    if (frame % every == 0) {
      Pairs expected;
      world.brute.find_pairs(expected);
      const auto pairs = world.sweep.pairs();
      ASSERT_TRUE(test::same_pairs({pairs.begin(), pairs.end()}, expected)) << "frame " << frame;
      seen += pairs.size();
      ++compared;
    }
    cloud.advance(random, /*swings=*/frame < frames / 4 || frame > frames * 3 / 4);
    for (std::uint32_t id = 0; id < cloud.moving(); ++id) {
      world.both([&](auto& b) { b.set_box(id, cloud.scene().boxes[id]); });
    }
  }
  EXPECT_GT(seen, std::size_t{count} * static_cast<std::size_t>(compared));
}

TEST(FatBoxes, ChangeNoListOfPairsWhereTheyHaveMoreRoomAndGiveItBack) {
  constexpr int kFrames = samples::kIsInstrumented ? 800 : 2000;
  compare_swinging(SwingingCloud(300, 5), 0.01, kFrames, 2);
}

TEST(FatBoxes, ChangeNoListOfPairsWhereMostRestAndSeveralThreadsTakeRoomBack) {
  constexpr int kFrames = samples::kIsInstrumented ? 800 : 1600;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena(4).execute([] { compare_swinging(SwingingCloud(2600, 6, 200), 0.0, kFrames, 40); });
}

TEST(FatBoxes, ChangeNoListOfPairsWhereTheLargestIdsGo) {
  DriftingBoxes scene = test::uniform_cloud(600, 0.005, 21);
  Watched world(0.0);
  for (std::uint32_t id = 0; id < 600; ++id) world.both([&](auto& b) { b.insert(id, scene.boxes[id]); });
  Random random(4);
  int frames_on = 0;
  for (int frame = 0; frame < 60; ++frame) {
    SCOPED_TRACE(testing::Message() << "frame " << frame);
    world.fat.update(world.sweep);
    if (world.fat.is_on()) world.fat.clear_changed();
    frames_on += world.fat.is_on() ? 1 : 0;
    ASSERT_TRUE(test::same_pairs(test::pairs_of(world.sweep), test::pairs_of(world.brute)));
    scene.advance(random);
    for (std::uint32_t id = 0; id < 600; ++id) {
      const bool is_wanted = frame % 20 < 10 || id < 200;
      if (is_wanted && world.sweep.contains(id)) world.both([&](auto& b) { b.set_box(id, scene.boxes[id]); });
      if (is_wanted && !world.sweep.contains(id)) world.both([&](auto& b) { b.insert(id, scene.boxes[id]); });
      if (!is_wanted && world.sweep.contains(id)) world.both([&](auto& b) { b.remove(id); });
    }
  }
  EXPECT_GT(frames_on, 20);
}

}  // namespace
}  // namespace abut

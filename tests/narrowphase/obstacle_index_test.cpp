// ObstacleIndex beside loops over all obstacles: the same answers bit by bit, in streets, crowds and extremes.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/planar/box_grid.h>
#include <abut/narrowphase/planar/obstacle_index.h>
#include <abut/narrowphase/planar/packed_box_tree.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "planar_samples.h"

namespace abut::planar {
namespace {

using samples::Random;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::uint32_t first_hit_of_all(const std::vector<Obstacle>& obstacles, const Shape& footprint, const Pose& pose,
                               double margin) {
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (collides(footprint, pose, obstacles[i].shape, obstacles[i].world_from_obstacle, margin)) {
      return static_cast<std::uint32_t>(i);
    }
  }
  return kNoObstacle;
}

Clearance nearest_of_all(const std::vector<Obstacle>& obstacles, const Shape& footprint, const Pose& pose,
                         double upper_bound) {
  Clearance best{upper_bound, kNoObstacle};
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    const double found = distance(footprint, pose, obstacles[i].shape, obstacles[i].world_from_obstacle);
    const bool is_nearer = best.obstacle == kNoObstacle ? found <= best.distance : found < best.distance;
    if (is_nearer) best = {found, static_cast<std::uint32_t>(i)};
  }
  return best;
}

struct Tally {
  std::size_t free = 0;
  std::size_t hit = 0;
};

// All questions at all poses, singly and together. @param margin, bound  Metres.
Tally expect_answers_of_a_loop(const std::vector<Obstacle>& obstacles, const Shape& footprint,
                               const std::vector<Pose>& poses, double margin, double bound) {
  const ObstacleIndex index(obstacles);
  EXPECT_EQ(index.size(), obstacles.size());
  std::vector<std::uint8_t> answers(poses.size());
  std::vector<std::uint32_t> hits(poses.size());
  std::vector<Clearance> clearances(poses.size());
  std::vector<Clearance> bounded(poses.size());
  index.collides(footprint, poses, answers, margin);
  index.first_hits(footprint, poses, hits, margin);
  index.clearances(footprint, poses, clearances);
  index.clearances(footprint, poses, bounded, bound);
  Tally tally;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "pose " << i << ": " << poses[i].translation.transpose() << ", angle "
                                    << poses[i].angle());
    const std::uint32_t first = first_hit_of_all(obstacles, footprint, poses[i], margin);
    const Clearance nearest = nearest_of_all(obstacles, footprint, poses[i], kInfinity);
    EXPECT_EQ(hits[i], first);
    EXPECT_EQ(answers[i] != 0, first != kNoObstacle);
    EXPECT_TRUE(clearances[i] == nearest) << clearances[i].distance << " of " << clearances[i].obstacle << ", not "
                                          << nearest.distance << " of " << nearest.obstacle;
    EXPECT_TRUE(bounded[i] == nearest_of_all(obstacles, footprint, poses[i], bound));
    EXPECT_EQ(index.collides(footprint, poses[i], margin), first != kNoObstacle);
    EXPECT_EQ(index.first_hit(footprint, poses[i], margin), first);
    EXPECT_TRUE(index.clearance(footprint, poses[i]) == nearest);
    ++(first == kNoObstacle ? tally.free : tally.hit);
    if (testing::Test::HasFailure()) break;
  }
  return tally;
}

Shape rectangle(double length, double width, double margin = 0.0) {
  const std::vector<Vector2d> corners{{-0.5 * length, -0.5 * width},
                                      {0.5 * length, -0.5 * width},
                                      {0.5 * length, 0.5 * width},
                                      {-0.5 * length, 0.5 * width}};
  return Shape::polygon(corners, margin);
}

// @param half_side  Of the square that they stand in, metres.
std::vector<Obstacle> even_obstacles(std::size_t count, double half_side, Random& random) {
  std::vector<Obstacle> obstacles;
  while (obstacles.size() < count) {
    obstacles.push_back({samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random),
                         samples::random_planar_pose(half_side, random)});
  }
  return obstacles;
}

std::vector<Pose> random_poses(std::size_t count, double half_side, Random& random) {
  std::vector<Pose> poses;
  while (poses.size() < count) poses.push_back(samples::random_planar_pose(half_side, random));
  return poses;
}

// Steps of a tenth of a metre along a curve.
std::vector<Pose> path_poses(std::size_t count) {
  std::vector<Pose> poses;
  Vector2d place(-20.0, -10.0);
  for (std::size_t i = 0; i < count; ++i) {
    const double heading = 0.5 + std::sin(0.01 * static_cast<double>(i));
    poses.emplace_back(place, heading);
    place += 0.1 * Vector2d(std::cos(heading), std::sin(heading));
  }
  return poses;
}

TEST(ObstacleIndex, AnswersAsALoopOverAllObstaclesForEveryFootprint) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed);
    const std::vector<Obstacle> obstacles = even_obstacles(300, 40.0, random);
    const std::vector<Shape> footprints{rectangle(4.5, 1.8),
                                        rectangle(3.9, 1.2, 0.3),
                                        Shape::circle(1.0),
                                        Shape::capsule(0.5, 1.5),
                                        rectangle(30.0, 0.01),
                                        rectangle(60.0, 50.0),
                                        samples::random_planar_shape(5, 2.0, random)};
    for (std::size_t k = 0; k < footprints.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " footprint " << k);
      const Tally tally = expect_answers_of_a_loop(obstacles, footprints[k], random_poses(200, 45.0, random),
                                                   k % 2 == 0 ? 0.0 : 0.4, 2.0);
      EXPECT_GT(tally.hit, 10u);
      if (k != 5) {
        EXPECT_GT(tally.free, 10u);
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(ObstacleIndex, AnswersAsALoopAlongAPath) {
  Random random(4);
  const std::vector<Obstacle> obstacles = even_obstacles(150, 40.0, random);
  const Tally tally = expect_answers_of_a_loop(obstacles, rectangle(4.5, 1.8), path_poses(600), 0.0, 1.0);
  EXPECT_GT(tally.free, 50u);
  EXPECT_GT(tally.hit, 50u);
}

TEST(ObstacleIndex, AnswersAsALoopForAnyNumberOfObstacles) {
  Random random(5);
  for (const std::size_t count : {0u, 1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 63u, 64u, 65u, 520u}) {
    SCOPED_TRACE(testing::Message() << count << " obstacles");
    const std::vector<Obstacle> obstacles = even_obstacles(count, 10.0, random);
    expect_answers_of_a_loop(obstacles, rectangle(1.0, 0.5), random_poses(100, 12.0, random), 0.1, 0.5);
  }
}

TEST(ObstacleIndex, WithoutObstaclesEverythingIsFree) {
  const ObstacleIndex index(std::span<const Obstacle>{});
  EXPECT_EQ(index.size(), 0u);
  EXPECT_FALSE(index.collides(Shape::circle(1.0), Pose()));
  EXPECT_EQ(index.first_hit(Shape::circle(1.0), Pose()), kNoObstacle);
  EXPECT_EQ(index.clearance(Shape::circle(1.0), Pose()).distance, kInfinity);
  EXPECT_EQ(index.clearance(Shape::circle(1.0), Pose(), 3.0).distance, 3.0);
  EXPECT_EQ(index.clearance(Shape::circle(1.0), Pose(), 3.0).obstacle, kNoObstacle);
}

// Crowds far apart, all at one place, in a row: where a grid is of no use.
TEST(ObstacleIndex, AnswersAsALoopInCrowds) {
  Random random(6);
  for (const int scene : {0, 1, 2}) {
    SCOPED_TRACE(testing::Message() << "scene " << scene);
    std::vector<Obstacle> obstacles = even_obstacles(200, 5.0, random);
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      Pose& pose = obstacles[i].world_from_obstacle;
      if (scene == 0 && i % 2 == 0) pose.translation.x() += 1e5;
      if (scene == 1) pose = {};
      if (scene == 2) pose.translation.y() = 0.0;
    }
    std::vector<Pose> poses = random_poses(150, 8.0, random);
    for (std::size_t i = 0; i < poses.size(); i += 3) poses[i].translation.x() += 1e5;
    expect_answers_of_a_loop(obstacles, rectangle(2.0, 0.5), poses, 0.0, 1.0);
  }
}

TEST(ObstacleIndex, AnswersAsALoopForSizesFromAMillimetreToAThousandKilometres) {
  Random random(7);
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 250; ++i) {
    const double size = std::pow(10.0, random.uniform(-3.0, i % 10 == 0 ? 6.0 : 0.0));
    obstacles.push_back({samples::random_planar_shape(random.below(samples::kPlanarKinds), size, random),
                         samples::random_planar_pose(10.0 + 2.0 * size, random)});
  }
  obstacles.push_back({Shape::circle(1.0), {{1e6, -1e6}, 0.0}});
  obstacles.push_back({Shape::circle(1.0), {{-1e12, 1e9}, 0.0}});
  std::vector<Pose> poses = random_poses(200, 15.0, random);
  poses.push_back({{1e6, -1e6 + 2.5}, 0.0});
  poses.push_back({{1e7, 1e7}, 0.0});
  for (const double size : {0.01, 1.0, 1e4}) {
    expect_answers_of_a_loop(obstacles, rectangle(size, 0.4 * size), poses, 0.0, 0.1);
  }
}

TEST(ObstacleIndex, AnswersAsALoopFarFromTheOrigin) {
  Random random(8);
  const Vector2d survey(432'100.0, 5'411'000.0);
  std::vector<Obstacle> obstacles = even_obstacles(200, 30.0, random);
  for (Obstacle& obstacle : obstacles) obstacle.world_from_obstacle.translation += survey;
  std::vector<Pose> poses = random_poses(300, 32.0, random);
  for (Pose& pose : poses) pose.translation += survey;
  const Tally tally = expect_answers_of_a_loop(obstacles, rectangle(4.5, 1.8), poses, 0.0, 1.0);
  EXPECT_GT(tally.free, 30u);
  EXPECT_GT(tally.hit, 30u);
}

TEST(ObstacleIndex, AnswersAsALoopAtTheEndsOfTheNumbers) {
  Random random(9);
  std::vector<Obstacle> obstacles = even_obstacles(30, 10.0, random);
  obstacles.push_back({Shape::circle(1e30), {{1e300, 0.0}, 0.0}});
  obstacles.push_back({Shape::circle(1e-300), {{0.1, 0.2}, 0.0}});
  obstacles.push_back({Shape::circle(1e100), {{-2e100, 1e90}, 1.0}});
  std::vector<Pose> poses = random_poses(20, 10.0, random);
  poses.push_back({{1e300, 0.0}, 0.0});
  poses.push_back({{-1e300, 1e300}, 0.0});
  poses.push_back({{-1.5e100, 0.0}, 0.0});
  for (const Shape& footprint : {rectangle(2.0, 1.0), rectangle(1e-120, 1e-120), rectangle(1e50, 1e49)}) {
    const ObstacleIndex index(obstacles);
    for (const Pose& pose : poses) {
      EXPECT_EQ(index.first_hit(footprint, pose), first_hit_of_all(obstacles, footprint, pose, 0.0))
          << pose.translation;
    }
  }
}

TEST(ObstacleIndex, AnswersAsALoopOnFootprintsThatTouch) {
  Random random(10);
  const std::vector<Obstacle> obstacles = even_obstacles(100, 25.0, random);
  const Shape footprint = rectangle(2.0, 1.0);
  std::vector<Pose> poses;
  for (int i = 0; i < 1000; ++i) {
    const Obstacle& obstacle = obstacles[random.below(100)];
    Pose pose = samples::random_planar_pose(3.0, random);
    pose.translation += obstacle.world_from_obstacle.translation;
    const double gap = i % 2 == 0 ? 0.0 : random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-16.0, -5.0));
    poses.push_back(samples::moved_apart(footprint, pose, obstacle.shape, obstacle.world_from_obstacle, gap));
  }
  expect_answers_of_a_loop(obstacles, footprint, poses, 0.0, 0.01);
}

// Pavement: every square touches its neighbours, and a footprint on the lines touches many.
TEST(ObstacleIndex, OfSeveralAtOneDistanceTheSmallestNumberIsNamed) {
  std::vector<Obstacle> obstacles;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      obstacles.push_back({rectangle(1.0, 1.0), {{8.0 - x, 8.0 - y}, 0.0}});
      obstacles.push_back({rectangle(1.0, 1.0), {{8.0 - x, 8.0 - y}, 0.0}});
    }
  }
  std::vector<Pose> poses;
  for (int y = -2; y < 20; ++y) {
    for (int x = -2; x < 20; ++x) poses.emplace_back(Vector2d(0.5 * x, 0.5 * y), 0.0);
  }
  expect_answers_of_a_loop(obstacles, rectangle(1.0, 1.0), poses, 0.0, 0.5);
  const ObstacleIndex index(obstacles);
  EXPECT_EQ(index.clearance(rectangle(1.0, 1.0), Pose({8.0, 10.0}, 0.0)).obstacle, 0u);
  EXPECT_EQ(index.clearance(rectangle(1.0, 1.0), Pose({8.0, 10.0}, 0.0)).distance, 1.0);
  EXPECT_EQ(index.clearance(rectangle(1.0, 1.0), Pose({8.0, 10.0}, 0.0), 1.0).obstacle, 0u) << "the bound counts";
  EXPECT_EQ(index.clearance(rectangle(1.0, 1.0), Pose({8.0, 10.0}, 0.0), 0.9).obstacle, kNoObstacle);
}

TEST(ObstacleIndex, GivesTheSameAnswersToSeveralThreadsThatSharePoses) {
  Random random(11);
  const ObstacleIndex index(even_obstacles(300, 40.0, random));
  const Shape footprint = rectangle(4.5, 1.8);
  const std::vector<Pose> poses = path_poses(2000);
  std::vector<std::uint8_t> answers(poses.size());
  std::vector<Clearance> clearances(poses.size());
  index.collides(footprint, poses, answers);
  index.clearances(footprint, poses, clearances);

  std::vector<std::uint8_t> shared_answers(poses.size());
  std::vector<Clearance> shared_clearances(poses.size());
  std::vector<std::thread> threads;
  const std::size_t cuts[] = {0, 1, 700, 1301, poses.size()};
  for (std::size_t i = 0; i + 1 < std::size(cuts); ++i) {
    const std::size_t first = cuts[i];
    const std::size_t count = cuts[i + 1] - first;
    threads.emplace_back([&, first, count] {
      const std::span<const Pose> part = std::span(poses).subspan(first, count);
      index.collides(footprint, part, std::span(shared_answers).subspan(first, count));
      index.clearances(footprint, part, std::span(shared_clearances).subspan(first, count));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared_answers, answers);
  EXPECT_TRUE(std::equal(clearances.begin(), clearances.end(), shared_clearances.begin()));
}

TEST(ObstacleIndex, RefusesWhatMakesNoSenseByName) {
  const std::vector<Obstacle> obstacles{{Shape::circle(1.0), {}}};
  const ObstacleIndex index(obstacles);
  const Shape disc = Shape::circle(1.0);
  const std::vector<Pose> poses(3);
  std::vector<std::uint8_t> answers(3);
  std::vector<std::uint32_t> hits(2);
  std::vector<Clearance> clearances(2);
  for (const double margin : {-0.1, kNan, kInfinity}) {
    EXPECT_EQ(samples::error_text([&] { (void)index.collides(disc, Pose(), margin); }).substr(0, 17),
              "security_margin: ");
    EXPECT_EQ(samples::error_text([&] { (void)index.first_hit(disc, Pose(), margin); }).substr(0, 17),
              "security_margin: ");
    EXPECT_EQ(samples::error_text([&] { index.collides(disc, poses, answers, margin); }).substr(0, 17),
              "security_margin: ");
  }
  EXPECT_EQ(samples::error_text([&] { (void)index.clearance(disc, Pose(), kNan); }),
            "upper_bound: must not be NaN, got nan");
  EXPECT_EQ(samples::error_text([&] { index.first_hits(disc, poses, hits); }),
            "hits: must have one element a pose, 3, got 2");
  EXPECT_EQ(samples::error_text([&] { index.clearances(disc, poses, clearances); }).substr(0, 12), "clearances: ");
  EXPECT_EQ(samples::error_text([&] { index.collides(disc, poses, std::span(answers).first(1)); }).substr(0, 9),
            "answers: ");
}

std::vector<detail::FloatBox> random_boxes(std::size_t count, float half_side, float size, Random& random) {
  std::vector<detail::FloatBox> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    detail::FloatBox box;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      box.lower[axis] = static_cast<float>(random.uniform(-half_side, half_side));
      box.upper[axis] = box.lower[axis] + static_cast<float>(random.uniform(0.0, size));
    }
    boxes.push_back(box);
  }
  return boxes;
}

bool touch(const detail::FloatBox& a, const detail::FloatBox& b) {
  return a.lower[0] <= b.upper[0] && b.lower[0] <= a.upper[0] && a.lower[1] <= b.upper[1] && b.lower[1] <= a.upper[1];
}

TEST(BoxGrid, FindsTheBoxesThatTouchAndNoOthers) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::vector<detail::FloatBox> boxes = random_boxes(200, 50.0f, 4.0f, random);
    boxes.push_back({{-1e6f, -1e6f}, {1e6f, 1e6f}});  // over all cells
    boxes.push_back({{1e30f, 5.0f}, {2e30f, 6.0f}});  // beyond them
    const detail::BoxGrid grid(boxes);
    ASSERT_TRUE(grid.is_useful());
    std::vector<detail::FloatBox> queries = random_boxes(300, 55.0f, 6.0f, random);
    queries.push_back({{1.5e30f, 5.0f}, {1.5e30f, 5.0f}});
    for (const detail::FloatBox& query : queries) {
      EXPECT_TRUE(grid.is_for(query));
      std::set<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < boxes.size(); ++i) {
        if (touch(boxes[i], query)) expected.insert(i);
      }
      std::set<std::uint32_t> found;
      grid.find_touching(query, [&](std::uint32_t i) {
        found.insert(i);
        return false;
      });
      ASSERT_EQ(found, expected);
    }
    EXPECT_FALSE(grid.is_for({{-50.0f, -50.0f}, {50.0f, 50.0f}})) << "a box over many cells is for a tree";
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(grid.is_for({{nan, nan}, {nan, nan}}));
  }
}

TEST(BoxGrid, IsOfNoUseForFewBoxesForCrowdsAndForManyLargeOnes) {
  Random random(4);
  EXPECT_FALSE(detail::BoxGrid(random_boxes(5, 50.0f, 4.0f, random)).is_useful());
  EXPECT_FALSE(detail::BoxGrid(std::span<const detail::FloatBox>{}).is_useful());
  std::vector<detail::FloatBox> crowds = random_boxes(200, 5.0f, 1.0f, random);
  for (std::size_t i = 0; i < 100; ++i) {
    crowds[i].lower[0] += 1e4f;
    crowds[i].upper[0] += 1e4f;
  }
  EXPECT_FALSE(detail::BoxGrid(crowds).is_useful());
  std::vector<detail::FloatBox> sizes = random_boxes(200, 50.0f, 1.0f, random);
  for (std::size_t i = 0; i < 60; ++i) sizes[i].upper[1] += 80.0f;
  EXPECT_FALSE(detail::BoxGrid(sizes).is_useful());
  std::vector<detail::FloatBox> points(100, {{1.0f, 1.0f}, {1.0f, 1.0f}});
  EXPECT_FALSE(detail::BoxGrid(points).is_useful());
}

TEST(PackedBoxTree, FindsTheBoxesThatTouchAndTheNearOnes) {
  for (const std::size_t count : {1u, 8u, 9u, 64u, 65u, 700u}) {
    SCOPED_TRACE(testing::Message() << count << " boxes");
    Random random(count);
    std::vector<detail::Box2> boxes;
    for (std::size_t i = 0; i < count; ++i) {
      const Vector2d lower(random.uniform(-50.0, 50.0), random.uniform(-50.0, 50.0));
      boxes.push_back({lower, lower + Vector2d(random.uniform(0.0, 5.0), random.uniform(0.0, 5.0))});
    }
    const detail::PackedBoxTree tree(boxes);
    std::vector<std::uint32_t> items(tree.items().begin(), tree.items().end());
    std::sort(items.begin(), items.end());
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(items[i], i);

    for (int k = 0; k < 100; ++k) {
      const Vector2d lower(random.uniform(-60.0, 60.0), random.uniform(-60.0, 60.0));
      const detail::Box2 box{lower, lower + Vector2d(random.uniform(0.0, 9.0), random.uniform(0.0, 9.0))};
      const auto distance_to = [&](std::size_t i) {
        return (boxes[i].lower - box.upper).cwiseMax(box.lower - boxes[i].upper).cwiseMax(0.0).norm();
      };
      std::set<std::uint32_t> found;
      tree.find_touching(tree.seen_from_origin(box), [&](std::uint32_t position) {
        EXPECT_TRUE(found.insert(tree.items()[position]).second) << "once each";
        return false;
      });
      std::size_t near = 0;
      double nearest = kInfinity;
      tree.find_near(
          tree.seen_from_origin(box), [&] { return nearest; },
          [&](std::uint32_t position) {
            nearest = std::min(nearest, distance_to(tree.items()[position]));
            ++near;
          });
      double expected = kInfinity;
      for (std::uint32_t i = 0; i < count; ++i) {
        const double apart = distance_to(i);
        if (apart == 0.0 || apart > 1e-3) {
          EXPECT_EQ(found.count(i), apart == 0.0 ? 1u : 0u);
        }
        expected = std::min(expected, distance_to(i));
      }
      EXPECT_EQ(nearest, expected);
      if (count == 700) {
        EXPECT_LT(near, 100u) << "most are left out";
      }
    }
  }
}

TEST(ObstacleIndex, RefusesAnObstacleAtAPoseThatIsNotFinite) {
  const Obstacle sound{Shape::circle(1.0), Pose()};
  Obstacle adrift = sound;
  adrift.world_from_obstacle.translation.y() = kNan;
  Obstacle unturned = sound;
  unturned.world_from_obstacle.cos = kNan;
  for (const Obstacle& broken : {adrift, unturned}) {
    const std::vector<Obstacle> obstacles = {sound, broken};
    EXPECT_EQ(samples::error_text([&] { ObstacleIndex{obstacles}; }),
              "obstacles[1].world_from_obstacle: must be finite");
  }
}

}  // namespace
}  // namespace abut::planar

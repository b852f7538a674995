// Distances of chosen pairs at the current poses.
#include <abut/core/error.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

std::string error_of(const Scene& scene, const BodyPair& pair) {
  std::vector<BodyPair> pairs(3, pair);
  for (std::size_t i = 0; i < 2; ++i) pairs[i] = {scene.bodies()[0], scene.bodies()[1]};
  try {
    (void)scene.distances(pairs);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SceneDistances, AreThoseOfThePairsInTheirOrderWithoutAStep) {
  const samples::MovingScene moving = samples::pile(100, /*seed=*/8);
  Scene scene;
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  samples::Random random(8);
  std::vector<BodyPair> pairs;
  while (pairs.size() < 500) {
    const BodyId a = ids[random.below(static_cast<std::uint32_t>(ids.size()))];
    const BodyId b = ids[random.below(static_cast<std::uint32_t>(ids.size()))];
    if (a != b) pairs.push_back({a, b});
  }
  const std::vector<Separation> separations = scene.distances(pairs);
  ASSERT_EQ(separations.size(), pairs.size());
  std::size_t swapped = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [a, b] = pairs[i];
    swapped += a.slot > b.slot ? 1 : 0;
    const Separation expected = distance(scene.shape(a), scene.pose(a), scene.shape(b), scene.pose(b));
    EXPECT_EQ(separations[i].distance, expected.distance);
    EXPECT_EQ(separations[i].point_a, expected.point_a);
    EXPECT_EQ(separations[i].point_b, expected.point_b);
    EXPECT_EQ(separations[i].normal, expected.normal);
    EXPECT_EQ(scene.distance(a, b).distance, expected.distance);
  }
  EXPECT_GT(swapped, 100u);
  EXPECT_TRUE(scene.distances({}).empty());
}

TEST(SceneDistances, FollowPosesAndIgnoreFilters) {
  Scene scene;
  const BodyDescription ball{
      .shape = Sphere(1.0), .pose = Pose(), .motion = Motion::fixed, .filter = {.layers = 0, .mask = 0}};
  const BodyId a = scene.add(ball);
  const BodyId b = scene.add(ball);
  scene.ignore_pair(a, b);
  scene.set_pose(b, Pose(Vector3d(0, 0, 5)));
  EXPECT_NEAR(scene.distance(a, b).distance, 3.0, 1e-12);
  EXPECT_NEAR(scene.distance(b, a).normal.z(), -1.0, 1e-12);
}

TEST(SceneDistances, RefusePairsThatHaveNone) {
  Scene scene;
  const BodyDescription ball{.shape = Sphere(1.0), .pose = Pose(), .motion = Motion::moving, .filter = {}};
  const BodyDescription plane{
      .shape = HalfSpace(Vector3d::UnitZ(), 0.0), .pose = Pose(), .motion = Motion::moving, .filter = {}};
  const BodyId a = scene.add(ball);
  const BodyId ground = scene.add(plane);
  const BodyId wall = scene.add(plane);
  EXPECT_EQ(error_of(scene, {a, a}), "pairs[2].b: must be another body than a");
  EXPECT_EQ(error_of(scene, {ground, wall}),
            "pairs[2].b: must be bounded where a is not: two half-spaces have no distance");
  EXPECT_EQ(error_of(scene, {a, {7, 1}}), "pairs[2].b: slot 7 with generation 1 names no body of this scene");
  EXPECT_EQ(error_of(scene, {{7, 1}, a}), "pairs[2].a: slot 7 with generation 1 names no body of this scene");
  EXPECT_EQ(error_of(scene, {a, ground}), "");
  EXPECT_THROW((void)scene.distance(ground, wall), InvalidInput);
  EXPECT_THROW((void)scene.distance(a, a), InvalidInput);
}

}  // namespace
}  // namespace abut

// Queries allocate nothing once their contexts and answers have been used.
#include <abut/world/pose_sets.h>
#include <abut/world/queries.h>
#include <gtest/gtest.h>
#include <support/count_allocations.h>
#include <tbb/task_arena.h>

#include <optional>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

TEST(QueryAllocation, SingleQueriesAllocateNothingInSteadyState) {
  samples::Random random(51);
  Scene scene;
  add_all(scene, samples::pile(300, 52).bodies);
  scene.prepare_queries();
  std::vector<Shape> shapes;
  for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
    shapes.push_back(samples::random_shape(static_cast<samples::ShapeKind>(kind), 0.1, random));
  }
  QueryContext context;
  const QueryFilter filter;
  std::vector<BodyRayHit> hits;
  std::vector<BodyId> bodies;
  std::vector<BodySeparation> near;
  const std::vector<BodyId> all = scene.bodies();
  const auto ask_all = [&](std::uint64_t seed) {
    samples::Random questions(seed);
    std::size_t found = 0;
    for (int i = 0; i < 100; ++i) {
      const Ray ray{questions.vector(-1.0, 1.0), questions.direction(), 2.0};
      const Shape& shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
      const Pose pose = questions.pose(0.8);
      found += ray_cast(scene, ray, filter, context).has_value();
      found += any_hit(scene, ray, filter, context).has_value();
      all_hits(scene, ray, filter, context, hits);
      overlaps(scene, shape, pose, 0.01, filter, context, bodies);
      found += any_overlap(scene, shape, pose, 0.01, filter, context).has_value();
      found += nearest(scene, shape, pose, 1.0, filter, context).has_value();
      found += nearest(scene, pose.translation(), 1.0, filter, context).has_value();
      nearest(scene, shape, pose, 5, 1.0, filter, context, near);
      found +=
          shape_cast(scene, shape, {.start = pose, .linear = ray.direction, .angular = {0, 1, 0}}, {}, filter, context)
              .has_value();
      found += distance(scene, std::span(all).first(5), std::span(all).last(20), 5.0, context).has_value();
    }
    return found;
  };
  EXPECT_GT(ask_all(53), 300u);
  const std::size_t before = samples::allocation_count();
  EXPECT_GT(ask_all(53), 300u);
  EXPECT_EQ(samples::allocation_count() - before, 0u);
}

TEST(QueryAllocation, PreparingAgainAllocatesNothingInSteadyState) {
  samples::Random random(56);
  tbb::task_arena(1).execute([&] {
    Scene scene;
    std::vector<BodyId> bodies;
    std::vector<Pose> poses[2];
    for (int i = 0; i < 5000; ++i) {
      poses[0].push_back(random.pose(10.0));
      poses[1].push_back(random.pose(5.0));
      bodies.push_back(scene.add({.shape = Box(random.vector(0.1, 0.5)), .pose = poses[0].back()}));
    }
    const auto prepare = [&](int times) {
      for (int i = 0; i < times; ++i) {
        scene.set_poses(bodies, poses[i % 2]);
        scene.prepare_queries();
      }
    };
    prepare(4);
    const std::size_t before = samples::allocation_count();
    prepare(4);
    EXPECT_EQ(samples::allocation_count() - before, 0u);
  });
}

TEST(QueryAllocation, PoseSetsAllocateByTheBlockAndNotByTheSet) {
  samples::Random random(54);
  Scene scene;
  add_all(scene, samples::pile(200, 55).bodies);
  std::vector<BodyId> group;
  for (int i = 0; i < 5; ++i) group.push_back(scene.add({.shape = Capsule(0.02, 0.1)}));
  scene.prepare_queries();
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < 2000 * group.size(); ++i) poses.push_back(random.pose(0.8));
  std::vector<PoseSetCheck> answers(2000);
  check(scene, group, poses, {}, answers);
  const std::size_t before = samples::allocation_count();
  check(scene, group, poses, {}, answers);
  EXPECT_LT(samples::allocation_count() - before, 200u);
}

}  // namespace
}  // namespace abut

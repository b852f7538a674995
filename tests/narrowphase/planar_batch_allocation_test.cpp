// Planar batches and the queries of an obstacle index do not allocate. Every call of operator new is counted.
#include <abut/narrowphase/planar/obstacle_index.h>
#include <abut/narrowphase/planar/planar_batch.h>
#include <gtest/gtest.h>
#include <narrowphase/planar_samples.h>
#include <support/count_allocations.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::planar {
namespace {

TEST(PlanarBatchAllocation, DoesNotHappen) {
  samples::Random random(1);
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < 200; ++i) {
    obstacles.push_back({samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random),
                         samples::random_planar_pose(20.0, random)});
  }
  std::vector<Pose> poses;
  for (int i = 0; i < 500; ++i) poses.push_back(samples::random_planar_pose(22.0, random));
  const ObstacleIndex index(obstacles);
  std::vector<std::uint8_t> answers(poses.size());
  std::vector<std::uint32_t> hits(poses.size());
  std::vector<Clearance> clearances(poses.size());
  std::vector<double> found(poses.size());
  std::vector<PlacedPair> pairs;
  for (const Pose& pose : poses) pairs.push_back({&obstacles[0].shape, pose, &obstacles[1].shape, {}});
  for (std::uint32_t kind = 0; kind < samples::kPlanarKinds; ++kind) {
    const Shape footprint = samples::random_planar_shape(kind, 2.0, random);
    const std::size_t before = samples::allocation_count();
    index.collides(footprint, poses, answers, 0.1);
    index.first_hits(footprint, poses, hits);
    index.clearances(footprint, poses, clearances);
    const bool is_hit = index.collides(footprint, poses[0]);
    const Clearance nearest = index.clearance(footprint, poses[0]);
    collides(footprint, poses, obstacles[2].shape, obstacles[2].world_from_obstacle, answers);
    distances(footprint, poses, obstacles[2].shape, obstacles[2].world_from_obstacle, found);
    collides(pairs, answers);
    distances(pairs, found);
    EXPECT_EQ(samples::allocation_count() - before, 0U) << "kind " << kind;
    EXPECT_EQ(is_hit, nearest.distance <= 0.0);
    EXPECT_EQ(clearances[0].distance, nearest.distance);
  }
}

}  // namespace
}  // namespace abut::planar

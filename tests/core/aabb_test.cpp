// Aabb: merging, overlap and distance.
#include <abut/core/aabb.h>
#include <gtest/gtest.h>

namespace abut {
namespace {

TEST(Aabb, IsEmptyByDefaultAndNeutralInMerge) {
  Aabb box;
  EXPECT_TRUE(box.is_empty());
  box.merge(Aabb{});
  EXPECT_TRUE(box.is_empty());
  const Aabb unit{Vector3d::Zero(), Vector3d::Ones()};
  box.merge(unit);
  EXPECT_EQ(box.lower, unit.lower);
  EXPECT_EQ(box.upper, unit.upper);
  EXPECT_FALSE(Aabb::of_point(Vector3d(1, 2, 3)).is_empty());
  EXPECT_FALSE(Aabb{}.overlaps(unit));
}

TEST(Aabb, MergesPointsAndBoxes) {
  Aabb box = Aabb::of_point(Vector3d(1, 2, 3));
  box.merge(Vector3d(-1, 5, 3));
  box.merge(Aabb{Vector3d(0, 0, 0), Vector3d(0.5, 0.5, 4)});
  EXPECT_EQ(box.lower, Vector3d(-1, 0, 0));
  EXPECT_EQ(box.upper, Vector3d(1, 5, 4));
  EXPECT_EQ(box.center(), Vector3d(0, 2.5, 2));
  EXPECT_EQ(box.half_extents(), Vector3d(1, 2.5, 2));
}

TEST(Aabb, TouchingBoxesOverlap) {
  const Aabb a{Vector3d::Zero(), Vector3d::Ones()};
  const Aabb touching{Vector3d(1, 1, 1), Vector3d(2, 2, 2)};
  const Aabb apart{Vector3d(1.0 + 1e-15, 0, 0), Vector3d(2, 1, 1)};
  EXPECT_TRUE(a.overlaps(touching));
  EXPECT_TRUE(touching.overlaps(a));
  EXPECT_FALSE(a.overlaps(apart));
  EXPECT_TRUE(apart.expanded(1e-9).overlaps(a));
}

TEST(Aabb, ContainsItsBoundary) {
  const Aabb a{Vector3d::Zero(), Vector3d::Ones()};
  EXPECT_TRUE(a.contains(Vector3d(0, 1, 0.5)));
  EXPECT_FALSE(a.contains(Vector3d(0, 1.1, 0.5)));
  EXPECT_TRUE(a.contains(a));
  EXPECT_FALSE(a.contains(a.expanded(0.1)));
  EXPECT_TRUE(a.expanded(0.1).contains(a));
}

TEST(Aabb, DistanceIsMeasuredBetweenTheNearestFeatures) {
  const Aabb a{Vector3d::Zero(), Vector3d::Ones()};
  EXPECT_EQ(a.distance_sq(Aabb{Vector3d(3, 0, 0), Vector3d(4, 1, 1)}), 4.0);        // face to face
  EXPECT_EQ(a.distance_sq(Aabb{Vector3d(-4, -5, 0), Vector3d(-3, -4, 1)}), 25.0);   // edge to edge
  EXPECT_EQ(a.distance_sq(Aabb{Vector3d(2, 3, 3), Vector3d(4, 4, 4)}), 9.0);        // corner to corner
  EXPECT_EQ(a.distance_sq(Aabb{Vector3d(0.5, 0.5, 0.5), Vector3d(4, 4, 4)}), 0.0);  // overlapping
}

}  // namespace
}  // namespace abut

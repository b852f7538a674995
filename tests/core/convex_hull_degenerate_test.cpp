// ConvexHull of flat, collinear and nearly flat point sets.
#include <abut/core/shapes/convex_hull.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>

#include <cmath>
#include <vector>

#include "hull_checks.h"
#include "point_sets.h"

namespace abut {
namespace {

using samples::Random;

TEST(DegenerateHull, OfOnePointIsAPoint) {
  const std::vector<Vector3d> points(5, Vector3d(1, -2, 3));
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull.dimension(), 0);
  ASSERT_EQ(hull.vertices().size(), 1u);
  EXPECT_EQ(hull.center(), points[0]);
  EXPECT_TRUE(hull.triangles().empty());
  EXPECT_TRUE(hull.neighbours(0).empty());
  EXPECT_EQ(hull.core_support(Vector3d(1, 1, 1)), points[0]);
}

TEST(DegenerateHull, OfCollinearPointsIsTheirTwoEnds) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Vector3d origin = random.vector(-1.0, 1.0);
    const Vector3d direction = random.direction();
    std::vector<Vector3d> points;
    for (int i = 0; i < 50; ++i) points.push_back(origin + random.uniform(-1.0, 1.0) * direction);
    const ConvexHull hull = ConvexHull::from_points(points);
    EXPECT_EQ(hull.dimension(), 1);
    EXPECT_EQ(hull.vertices().size(), 2u);
    EXPECT_TRUE(hull.triangles().empty());
    ASSERT_EQ(hull.neighbours(0).size(), 1u);
    EXPECT_EQ(hull.neighbours(0)[0], 1u);
    samples::expect_sound(hull, points);
    samples::expect_support_of(hull, points, random);
  }
}

TEST(DegenerateHull, OfCoplanarPointsHasARingAndTwoSides) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (const int sides : {3, 4, 7, 500}) {
      SCOPED_TRACE(testing::Message() << sides << " sides");
      std::vector<Vector3d> points = samples::moved(samples::prism(sides), Vector3d(2, 1, 0), random.pose(1.0));
      points.push_back(0.5 * (points[0] + points[2]));  // on or inside the ring
      const ConvexHull hull = ConvexHull::from_points(points);
      EXPECT_EQ(hull.dimension(), 2);
      EXPECT_EQ(hull.vertices().size(), static_cast<std::size_t>(sides));
      EXPECT_EQ(hull.triangles().size(), static_cast<std::size_t>(2 * (sides - 2)));
      for (std::uint32_t i = 0; i < hull.vertices().size(); ++i) EXPECT_EQ(hull.neighbours(i).size(), 2u);
      Vector3d area = Vector3d::Zero();
      for (const auto& t : hull.triangles()) {
        area += (hull.vertices()[t[1]] - hull.vertices()[t[0]]).cross(hull.vertices()[t[2]] - hull.vertices()[t[0]]);
      }
      EXPECT_LT(area.norm(), 1e-12);  // the two sides face away from each other
      samples::expect_sound(hull, points);
      samples::expect_support_of(hull, points, random);
    }
  }
}

TEST(DegenerateHull, OfAFlatGridKeepsTheFourCorners) {
  std::vector<Vector3d> points;
  for (int i = 0; i <= 20; ++i) {
    for (int j = 0; j <= 20; ++j) points.emplace_back(0.1 * i, 0.0, 0.1 * j);
  }
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull.dimension(), 2);
  EXPECT_EQ(hull.vertices().size(), 4u);
}

TEST(DegenerateHull, OfNearlyFlatSetsLosesNothingAndPrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (std::uint64_t seed = 1; seed <= (samples::kIsInstrumented ? 1u : 3u); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (double thickness = 1e-17; thickness < 1e-8; thickness *= 10.0) {
      SCOPED_TRACE(testing::Message() << "thickness " << thickness);
      const Pose pose = random.pose(1.0);
      for (const auto& set : {samples::cube_grid(5), samples::fibonacci_sphere(300), samples::prism(100),
                              samples::random_sphere(5, random)}) {
        for (const Vector3d& scale : {Vector3d(1, 1, thickness), Vector3d(thickness, 1, thickness)}) {
          const std::vector<Vector3d> points = samples::moved(set, scale, pose);
          const ConvexHull hull = ConvexHull::from_points(points);
          samples::expect_support_of(hull, points, random);
        }
      }
    }
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(DegenerateHull, OfPointsDisplacedByRoundingKeepsTheSupportFunction) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (const double noise : {1e-16, 1e-15, 1e-14, 1e-13, 1e-12}) {
      SCOPED_TRACE(testing::Message() << "noise " << noise);
      std::vector<Vector3d> points = samples::cube_grid(8);
      for (Vector3d& point : points) point += noise * random.vector(-1.0, 1.0);
      samples::expect_support_of(ConvexHull::from_points(points), points, random);
    }
  }
}

TEST(DegenerateHull, OfPointsOneUlpApartIsFound) {
  const double next = std::nextafter(1.0, 2.0);
  const std::vector<Vector3d> points = {Vector3d(1, 1, 1), Vector3d(next, 1, 1), Vector3d(1, next, 1)};
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_LT((hull.core_support(Vector3d(1, 2, 3)) - points[0]).norm(), 1e-15);
}

}  // namespace
}  // namespace abut

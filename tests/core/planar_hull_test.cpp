// The convex hull of points in the plane.
#include <abut/core/cross.h>
#include <abut/core/planar_hull.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cstddef>
#include <vector>

namespace abut {
namespace {

using Eigen::Vector2d;
using samples::Random;

std::vector<Vector2d> hull_of(std::vector<Vector2d> points) {
  detail::sort_distinct(points);
  return detail::planar_hull(points);
}

TEST(PlanarHull, OfAGridIsItsFourCorners) {
  std::vector<Vector2d> points;
  for (int i = 0; i < 100; ++i) points.emplace_back((7 * i) % 10, i / 10);
  points.insert(points.end(), points.begin(), points.begin() + 20);
  const std::vector<Vector2d> expected = {{0, 0}, {9, 0}, {9, 9}, {0, 9}};
  EXPECT_EQ(hull_of(points), expected);
}

TEST(PlanarHull, OfALineIsItsEndsAndOfAPointThatPoint) {
  EXPECT_EQ(hull_of({{2, 2}, {1, 1}, {3, 3}, {1, 1}}), (std::vector<Vector2d>{{1, 1}, {3, 3}}));
  EXPECT_EQ(hull_of({{5, 1}, {5, -1}, {5, 0}}), (std::vector<Vector2d>{{5, -1}, {5, 1}}));
  EXPECT_EQ(hull_of({{2, 1}, {2, 1}}), (std::vector<Vector2d>{{2, 1}}));
  EXPECT_TRUE(hull_of({}).empty());
}

TEST(PlanarHull, TurnsLeftAtEveryCornerAndHasAllPointsOnTheLeft) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    std::vector<Vector2d> points;
    for (int k = 0; k < 3 + 4 * i; ++k) points.emplace_back(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const std::vector<Vector2d> hull = hull_of(points);
    ASSERT_GE(hull.size(), 3u);
    for (std::size_t k = 0; k < hull.size(); ++k) {
      const Vector2d& p = hull[k];
      const Vector2d& q = hull[(k + 1) % hull.size()];
      EXPECT_GT(detail::cross(p, q, hull[(k + 2) % hull.size()]), 0.0);
      for (const Vector2d& point : points) EXPECT_GT(detail::cross(p, q, point), -1e-15);
    }
  }
}

}  // namespace
}  // namespace abut

// PaddedPolygon: which corners it keeps, and what it refuses.
#include <abut/core/shapes/padded_polygon.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "error_text.h"

namespace abut {
namespace {

using Eigen::Vector2d;
using samples::error_text;
using samples::Random;

const char* const kNotConvex = "points: must be the corners of a convex polygon, in order around it";
const char* const kFlat = "points: must not lie on one line: the polygon has no area";

std::string error_of(const std::vector<Vector2d>& points) {
  return error_text([&] { PaddedPolygon(points, 0.1); });
}

double signed_area(std::span<const Vector2d> points) {
  double area = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vector2d& p = points[i];
    const Vector2d& q = points[(i + 1) % points.size()];
    area += 0.5 * (p.x() * q.y() - p.y() * q.x());
  }
  return area;
}

TEST(PaddedPolygon, StoresCornersCounterClockwise) {
  const std::vector<Vector2d> square = {{0, 0}, {2, 0}, {2, 1}, {0, 1}};
  std::vector<Vector2d> reversed = square;
  std::reverse(reversed.begin(), reversed.end());
  for (const auto& points : {square, reversed}) {
    const PaddedPolygon polygon(points, 0.5);
    EXPECT_EQ(polygon.points().size(), 4u);
    EXPECT_NEAR(signed_area(polygon.points()), 2.0, 1e-15);
    EXPECT_EQ(polygon.center(), Vector3d(1.0, 0.5, 0.0));
    EXPECT_EQ(polygon.sweep_radius(), 0.5);
  }
}

TEST(PaddedPolygon, DropsRepeatedAndCollinearCorners) {
  const std::vector<Vector2d> points = {{0, 0}, {0, 0}, {1, 0}, {2, 0},   {2, 0},
                                        {2, 1}, {1, 1}, {0, 1}, {0, 0.5}, {0, 0}};
  const PaddedPolygon polygon(points, 0.0);
  const std::vector<Vector2d> kept(polygon.points().begin(), polygon.points().end());
  EXPECT_EQ(kept, (std::vector<Vector2d>{{0, 0}, {2, 0}, {2, 1}, {0, 1}}));
}

TEST(PaddedPolygon, TakesCornersRoundedOntoTheirEdgesUnderAnyRotation) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const Eigen::Rotation2Dd rotation(random.uniform(0.0, 7.0));
      const Vector2d offset(random.uniform(-9.0, 9.0), random.uniform(-9.0, 9.0));
      std::vector<Vector2d> points;
      const std::vector<Vector2d> corners = {{0, 0}, {3, 0}, {3, 1}, {0, 1}};
      for (std::size_t k = 0; k < 4; ++k) {
        for (int part = 0; part < 10; ++part) {
          points.push_back(offset + rotation * (corners[k] + 0.1 * part * (corners[(k + 1) % 4] - corners[k])));
        }
      }
      const PaddedPolygon polygon(points, 0.1);
      EXPECT_EQ(polygon.points().size(), 4u);
      EXPECT_NEAR(signed_area(polygon.points()), 3.0, 1e-12);
    }
  }
}

TEST(PaddedPolygon, KeepsTheCornersOfFineCirclesNeedlesAndSmallPolygons) {
  std::vector<Vector2d> circle;
  for (int i = 0; i < 5000; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 5000;
    circle.emplace_back(std::cos(angle), std::sin(angle));
  }
  EXPECT_EQ(PaddedPolygon(circle, 0.0).points().size(), circle.size());
  const std::vector<Vector2d> needle = {{0, 0}, {1, 0}, {1, 1e-9}, {0, 1e-9}};
  EXPECT_EQ(PaddedPolygon(needle, 0.0).points().size(), 4u);
  for (const double scale : {1e-150, 1e-9, 1e9, 1e150}) {
    std::vector<Vector2d> triangle = {{0, 0}, {1, 0}, {0, 1}};
    for (Vector2d& point : triangle) point *= scale;
    EXPECT_EQ(PaddedPolygon(triangle, 0.0).points().size(), 3u) << scale;
  }
}

TEST(PaddedPolygon, SupportIsTheFarthestCorner) {
  Random random(5);
  const std::vector<Vector2d> points = {{1, 0}, {0.5, 0.9}, {-0.6, 0.8}, {-1, -0.1}, {0.2, -0.9}};
  const PaddedPolygon polygon(points, 0.3);
  for (int i = 0; i < 500; ++i) {
    const Vector3d direction = random.direction();
    double expected = -std::numeric_limits<double>::infinity();
    for (const Vector2d& point : points) expected = std::max(expected, point.dot(direction.head<2>()));
    const Vector3d support = polygon.core_support(direction);
    EXPECT_EQ(support.head<2>().dot(direction.head<2>()), expected);
    EXPECT_EQ(support.z(), 0.0);
  }
}

TEST(PaddedPolygon, RefusesFewerThanThreeDistinctCorners) {
  EXPECT_EQ(error_of({}), "points: must have at least three distinct corners, got 0");
  EXPECT_EQ(error_of({{0, 0}, {1, 0}}), "points: must have at least three distinct corners, got 2");
  EXPECT_EQ(error_of({{0, 0}, {1, 0}, {1, 0}, {0, 0}}), "points: must have at least three distinct corners, got 2");
}

TEST(PaddedPolygon, RefusesPolygonsWithoutArea) {
  EXPECT_EQ(error_of({{0, 0}, {1, 1}, {2, 2}}), kFlat);
  EXPECT_EQ(error_of({{0, 0}, {3, 1}, {6, 2}, {1.5, 0.5}}), kFlat);
  EXPECT_EQ(error_of({{0.1, 0.1}, {0.2, 0.2}, {0.3, 0.3}, {0.7, 0.7}}), kFlat);
}

TEST(PaddedPolygon, RefusesPolygonsThatAreNotConvex) {
  EXPECT_EQ(error_of({{0, 0}, {2, 0}, {1, 0.5}, {2, 2}, {0, 2}}), kNotConvex);           // a dent
  EXPECT_EQ(error_of({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), kNotConvex);                     // crossed like a bow tie
  EXPECT_EQ(error_of({{0, 0}, {2, 0}, {2, 2}, {2, -1}, {0, -1}}), kNotConvex);           // an edge that turns back
  EXPECT_EQ(error_of({{0, 0}, {1, 0}, {2, 1e-9}, {3, 0}, {3, 1}, {0, 1}}), kNotConvex);  // a small dent
}

TEST(PaddedPolygon, RefusesToGoAroundTwice) {
  std::vector<Vector2d> star;
  for (int i = 0; i < 5; ++i) {
    const double angle = 4.0 * std::numbers::pi * i / 5;
    star.emplace_back(std::cos(angle), std::sin(angle));
  }
  EXPECT_EQ(error_of(star), "points: must go around the polygon once");
  EXPECT_EQ(error_of({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}}),
            "points: must go around the polygon once");
}

TEST(PaddedPolygon, RefusesNumbersThatAreNotFiniteAndNegativeRadii) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of({{0, 0}, {1, nan}, {0, 1}}), "points[1][1]: must be finite, got nan");
  const std::vector<Vector2d> triangle = {{0, 0}, {1, 0}, {0, 1}};
  EXPECT_EQ(error_text([&] { PaddedPolygon(triangle, -0.1); }), "radius: must be finite and >= 0, got -0.1");
}

}  // namespace
}  // namespace abut

// PaddedPolygon: which corners it keeps, its sides, the half-planes that it is made from, and what it refuses.
#include <abut/core/shapes/padded_polygon.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

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

// Of side 2, counter-clockwise.
std::vector<Vector2d> turned_square(double angle) {
  std::vector<Vector2d> corners;
  for (int i = 0; i < 4; ++i) {
    const double at = angle + (0.25 + 0.5 * i) * std::numbers::pi;
    corners.emplace_back(std::numbers::sqrt2 * std::cos(at), std::numbers::sqrt2 * std::sin(at));
  }
  return corners;
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

// Timed, since removing one corner after the other from the middle of a list takes half a minute.
TEST(PaddedPolygon, DropsCollinearCornersByTheHundredThousand) {
  constexpr int kPerSide = 50'000;
  const std::vector<Vector2d> corners = turned_square(0.3);
  std::vector<Vector2d> points;
  for (std::size_t side = 0; side < 4; ++side) {
    for (int i = 0; i < kPerSide; ++i) {
      const double part = static_cast<double>(i) / kPerSide;
      points.emplace_back((1.0 - part) * corners[side] + part * corners[(side + 1) % 4]);
    }
  }
  const auto start = std::chrono::steady_clock::now();
  const PaddedPolygon polygon(points, 0.0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  ASSERT_EQ(polygon.points().size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT((polygon.points()[i] - corners[i]).norm(), 1e-14);
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

TEST(PaddedPolygon, HasASideForEachCorner) {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 6 number " << i);
    const double size = std::pow(10.0, random.uniform(-6.0, 3.0));
    const Vector2d middle(size * random.uniform(-3.0, 3.0), size * random.uniform(-3.0, 3.0));
    const int count = 3 + static_cast<int>(random.below(10));
    std::vector<Vector2d> points;
    for (int k = 0; k < count; ++k) {
      const double angle = -2.0 * std::numbers::pi * k / count;  // clockwise
      points.emplace_back(middle + size * Vector2d(std::cos(angle), 0.5 * std::sin(angle)));
    }
    const PaddedPolygon polygon(points, 0.0);
    const auto corners = polygon.points();
    ASSERT_EQ(polygon.sides().size(), corners.size());
    double reach = 0.0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const HalfPlane& side = polygon.sides()[k];
      EXPECT_NEAR(side.normal.norm(), 1.0, 1e-15);
      EXPECT_NEAR(side.normal.dot(corners[k]), side.offset, 1e-14 * size);
      EXPECT_NEAR(side.normal.dot(corners[(k + 1) % corners.size()]), side.offset, 1e-14 * size);
      for (const Vector2d& corner : corners) EXPECT_LE(side.normal.dot(corner), side.offset + 1e-14 * size);
      reach = std::max(reach, (corners[k] - polygon.center().head<2>()).norm());
    }
    EXPECT_DOUBLE_EQ(polygon.reach(), reach);
  }
}

std::string half_planes_error(const std::vector<HalfPlane>& half_planes) {
  return error_text([&] { static_cast<void>(PaddedPolygon::from_half_planes(half_planes, 0.1)); });
}

std::vector<HalfPlane> square_rows(double half_side) {
  return {{{1, 0}, half_side}, {{-1, 0}, half_side}, {{0, 1}, half_side}, {{0, -1}, half_side}};
}

TEST(PaddedPolygon, OfHalfPlanesHasTheCornersOfTheirIntersection) {
  std::vector<HalfPlane> rows = square_rows(1.0);
  rows.push_back({{1, 1}, 5.0});    // far outside
  rows.push_back({{2, 2}, 4.0});    // through a corner
  rows.push_back({{3, 0}, 3.0});    // a side once more, not a unit vector
  rows.push_back({{1, 0}, 1.5});    // behind a side
  rows.push_back({{-4, -3}, 5.0});  // cuts a corner off: 4 x + 3 y >= -5
  const PaddedPolygon polygon = PaddedPolygon::from_half_planes(rows, 0.25);
  EXPECT_EQ(polygon.radius(), 0.25);
  const std::vector<Vector2d> expected = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1.0 / 3.0}, {-0.5, -1}};
  ASSERT_EQ(polygon.points().size(), expected.size());
  const auto start = std::find_if(polygon.points().begin(), polygon.points().end(),
                                  [&](const Vector2d& point) { return (point - expected.front()).norm() < 1e-14; }) -
                     polygon.points().begin();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::size_t place = (i + static_cast<std::size_t>(start)) % expected.size();
    EXPECT_LT((polygon.points()[place] - expected[i]).norm(), 1e-14) << i;
  }
}

TEST(PaddedPolygon, OfHalfPlanesContainsExactlyThePointsThatAllRowsAllow) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    Random random(seed);
    int inside = 0;
    for (int i = 0; i < 200; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " number " << i);
      const double size = std::pow(10.0, random.uniform(-6.0, 3.0));
      const Vector2d middle(size * random.uniform(-3.0, 3.0), size * random.uniform(-3.0, 3.0));
      std::vector<HalfPlane> rows;
      const int count = 4 + static_cast<int>(random.below(60));
      for (int k = 0; k < count; ++k) {
        // The first three alone bound a triangle; the others are anywhere.
        const double angle = k < 3 ? 2.1 * k : random.uniform(0.0, 7.0);
        const Vector2d normal = random.uniform(0.1, 9.0) * Vector2d(std::cos(angle), std::sin(angle));
        rows.push_back({normal, normal.dot(middle) + normal.norm() * size * random.uniform(0.2, 1.5)});
      }
      const PaddedPolygon polygon = PaddedPolygon::from_half_planes(rows, 0.0);
      EXPECT_LE(polygon.sides().size(), rows.size());
      EXPECT_GT(signed_area(polygon.points()), 0.0);
      for (int k = 0; k < 100; ++k) {
        const Vector2d point = middle + size * Vector2d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
        double room = 1e300;
        for (const HalfPlane& row : rows) {
          room = std::min(room, (row.offset - row.normal.dot(point)) / row.normal.norm());
        }
        double polygon_room = 1e300;
        for (const HalfPlane& side : polygon.sides()) {
          polygon_room = std::min(polygon_room, side.offset - side.normal.dot(point));
        }
        if (std::abs(room) < 1e-12 * size) continue;
        EXPECT_EQ(room > 0.0, polygon_room > 0.0);
        inside += room > 0.0 ? 1 : 0;
      }
    }
    EXPECT_GT(inside, 1000);
    EXPECT_LT(inside, 19000);
  }
}

// Rounding puts each copy of a row inside of the other, or turns it by a few units in the last place.
TEST(PaddedPolygon, OfHalfPlanesIsTheSameWithARowTwice) {
  struct Copy {
    double scale_digits;  // as a power of ten, at most, either way
    double turn;          // radians, at most
  };
  for (const Copy& copy : {Copy{0.0, 0.0}, Copy{3.0, 0.0}, Copy{0.0, 1e-15}, Copy{3.0, 1e-14}, Copy{3.0, 1e-13},
                           Copy{3.0, 1e-12}, Copy{0.0, 1e-11}}) {
    Random random(5);
    for (int i = 0; i < 1000; ++i) {
      SCOPED_TRACE(testing::Message() << "scale " << copy.scale_digits << " turn " << copy.turn << " number " << i);
      std::vector<HalfPlane> rows;
      const std::uint32_t count = 4 + random.below(6);
      for (std::uint32_t k = 0; k < count; ++k) {
        const double angle = 2.0 * std::numbers::pi * (k + random.uniform(0.0, 0.9)) / count;
        rows.push_back({{std::cos(angle), std::sin(angle)}, random.uniform(0.5, 1.0)});
      }
      const double area = signed_area(PaddedPolygon::from_half_planes(rows, 0.0).points());
      HalfPlane again = rows[random.below(count)];
      again.normal += random.uniform(-copy.turn, copy.turn) * Vector2d(-again.normal.y(), again.normal.x());
      const double scale = std::pow(10.0, random.uniform(-copy.scale_digits, copy.scale_digits));
      again.normal *= scale;
      again.offset *= scale;
      rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(random.below(count + 1)), again);
      // A turned copy takes a triangle of that angle off, on a side that is a few metres long at most.
      EXPECT_NEAR(signed_area(PaddedPolygon::from_half_planes(rows, 0.0).points()), area, 1e-12 + 100.0 * copy.turn);
    }
  }
}

TEST(PaddedPolygon, OfHalfPlanesOfATurnedSquareHasItsCornersWithARowTwice) {
  for (const double angle : {0.0, 0.3, 50.0 * std::numbers::pi / 180.0, 1.0}) {
    const std::vector<Vector2d> corners = turned_square(angle);
    for (const double scale : {1.0, 2.0, 3.0, 0.1, 7.0}) {
      std::vector<HalfPlane> rows;
      for (int i = 0; i < 4; ++i) {
        const double at = angle + 0.5 * i * std::numbers::pi;
        rows.push_back({{std::cos(at), std::sin(at)}, 1.0});
      }
      rows.push_back({scale * rows[0].normal, scale * rows[0].offset});
      const PaddedPolygon polygon = PaddedPolygon::from_half_planes(rows, 0.0);
      ASSERT_EQ(polygon.points().size(), 4u);
      for (const Vector2d& corner : corners) {
        double nearest = 1e300;
        for (const Vector2d& point : polygon.points()) nearest = std::min(nearest, (point - corner).norm());
        EXPECT_LT(nearest, 1e-14);
      }
    }
  }
}

TEST(PaddedPolygon, OfItsOwnSidesIsItself) {
  const std::vector<Vector2d> points = {{1, 0}, {0.5, 0.9}, {-0.6, 0.8}, {-1, -0.1}, {0.2, -0.9}};
  const PaddedPolygon polygon(points, 0.3);
  const PaddedPolygon again = PaddedPolygon::from_half_planes(polygon.sides(), 0.3);
  ASSERT_EQ(again.points().size(), points.size());
  for (const Vector2d& point : again.points()) {
    double nearest = 1e300;
    for (const Vector2d& other : points) nearest = std::min(nearest, (point - other).norm());
    EXPECT_LT(nearest, 1e-14);
  }
}

TEST(PaddedPolygon, RefusesHalfPlanesThatBoundNoPolygon) {
  const char* const unbounded = "half_planes: must bound the polygon on all sides: it is unbounded";
  const char* const empty = "half_planes: must leave some points: the polygon is empty";
  const char* const flat = "half_planes: must leave a polygon with an area: it is flat";
  EXPECT_EQ(half_planes_error({}), unbounded);
  EXPECT_EQ(half_planes_error({{{1, 0}, 1}}), unbounded);
  EXPECT_EQ(half_planes_error({{{1, 0}, 1}, {{-1, 0}, 1}}), unbounded);
  EXPECT_EQ(half_planes_error({{{1, 0}, 1}, {{-1, 0}, 1}, {{0, 1}, 1}}), unbounded);
  EXPECT_EQ(half_planes_error({{{1, 0}, -1}, {{-1, 0}, -1}}), empty);
  EXPECT_EQ(half_planes_error(square_rows(-0.5)), empty);
  EXPECT_EQ(half_planes_error({{{1, 1}, -3}, {{-1, 0}, 1}, {{0, -1}, 1}, {{0, 1}, 4}}), empty);
  EXPECT_EQ(half_planes_error({{{1, 0}, 1}, {{-1, 0}, -1}, {{0, 1}, 1}, {{0, -1}, 1}}), flat);   // a segment
  EXPECT_EQ(half_planes_error({{{1, 0}, 1}, {{-1, 0}, -1}, {{0, 1}, 1}, {{0, -1}, -1}}), flat);  // a point
  EXPECT_EQ(half_planes_error({{{1, 1}, 0}, {{-1, 0}, 0}, {{0, -1}, 0}}), flat);                 // a point
}

TEST(PaddedPolygon, RefusesRowsThatAreNoHalfPlanes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<HalfPlane> rows = square_rows(1.0);
  rows[2].normal = {0, nan};
  EXPECT_EQ(half_planes_error(rows), "normals[2][1]: must be finite, got nan");
  rows[2].normal = {infinity, 1};
  EXPECT_EQ(half_planes_error(rows), "normals[2][0]: must be finite, got inf");
  rows[2].normal = {0, 0};
  EXPECT_EQ(half_planes_error(rows), "normals[2]: must not be zero");
  rows = square_rows(1.0);
  rows[3].offset = infinity;
  EXPECT_EQ(half_planes_error(rows), "offsets[3]: must be finite, got inf");
  EXPECT_EQ(error_text([&] { static_cast<void>(PaddedPolygon::from_half_planes(square_rows(1.0), -1.0)); }),
            "radius: must be finite and >= 0, got -1");
}

}  // namespace
}  // namespace abut

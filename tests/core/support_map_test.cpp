// Support lookups on large hulls and the scan of small ones, against all vertices.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/farthest_of_eight.h>
#include <abut/core/shapes/support_map.h>
#include <abut/core/shapes/vertex_scan.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

namespace abut::detail {
namespace {

using samples::Random;

double highest(std::span<const Vector3d> points, const Vector3d& direction) {
  double value = -std::numeric_limits<double>::infinity();
  for (const Vector3d& point : points) value = std::max(value, point.dot(direction));
  return value;
}

struct MapOfHull {
  explicit MapOfHull(const ConvexHull& hull) : vertices(hull.vertices()) {
    row_begin.push_back(0);
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
      const auto neighbours = hull.neighbours(i);
      columns.insert(columns.end(), neighbours.begin(), neighbours.end());
      row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    map = SupportMap(vertices, {row_begin, columns}, 1e-14);
  }
  std::span<const Vector3d> vertices;
  std::vector<std::uint32_t> row_begin;
  std::vector<std::uint32_t> columns;
  SupportMap map;
};

// Of directions whose cell says that it is complete, all must be answered; returns their fraction.
double complete_fraction(const MapOfHull& hull, const std::vector<Vector3d>& directions) {
  std::size_t complete = 0;
  for (const Vector3d& direction : directions) {
    const SupportMap::Cell cell = hull.map.cell(direction);
    if (!cell.is_complete) continue;
    ++complete;
    const std::uint32_t found = cell.farthest(hull.vertices, direction);
    EXPECT_GE(hull.vertices[found].dot(direction), highest(hull.vertices, direction) - 1e-14);
  }
  return static_cast<double>(complete) / static_cast<double>(directions.size());
}

std::vector<Vector3d> directions_around(const Vector3d& axis, double spread, int count, Random& random) {
  std::vector<Vector3d> directions;
  for (int i = 0; i < count; ++i) directions.push_back(axis + spread * random.vector(-1, 1));
  return directions;
}

TEST(SupportMap, AnswersEveryDirectionOfRoundHulls) {
  Random random(3);
  for (const int count : {12, 50, 400, 3000}) {
    SCOPED_TRACE(count);
    std::vector<Vector3d> points;
    for (int i = 0; i < count; ++i) points.push_back(Vector3d(1.0, 0.5, 0.7).cwiseProduct(random.direction()));
    const ConvexHull hull = ConvexHull::from_points(points);
    EXPECT_GT(complete_fraction(MapOfHull(hull), directions_around(Vector3d::Zero(), 1.0, 20000, random)), 0.98);
  }
}

// As scans have them: sides that bulge by a hair, with a hundred vertices whose normals are nearly the same.
TEST(SupportMap, DividesTheCellsAroundNearlyFlatSides) {
  Random random(4);
  std::vector<Vector3d> points;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      for (int i = 0; i < 100; ++i) {
        Vector3d point = random.vector(-1, 1);
        point[axis] = 0.0;
        point[axis] = side * (1.0 + 0.05 * (2.0 - point.squaredNorm()));
        points.push_back(point);
      }
    }
  }
  const ConvexHull hull = ConvexHull::from_points(points);
  const MapOfHull map(hull);
  EXPECT_GT(complete_fraction(map, directions_around(Vector3d::UnitZ(), 0.2, 20000, random)), 0.9);
  EXPECT_GT(complete_fraction(map, directions_around(Vector3d::Zero(), 1.0, 20000, random)), 0.9);
}

// All corners of a round end are farthest along its normal; no division can part them.
TEST(SupportMap, ACrowdedCellSaysSoAndTheHullAnswersAllTheSame) {
  Random random(5);
  std::vector<Vector3d> points;
  for (int i = 0; i < 60; ++i) {
    const double angle = i * std::numbers::pi / 30.0;
    for (const double z : {-1.0, 1.0}) points.emplace_back(std::cos(angle), std::sin(angle), z);
  }
  const ConvexHull hull = ConvexHull::from_points(points);
  const MapOfHull map(hull);
  EXPECT_FALSE(map.map.cell(Vector3d(1e-9, 1e-9, 1.0)).is_complete);
  for (const double spread : {0.0, 1e-12, 1e-6, 1e-3, 0.1}) {
    for (const Vector3d& direction : directions_around(Vector3d::UnitZ(), spread, 500, random)) {
      const Vector3d found = hull.core_support(direction);
      ASSERT_GE(found.dot(direction), highest(hull.vertices(), direction) - 1e-14) << spread;
    }
  }
}

TEST(SupportMap, GivesSomeCellForZeroAndNan) {
  Random random(6);
  std::vector<Vector3d> points;
  for (int i = 0; i < 100; ++i) points.push_back(random.direction());
  const ConvexHull hull = ConvexHull::from_points(points);
  const MapOfHull map(hull);
  for (const double value : {0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_LT(map.map.cell(Vector3d::Constant(value)).farthest(map.vertices, Vector3d::UnitX()), 100u);
  }
}

using FarthestOfEight = std::uint16_t (*)(std::span<const std::uint16_t, 8>, const std::vector<Vector3d>&,
                                          const Vector3d&);

std::uint16_t plainly(std::span<const std::uint16_t, 8> list, const std::vector<Vector3d>& all,
                      const Vector3d& direction) {
  return farthest_of_eight(list, all.data(), direction);
}

#if defined(ABUT_AVX2_VARIANTS)
[[gnu::target("avx2")]] std::uint16_t with_avx2(std::span<const std::uint16_t, 8> list,
                                                const std::vector<Vector3d>& all, const Vector3d& direction) {
  return farthest_of_eight_avx2(list, all.data(), direction);
}
#endif

// Those that this processor can run.
std::vector<FarthestOfEight> variants_of_farthest() {
  std::vector<FarthestOfEight> variants = {plainly};
#if defined(ABUT_AVX2_VARIANTS)
  if (has_avx2()) variants.push_back(with_avx2);
#endif
  return variants;
}

// On a grid, where many are equally far, and anywhere; lists that repeat a vertex.
TEST(FarthestOfEight, IsTheSameOnEveryInstructionSet) {
  Random random(8);
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(round);
    const bool is_grid = random.chance(0.5);
    const auto point = [&] {
      const Vector3d anywhere = random.vector(-2.0, 2.0);
      return is_grid ? Vector3d(anywhere.array().round()) : anywhere;
    };
    std::vector<Vector3d> vertices;
    for (int i = 0; i < 12; ++i) vertices.push_back(point());
    std::array<std::uint16_t, 8> list{};
    for (std::uint16_t& vertex : list) vertex = static_cast<std::uint16_t>(random.below(12));
    const Vector3d direction = point();
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::uint16_t vertex : list) largest = std::max(largest, vertices[vertex].dot(direction));
    // Of equals the first at an even place, else the first.
    std::array<std::size_t, 8> places = {0, 2, 4, 6, 1, 3, 5, 7};
    const auto is_largest = [&](std::size_t place) { return vertices[list[place]].dot(direction) == largest; };
    const std::uint16_t expected = list[*std::find_if(places.begin(), places.end(), is_largest)];
    for (const FarthestOfEight farthest : variants_of_farthest()) {
      const std::uint16_t found = farthest(list, vertices, direction);
      EXPECT_GE(vertices[found].dot(direction), largest - 1e-14);
      if (is_grid) {
        EXPECT_EQ(found, expected);
      }
      EXPECT_EQ(found, plainly(list, vertices, direction));
    }
  }
}

TEST(FarthestOfEight, TakesTheFirstAlongNaN) {
  const std::vector<Vector3d> vertices(12, Vector3d(1.0, 2.0, 3.0));
  const std::array<std::uint16_t, 8> list = {5, 1, 2, 3, 4, 0, 6, 7};
  const Vector3d nowhere = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  for (const FarthestOfEight farthest : variants_of_farthest()) EXPECT_EQ(farthest(list, vertices, nowhere), 5);
}

// The same search one vertex at a time, two, and as many as this build's registers hold.
TEST(VertexScan, FindsTheFarthestVertexWithRegistersOfEveryWidth) {
  Random random(7);
  for (std::size_t count = 1; count < 70; ++count) {
    std::vector<Vector3d> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back(random.vector(-1, 1));
    const VertexScan<1> one(points);
    const VertexScan<2> two(points);
    const VertexScan<kSimdWidth> widest(points);
    for (int i = 0; i < 50; ++i) {
      const Vector3d direction = random.direction();
      const double expected = highest(points, direction);
      for (const std::uint32_t found : {one.farthest(direction), two.farthest(direction), widest.farthest(direction)}) {
        ASSERT_LT(found, count);
        ASSERT_NEAR(points[found].dot(direction), expected, 1e-15);
      }
    }
  }
}

Aabb bounds_of(std::span<const Vector3d> points, const Eigen::Matrix3d& rotation) {
  Aabb box;
  for (const Vector3d& point : points) box.merge(Vector3d(rotation * point));
  return box;
}

void expect_near(const Aabb& box, const Aabb& expected, double tolerance) {
  EXPECT_LE((box.lower - expected.lower).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LE((box.upper - expected.upper).cwiseAbs().maxCoeff(), tolerance);
}

TEST(VertexScan, BoundsTurnedVerticesWithRegistersOfEveryWidth) {
  Random random(9);
  for (std::size_t count = 1; count < 70; ++count) {
    SCOPED_TRACE(count);
    std::vector<Vector3d> points;
    for (std::size_t i = 0; i < count; ++i) points.push_back(random.vector(1, 2));  // the origin is not among them
    const Eigen::Matrix3d rotation = random.pose(1.0).rotation();
    const Aabb expected = bounds_of(points, rotation);
    const VertexScan<1> one(points);
    const VertexScan<2> two(points);
    const VertexScan<kSimdWidth> widest(points);
    expect_near(one.bounds(rotation), expected, 2e-15);
    expect_near(two.bounds(rotation), expected, 2e-15);
    expect_near(widest.bounds(rotation), expected, 2e-15);
#if defined(ABUT_AVX2_VARIANTS)
    if (has_avx2()) {
      expect_near(two.bounds_avx2(rotation), expected, 2e-15);
    }
#endif
  }
}

TEST(HullBounds, AreThoseOfItsVertices) {
  Random random(10);
  const auto cloud = [&](int count, double size) {
    std::vector<Vector3d> points;
    for (int i = 0; i < count; ++i) points.push_back(size * (random.direction() + Vector3d(3, 0, 0)));
    return points;
  };
  for (const int count : {1, 2, 3, 8, 31, 40, 127, 128, 129, 400}) {
    for (const double size : {1e-150, 1.0, 1e100, 1e305}) {
      SCOPED_TRACE(testing::Message() << count << " points, " << size << " m");
      const ConvexHull hull = ConvexHull::from_points(cloud(count, size));
      for (int i = 0; i < 20; ++i) {
        const Eigen::Matrix3d rotation = random.pose(1.0).rotation();
        expect_near(hull.bounds(rotation), bounds_of(hull.vertices(), rotation), 1e-14 * size);
      }
    }
  }
}

// As the support functions do: a box around NaN is none.
TEST(HullBounds, OfARotationThatIsNoneAreNoNumbers) {
  const Eigen::Matrix3d rotation = Eigen::Matrix3d::Constant(std::numeric_limits<double>::quiet_NaN());
  Random random(11);
  for (const int count : {8, 40, 400}) {
    std::vector<Vector3d> points;
    for (int i = 0; i < count; ++i) points.push_back(random.direction());
    const Aabb box = ConvexHull::from_points(points).bounds(rotation);
    EXPECT_TRUE(box.lower.array().isNaN().all());
    EXPECT_TRUE(box.upper.array().isNaN().all());
  }
}

}  // namespace
}  // namespace abut::detail

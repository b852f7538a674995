// What a hull lists around each vertex: what may be level with it, and nothing else.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_surroundings.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <span>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using detail::HullSurroundings;
using samples::Random;

const double kSine = std::sin(HullSurroundings::kMaxTilt);

/// Plates whose two sides bulge a little, so that many faces are nearly one.
std::vector<Vector3d> bulging_plate(int count, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) {
    const double radius = std::sqrt(random.uniform(0.0, 1.0));
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    const double z = 0.1 - 0.04 * radius * radius;
    points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), random.chance(0.5) ? z : -z);
  }
  return points;
}

std::vector<ConvexHull> some_hulls() {
  Random random(1);
  std::vector<ConvexHull> hulls;
  hulls.push_back(ConvexHull::from_points(samples::cube_grid(3)));
  hulls.push_back(ConvexHull::from_points(samples::prism(12)));
  hulls.push_back(ConvexHull::from_points(samples::prism(90)));
  hulls.push_back(ConvexHull::from_points(samples::random_sphere(40, random)));
  hulls.push_back(ConvexHull::from_points(samples::fibonacci_sphere(1500)));
  for (const int count : {30, 120, 600}) hulls.push_back(ConvexHull::from_points(bulging_plate(count, random)));
  return hulls;
}

bool is_level(const ConvexHull& hull, std::uint32_t highest, std::uint32_t other, const Vector3d& direction) {
  const Vector3d offset = hull.vertices()[highest] - hull.vertices()[other];
  return offset.dot(direction) <= kSine * offset.norm();
}

TEST(HullSurroundings, NameOtherVerticesOnceThatAFaceIsNearlyLevelWith) {
  std::size_t listed = 0;
  for (const ConvexHull& hull : some_hulls()) {
    ASSERT_TRUE(hull.surroundings().has_lists());
    for (std::uint32_t vertex = 0; vertex < hull.vertices().size(); ++vertex) {
      std::set<std::uint32_t> named = {vertex};
      for (const std::uint32_t other : hull.surroundings().around(vertex)) {
        ASSERT_LT(other, hull.vertices().size());
        EXPECT_TRUE(named.insert(other).second) << vertex << " names " << other << " again";
        bool may_be_level = false;
        for (const std::uint32_t face : hull.faces().faces_at(vertex)) {
          may_be_level = may_be_level || is_level(hull, vertex, other, hull.faces().normal(face));
        }
        EXPECT_TRUE(may_be_level) << vertex << " names " << other;
      }
      listed += named.size() - 1;
    }
  }
  EXPECT_GT(listed, 10000u);
}

// All that a walk over level vertices reaches from the highest one is listed, unless the list is full.
TEST(HullSurroundings, NameWhatIsLevelAlongAnyDirection) {
  Random random(2);
  int compared = 0;
  int level_vertices = 0;
  for (const ConvexHull& hull : some_hulls()) {
    for (int i = 0; i < 400; ++i) {
      const std::uint32_t face =
          static_cast<std::uint32_t>(random.uniform(0.0, 1.0) * 0.999 * static_cast<double>(hull.faces().size()));
      const Vector3d direction = (hull.faces().normal(face) + 0.1 * random.direction()).normalized();
      const std::uint32_t highest = hull.support_vertex(direction);
      const auto around = hull.surroundings().around(highest);
      if (around.size() == HullSurroundings::kMost) continue;
      ++compared;
      const std::set<std::uint32_t> listed(around.begin(), around.end());
      std::set<std::uint32_t> level = {highest};
      std::vector<std::uint32_t> open = {highest};
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (const std::uint32_t other : hull.neighbours(at)) {
          if (is_level(hull, highest, other, direction) && level.insert(other).second) open.push_back(other);
        }
      }
      level.erase(highest);
      for (const std::uint32_t vertex : level) EXPECT_TRUE(listed.contains(vertex)) << highest << ", " << vertex;
      level_vertices += static_cast<int>(level.size());
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(level_vertices, 1000);
}

TEST(HullSurroundings, OfACubeAreTheCornersOfTheThreeFaces) {
  const ConvexHull cube = ConvexHull::from_points(samples::cube_grid(2));
  ASSERT_EQ(cube.vertices().size(), 8u);
  for (std::uint32_t vertex = 0; vertex < 8; ++vertex) {
    EXPECT_EQ(cube.surroundings().around(vertex).size(), 6u);
    for (const std::uint32_t other : cube.surroundings().around(vertex)) {
      EXPECT_LT((cube.vertices()[vertex] - cube.vertices()[other]).norm(), 1.5) << "the corner across";
    }
  }
}

// Each vertex of a cone shares a face with very many others.
TEST(HullSurroundings, OfAConeAreFull) {
  constexpr std::size_t kRim = 400;
  std::vector<Vector3d> points = {{0, 0, 1}};
  for (std::size_t i = 0; i < kRim; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kRim);
    points.emplace_back(std::cos(angle), std::sin(angle), 0.0);
  }
  for (const double height : {0.01, 1.0, 100.0}) {
    points[0].z() = height;
    const ConvexHull hull = ConvexHull::from_points(points);
    ASSERT_EQ(hull.vertices().size(), kRim + 1);
    for (std::uint32_t vertex = 0; vertex < hull.vertices().size(); ++vertex) {
      EXPECT_EQ(hull.surroundings().around(vertex).size(), HullSurroundings::kMost) << height << ", " << vertex;
    }
  }
}

TEST(HullSurroundings, OfHullsBeyondTheirNumbersAreNone) {
  const std::vector<Vector3d> points(HullSurroundings::kMaxVertices + 1, Vector3d::Zero());
  const std::vector<std::uint32_t> rows(points.size() + 1, 0);
  EXPECT_FALSE(HullSurroundings(points, rows, {}, {}).has_lists());
  EXPECT_TRUE(HullSurroundings(std::span(points).first(3), std::span(rows).first(4), {}, {}).has_lists());
}

}  // namespace
}  // namespace abut

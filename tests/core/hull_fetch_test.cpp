// Fetching ahead reads no memory but the hull's own, whatever the hull, and has no say in any answer; the tops of hulls
// that are found together are those found one by one.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_fetch.h>
#include <abut/core/shapes/hull_top.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using detail::HullTop;
using detail::HullTops;
using detail::SupportFetch;
using samples::Random;

// A cone of so many sides, whose tip has as many neighbours.
ConvexHull fine_cone(int sides) {
  std::vector<Vector3d> points = {{0.0, 0.0, 1.0}};
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    points.push_back({std::cos(angle), std::sin(angle), 0.0});
  }
  return ConvexHull::from_points(points);
}

// A point, a segment, flat ones, small and large solids.
std::vector<ConvexHull> all_kinds_of_hulls() {
  Random random(1);
  std::vector<ConvexHull> hulls;
  hulls.push_back(ConvexHull::from_points(std::vector<Vector3d>{{1.0, 2.0, 3.0}}));
  hulls.push_back(ConvexHull::from_points(std::vector<Vector3d>{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}));
  hulls.push_back(ConvexHull::from_points(std::vector<Vector3d>{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}));
  hulls.push_back(ConvexHull::from_points(samples::cube_grid(3)));
  hulls.push_back(ConvexHull::from_points(samples::random_sphere(40, random)));
  hulls.push_back(ConvexHull::from_points(samples::fibonacci_sphere(1500)));
  hulls.push_back(fine_cone(500));
  return hulls;
}

// A direction in which an edge of a random triangle is level, and often the highest of the hull.
Vector3d across_an_edge(const ConvexHull& hull, Random& random) {
  const auto triangle = hull.triangles()[random.below(static_cast<std::uint32_t>(hull.triangles().size()))];
  const Vector3d& p = hull.vertices()[triangle[0]];
  const Vector3d& q = hull.vertices()[triangle[1]];
  const Vector3d normal = (q - p).cross(hull.vertices()[triangle[2]] - p).normalized();
  return (normal + random.uniform(0.0, 0.2) * (q - p).cross(normal).normalized()).normalized();
}

TEST(HullFetch, TakesAnyHullAndDirection) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kHuge = std::numeric_limits<double>::max();
  const std::vector<Vector3d> directions = {
      {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, -1e-300, 0.0}, {kHuge, kHuge, -kHuge}, {kNan, 1.0, 0.0}};
  const std::vector<ConvexHull> hulls = all_kinds_of_hulls();
  for (const ConvexHull& hull : hulls) {
    SupportFetch supports;
    for (const Vector3d& direction : directions) supports.add(hull, direction);
    supports.fetch();
    HullTops search;
    std::vector<HullTop> tops(directions.size());
    for (std::size_t i = 0; i < directions.size(); ++i) search.add(hull, directions[i], tops[i]);
    search.find(/*min_rise=*/-1.0);
  }
}

TEST(HullFetch, IsEmptyAgainAfterEachFetch) {
  const ConvexHull hull = ConvexHull::from_points(samples::fibonacci_sphere(500));
  SupportFetch supports;
  HullTops search;
  std::vector<HullTop> tops(HullTops::kCapacity);
  Random random(2);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < SupportFetch::kCapacity; ++i) supports.add(hull, random.direction());
    supports.fetch();
    for (HullTop& top : tops) search.add(hull, random.direction(), top);
    search.find(/*min_rise=*/0.9);
  }
}

TEST(HullTops, AreTheTopsOfEachHullByItself) {
  Random random(4);
  int compared = 0;
  int with_rival = 0;
  for (const ConvexHull& hull : all_kinds_of_hulls()) {
    for (int round = 0; round < 30; ++round) {
      std::vector<Vector3d> directions;
      for (std::size_t i = 0; i < HullTops::kCapacity; ++i) directions.push_back(random.direction());
      if (hull.faces().size() > 0) {  // straight at a face, where all of its corners are as high
        directions[0] = hull.faces().normal(random.below(static_cast<std::uint32_t>(hull.faces().size())));
        for (std::size_t i = 1; i < 40; ++i) directions[i] = across_an_edge(hull, random);
      }
      HullTops search;
      std::vector<HullTop> tops(directions.size());
      for (std::size_t i = 0; i < directions.size(); ++i) search.add(hull, directions[i], tops[i]);
      search.find(/*min_rise=*/0.95);
      for (std::size_t i = 0; i < directions.size(); ++i) {
        EXPECT_EQ(tops[i].is_known(), !hull.support_map().empty());
        if (!tops[i].is_known()) continue;
        const HullTop alone = detail::hull_top(hull, directions[i]);
        EXPECT_EQ(tops[i].vertex, alone.vertex);
        EXPECT_EQ(tops[i].face.face, alone.face.face);
        EXPECT_EQ(tops[i].face.rise, alone.face.rise);
        // Of these tops some owe their face to the other end of a level edge.
        with_rival += hull.faces().most_turned(alone.vertex, directions[i]).rise < alone.face.rise ? 1 : 0;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(with_rival, 20);
}

// Of all faces at the vertices that are highest, that of the top is turned most to the direction.
TEST(HullTops, HaveTheFaceTurnedMost) {
  Random random(5);
  for (const ConvexHull& hull : all_kinds_of_hulls()) {
    const std::uint32_t face_count = static_cast<std::uint32_t>(hull.faces().size());
    for (int i = 0; i < 200 && face_count > 0; ++i) {
      const bool is_straight = i % 2 == 0;
      const std::uint32_t straight = random.below(face_count);
      const Vector3d direction = is_straight ? hull.faces().normal(straight) : random.direction();
      const HullTop top = detail::hull_top(hull, direction);
      for (const std::uint32_t face : hull.faces().faces_at(top.vertex)) {
        EXPECT_LE(hull.faces().normal(face).dot(direction), top.face.rise);
      }
      EXPECT_EQ(top.face.rise, hull.faces().normal(top.face.face).dot(direction));
      if (is_straight) {
        EXPECT_NEAR(top.face.rise, 1.0, 1e-12);
      }
    }
  }
}

// The place of a direction leads to a cell that lists a vertex farthest along it, among all of the hull.
TEST(HullFetch, PlacesLeadToTheCellOfTheDirection) {
  Random random(3);
  int compared = 0;
  for (const ConvexHull& hull : all_kinds_of_hulls()) {
    const detail::SupportMap& map = hull.support_map();
    if (map.empty()) continue;
    for (int i = 0; i < 2000; ++i) {
      const Vector3d direction = random.direction();
      const detail::SupportMap::Cell cell = map.cell(map.place(direction));
      double highest = -std::numeric_limits<double>::infinity();
      for (const std::uint16_t vertex : cell.vertices) {
        highest = std::max(highest, hull.vertices()[vertex].dot(direction));
      }
      if (!cell.is_complete) continue;
      ++compared;
      double support = -std::numeric_limits<double>::infinity();
      for (const Vector3d& vertex : hull.vertices()) support = std::max(support, vertex.dot(direction));
      EXPECT_DOUBLE_EQ(highest, support);
    }
  }
  EXPECT_GT(compared, 3000);
}

// The look at the heights alone leaves out no edge that the look at its slope would take.
TEST(HullTop, SeesAllLevelEdgesWhateverTheSizeAndThePlace) {
  Random random(5);
  std::size_t level_edges = 0;
  for (const double size : {1e-6, 1.0, 1e6}) {
    for (const double away : {0.0, 1e6}) {
      std::vector<Vector3d> points = samples::cube_grid(3);
      const Eigen::Matrix3d turn = random.pose(1.0).rotation();
      for (Vector3d& point : points) point = size * (turn * (point + away * Vector3d(1.0, 0.4, -0.3)));
      const ConvexHull hull = ConvexHull::from_points(points);
      for (int i = 0; i < 200; ++i) {
        SCOPED_TRACE(testing::Message() << size << " m, " << away << " times that away, " << i);
        const Vector3d direction = across_an_edge(hull, random);
        const std::uint32_t vertex = hull.support_vertex(direction);
        std::vector<std::uint32_t> expected;
        for (const std::uint32_t neighbour : hull.neighbours(vertex)) {
          const Vector3d edge = hull.vertices()[vertex] - hull.vertices()[neighbour];
          if (std::abs(edge.dot(direction)) <= 0.999 * detail::kSameSlope * edge.norm()) expected.push_back(neighbour);
        }
        std::vector<std::uint32_t> found;
        detail::for_level_neighbours(hull, vertex, direction, [&](std::uint32_t other) { found.push_back(other); });
        EXPECT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
        level_edges += expected.size();
      }
    }
  }
  EXPECT_GT(level_edges, 400u);
}

}  // namespace
}  // namespace abut

// Fetching ahead reads no memory but the hull's own, whatever the hull, and has no say in any answer.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_fetch.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using detail::SupportFetch;
using detail::SurroundingsFetch;
using samples::Random;

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
  return hulls;
}

TEST(HullFetch, TakesAnyHullDirectionAndVertex) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kHuge = std::numeric_limits<double>::max();
  const std::vector<Vector3d> directions = {
      {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, -1e-300, 0.0}, {kHuge, kHuge, -kHuge}, {kNan, 1.0, 0.0}};
  const std::vector<ConvexHull> hulls = all_kinds_of_hulls();
  for (const ConvexHull& hull : hulls) {
    SupportFetch supports;
    for (const Vector3d& direction : directions) supports.add(hull, direction);
    supports.fetch();
    SurroundingsFetch surroundings;
    const auto count = static_cast<std::uint32_t>(hull.vertices().size());
    for (const std::uint32_t vertex : {0u, count - 1, count, std::numeric_limits<std::uint32_t>::max()}) {
      surroundings.add(hull, vertex);
    }
    surroundings.fetch();
  }
}

TEST(HullFetch, IsEmptyAgainAfterEachFetch) {
  const ConvexHull hull = ConvexHull::from_points(samples::fibonacci_sphere(500));
  SupportFetch supports;
  SurroundingsFetch surroundings;
  Random random(2);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < SupportFetch::kCapacity; ++i) supports.add(hull, random.direction());
    supports.fetch();
    for (std::size_t i = 0; i < SurroundingsFetch::kCapacity; ++i) {
      surroundings.add(hull, static_cast<std::uint32_t>(random.below(500)));
    }
    surroundings.fetch();
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

}  // namespace
}  // namespace abut

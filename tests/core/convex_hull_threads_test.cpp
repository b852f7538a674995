// ConvexHull::from_points called from several threads at once.
#include <abut/core/shapes/convex_hull.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

TEST(ConvexHull, IsTheSameFromManyThreads) {
  const std::vector<Vector3d> points = samples::moved(samples::fibonacci_sphere(1000), Vector3d(1, 2, 3), Pose());
  const ConvexHull reference = ConvexHull::from_points(points);
  std::vector<int> same(8, 0);
  std::vector<std::thread> threads;
  for (int& result : same) {
    threads.emplace_back([&] {
      const ConvexHull hull = ConvexHull::from_points(points);
      result = std::equal(hull.vertices().begin(), hull.vertices().end(), reference.vertices().begin(),
                          reference.vertices().end()) &&
               std::equal(hull.triangles().begin(), hull.triangles().end(), reference.triangles().begin(),
                          reference.triangles().end());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(8, 1));
}

}  // namespace
}  // namespace abut

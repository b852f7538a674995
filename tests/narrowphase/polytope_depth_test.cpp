// Distances of polytopes against the whole Minkowski difference: the hull of all pairwise differences, built by qhull.
// The depth is the least plane offset of its facets; the distance is that to its nearest point.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/simplex.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <vector>

namespace abut {
namespace {

using samples::Random;

constexpr std::uint64_t kSeeds = samples::kIsInstrumented ? 500 : 1500;

std::vector<Vector3d> random_points(Random& random, int count, double size) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(random.vector(-size, size));
  return points;
}

double brute_force_distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b, const Pose& a_from_b) {
  std::vector<Vector3d> differences;
  for (const Vector3d& p : a) {
    for (const Vector3d& q : b) differences.push_back(p - a_from_b * q);
  }
  const ConvexHull hull = ConvexHull::from_points(differences);
  double depth = 1e300;
  double nearest = 1e300;
  for (const auto& t : hull.triangles()) {
    const Vector3d& p = hull.vertices()[t[0]];
    const Vector3d& q = hull.vertices()[t[1]];
    const Vector3d& r = hull.vertices()[t[2]];
    const Vector3d normal = (q - p).cross(r - p);
    if (normal.norm() < 1e-12) continue;
    depth = std::min(depth, normal.normalized().dot(p));
    const auto w = detail::nearest_on_triangle(p, q, r);
    nearest = std::min(nearest, (w[0] * p + w[1] * q + w[2] * r).norm());
  }
  return depth >= 0.0 ? -depth : nearest;
}

TEST(PolytopeDistance, EqualsThatOfTheWholeMinkowskiDifference) {
  int overlapping = 0;
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<Vector3d> a = random_points(random, 4 + static_cast<int>(random.below(20)), 1.0);
    const std::vector<Vector3d> b = random_points(random, 4 + static_cast<int>(random.below(20)), 1.0);
    const Pose a_from_b = random.pose(1.2);
    const Separation s = distance(ConvexHull::from_points(a), Pose(), ConvexHull::from_points(b), a_from_b);
    const double expected = brute_force_distance(a, b, a_from_b);
    EXPECT_NEAR(s.distance, expected, 1e-10);
    EXPECT_EQ(s.status, SolveStatus::converged);
    (expected < 0.0 ? overlapping : apart) += 1;
  }
  EXPECT_GT(overlapping, static_cast<int>(kSeeds / 5));
  EXPECT_GT(apart, static_cast<int>(kSeeds / 5));
}

TEST(PolytopeDistance, EqualsItOnLatticesFullOfParallelFaces) {
  int touching = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto lattice_points = [&random](int count) {
      std::vector<Vector3d> points;
      for (int i = 0; i < count; ++i) {
        points.emplace_back(static_cast<int>(random.below(3)), static_cast<int>(random.below(3)),
                            static_cast<int>(random.below(3)));
      }
      for (int i = 0; i < 3; ++i) points.push_back(points[0] + Vector3d::Unit(i));  // so that it is solid
      return points;
    };
    const std::vector<Vector3d> a = lattice_points(8);
    const std::vector<Vector3d> b = lattice_points(8);
    const Pose a_from_b(Vector3d(static_cast<int>(random.below(5)) - 2.0, static_cast<int>(random.below(5)) - 2.0,
                                 static_cast<int>(random.below(5)) - 2.0));
    const Separation s = distance(ConvexHull::from_points(a), Pose(), ConvexHull::from_points(b), a_from_b);
    const double expected = brute_force_distance(a, b, a_from_b);
    EXPECT_NEAR(s.distance, expected, 1e-12);
    EXPECT_EQ(s.status, SolveStatus::converged);
    if (std::abs(expected) < 1e-12) ++touching;
  }
  EXPECT_GT(touching, static_cast<int>(kSeeds / 30));
}

}  // namespace
}  // namespace abut

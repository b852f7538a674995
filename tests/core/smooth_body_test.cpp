// Which smooth bodies have a twice differentiable support function, and which are their own mirror images.
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using Eigen::Vector2d;
using samples::Random;
using samples::random_points;

std::vector<Vector3d> cube(const Vector3d& center) {
  std::vector<Vector3d> points;
  points.reserve(8);
  for (int i = 0; i < 8; ++i) points.push_back(center + Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  return points;
}

TEST(TwiceDifferentiable, IsASuperquadricWhoseExponentsAreAtLeastOne) {
  const Vector3d radii(1, 2, 3);
  EXPECT_TRUE(Sphere(1.0).is_twice_differentiable());
  EXPECT_TRUE(Ellipsoid(radii).is_twice_differentiable());
  EXPECT_TRUE(Superquadric(radii, {1.0, 1.0}).is_twice_differentiable());
  EXPECT_TRUE(Superquadric(radii, {1.5, 1.0}).is_twice_differentiable());
  EXPECT_FALSE(Superquadric(radii, {std::nextafter(1.0, 0.0), 1.5}).is_twice_differentiable());
  EXPECT_FALSE(Superquadric(radii, {1.5, 0.8}).is_twice_differentiable());
}

TEST(TwiceDifferentiable, IsASmoothHullAroundTheOrigin) {
  const auto is_smooth = [](std::vector<Vector3d> points) {
    return SmoothHull(std::move(points), 10.0).is_twice_differentiable();
  };
  for (const double scale : {1e-6, 1.0, 1e6}) {
    std::vector<Vector3d> points = cube(Vector3d(0.9, -0.9, 0.0));
    for (Vector3d& point : points) point *= scale;
    EXPECT_TRUE(is_smooth(points)) << scale;
  }
  EXPECT_TRUE(is_smooth(cube(Vector3d(1.0 - 1e-6, 0, 0))));
  EXPECT_FALSE(is_smooth(cube(Vector3d(1.0 - 1e-10, 0, 0))));  // nearer to a face than can be told
  EXPECT_FALSE(is_smooth(cube(Vector3d(1, 0, 0))));            // on a face
  EXPECT_FALSE(is_smooth(cube(Vector3d(1, 1, 0))));            // on an edge
  EXPECT_FALSE(is_smooth(cube(Vector3d(1, 1, 1))));            // in a corner
  EXPECT_FALSE(is_smooth(cube(Vector3d(0, 1.5, 0))));          // outside
  EXPECT_FALSE(is_smooth({Vector3d::Zero()}));
  EXPECT_FALSE(is_smooth({Vector3d::UnitX(), -Vector3d::UnitX()}));
  EXPECT_FALSE(is_smooth({Vector3d(1, 0, 0), Vector3d(-1, 1, 0), Vector3d(-1, -1, 0)}));  // flat
  std::vector<Vector3d> with_origin = cube(Vector3d(2, 0, 0));
  with_origin.emplace_back(Vector3d::Zero());
  EXPECT_FALSE(is_smooth(with_origin));
}

TEST(TwiceDifferentiable, IsASmoothHullWhoseSupportFunctionIsPositive) {
  Random random(13);
  int smooth = 0;
  for (int i = 0; i < 300; ++i) {
    const SmoothHull hull(random_points(4 + static_cast<int>(random.below(6)), random), 4.0);
    double least = 1.0;
    for (int k = 0; k < 3000; ++k) least = std::min(least, hull.core_expansion(random.direction()).value);
    smooth += hull.is_twice_differentiable() ? 1 : 0;
    if (hull.is_twice_differentiable()) {
      EXPECT_GT(least, 0.0) << i;
    }
    // Random directions do not find a narrow cone where h vanishes, hence no claim where h is small.
    if (least > 0.1) {
      EXPECT_TRUE(hull.is_twice_differentiable()) << i;
    }
    if (least == 0.0) {
      EXPECT_FALSE(hull.is_twice_differentiable()) << i;
    }
  }
  EXPECT_GT(smooth, 50);
  EXPECT_LT(smooth, 250);
}

TEST(TwiceDifferentiable, IsASolidOfRevolutionWhoseSupportFunctionIsPositive) {
  const auto is_smooth = [](std::vector<Vector2d> profile, double flatness) {
    return SmoothRevolution(std::move(profile), 10.0, flatness).is_twice_differentiable();
  };
  EXPECT_TRUE(is_smooth({{1.0, 1.0}, {1.0, -1.0}}, 1e-3));
  EXPECT_TRUE(is_smooth({{0.0, 1.0}, {1.0, 0.0}, {0.0, -1.0}}, 1e-3));
  EXPECT_FALSE(is_smooth({{0.0, 1.0}, {0.0, -1.0}}, 1e-3));  // a needle: nothing lies ahead across the axis
  EXPECT_FALSE(is_smooth({{0.5, 5.0}, {0.0, 6.0}}, 1e-3));   // all above: nothing lies ahead downwards
  EXPECT_FALSE(is_smooth({{0.5, -5.0}, {0.0, -6.0}}, 1e-3));
  EXPECT_FALSE(is_smooth({{0.0, 0.0}, {1.0, 1.0}}, 1e-3));
  // Flatness widens: with γ = 1 the disc at z = 0.5 is a part of a ball around the origin.
  EXPECT_TRUE(is_smooth({{1.0, 0.5}}, 1.0));
  EXPECT_FALSE(is_smooth({{1.0, 0.5}}, 0.25));
  EXPECT_FALSE(is_smooth({{1.0, 0.5}}, 0.2));
  for (const double x3 : {1.0, -1.0}) {
    EXPECT_GT(SmoothRevolution({{1.0, 0.5}}, 10.0, 1.0).core_expansion(Vector3d(0, 0, x3)).value, 0.0);
  }
}

TEST(CentrallySymmetric, IsASmoothHullThatHasTheMirrorImageOfEveryPoint) {
  const auto is_symmetric = [](std::vector<Vector3d> points) {
    return SmoothHull(std::move(points), 10.0).is_centrally_symmetric();
  };
  EXPECT_TRUE(is_symmetric(cube(Vector3d::Zero())));
  EXPECT_TRUE(is_symmetric({Vector3d(0, 1, 0), Vector3d(-0.0, -1, 0), Vector3d::Zero()}));
  EXPECT_FALSE(is_symmetric(cube(Vector3d(1e-15, 0, 0))));
  EXPECT_FALSE(is_symmetric({Vector3d::UnitX()}));
  EXPECT_FALSE(is_symmetric({Vector3d::UnitX(), Vector3d::UnitX(), -Vector3d::UnitX()}));  // a point twice counts twice
  Random random(14);
  std::vector<Vector3d> points = random_points(15, random);
  for (int i = 0; i < 15; ++i) points.emplace_back(-points[static_cast<std::size_t>(i)]);
  EXPECT_TRUE(is_symmetric(points));
  points[20].y() = std::nextafter(points[20].y(), 2.0);
  EXPECT_FALSE(is_symmetric(points));
}

TEST(CentrallySymmetric, IsASolidOfRevolutionWithAProfileThatIsItsMirrorImage) {
  const auto is_symmetric = [](std::vector<Vector2d> profile) {
    return SmoothRevolution(std::move(profile), 10.0, 0.1).is_symmetric();
  };
  EXPECT_TRUE(is_symmetric({{1.0, 1.0}, {1.0, -1.0}}));
  EXPECT_TRUE(is_symmetric({{0.5, -1.0}, {2.0, 0.0}, {0.5, 1.0}, {1.0, -0.0}}));
  EXPECT_FALSE(is_symmetric({{1.0, 1.0}, {1.0, -1.0}, {0.9, 0.5}}));
  EXPECT_FALSE(is_symmetric({{1.0, 1.0}, {0.9, -1.0}}));
  EXPECT_FALSE(is_symmetric({{1.0, 1.0}}));
}

TEST(SmoothHullInnerRadius, IsThatOfABallInsideTheBodyAndNotMuchSmallerThanTheLargest) {
  const auto least_support = [](const SmoothHull& hull, Random& random) {
    double least = 1e300;
    for (int i = 0; i < 20000; ++i) {
      const Vector3d n = random.direction();
      least = std::min(least, hull.core_support(n).dot(n));
    }
    return least;
  };
  for (const double sharpness : {3.0, 8.0, 50.0}) {
    Random random(1);
    const SmoothHull hull(cube(Vector3d(0.25, 0.0, 0.0)), sharpness);
    EXPECT_GE(hull.inner_radius(), 0.75);
    EXPECT_LE(hull.inner_radius(), least_support(hull, random));
    EXPECT_EQ(SmoothHull(cube(Vector3d(1.0, 0.0, 0.0)), sharpness).inner_radius(), 0.0);
    EXPECT_EQ(SmoothHull(cube(Vector3d(2.0, 0.0, 0.0)), sharpness).inner_radius(), 0.0);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(seed);
      const SmoothHull random_hull(random_points(40, random), sharpness);
      const double least = least_support(random_hull, random);
      EXPECT_LE(random_hull.inner_radius(), least);
      EXPECT_GT(random_hull.inner_radius(), 0.7 * least);
    }
  }
}

// The corners of a fit to a needle, most of them more than once: triangles of nearly equal points have no plane to
// speak of.
TEST(SmoothHullInnerRadius, IsNotLostToSlivers) {
  const std::vector<Vector3d> points = {
      {0.99372861262504875, -0.049837326907371561, 0.049837304584304569},
      {-0.99372704959234792, 0.049837514045419598, 0.049836935811132424},
      {0.99372861262388934, -0.049837326900569842, 0.049837304609269856},
      {0.99574994020262131, 0.049930803614630398, 0.049943155579893907},
      {-0.99573741214699285, -0.049938949767182245, 0.049944234857490569},
      {0.99372861276032953, -0.049837327677143904, 0.049837301691670818},
      {-0.99372705249954962, 0.049837544402566748, 0.049836857587866622},
      {-0.99573741214704747, -0.049938949767282761, 0.049944234857387304},
      {0.99574994020262186, 0.049930803614630662, 0.049943155579893365},
      {-0.99372705249906979, 0.049837544397125955, 0.049836857601271142},
      {0.99371829963607183, -0.049838527349356607, -0.049843813503394445},
      {0.99574903628679357, 0.049933561846393026, -0.049942338605651088},
      {-0.99573617619723609, -0.049942226311899568, -0.049940412454415689},
      {0.99371830939722527, -0.049838503568115922, -0.04984367501276888},
      {-0.99372046126614311, 0.049839122780712376, -0.049840080481765851},
      {-0.99573617619723653, -0.049942226311899582, -0.049940412454415696},
      {0.9957490362867939, 0.049933561846393068, -0.049942338605651115},
      {-0.99372046478494203, 0.049839154949635991, -0.049839991213684778},
      {0.99371830939825367, -0.049838503531234701, -0.049843675032765829},
      {-0.99372046478495601, 0.049839154949740533, -0.049839991213351628},
  };
  const SmoothHull hull(points, 200.0);
  EXPECT_TRUE(hull.is_twice_differentiable());
  EXPECT_GT(hull.inner_radius(), 0.0498);
  Random random(1);
  double least = 1e300;
  for (int i = 0; i < 20000; ++i) {
    const Vector3d n = random.direction();
    least = std::min(least, hull.core_support(n).dot(n));
  }
  EXPECT_LE(hull.inner_radius(), least);
}

TEST(SmoothHullCenter, LiesInside) {
  Random random(41);
  std::vector<std::vector<Vector3d>> sets = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 1, 1}}, {{1, 0, 0}, {0, 2, 0}}};
  for (int i = 0; i < 20; ++i) {
    std::vector<Vector3d> points;
    for (int k = 0; k < 3 + i % 5; ++k) points.push_back(random.direction());
    sets.push_back(points);
  }
  for (const std::vector<Vector3d>& points : sets) {
    for (const double sharpness : {2.5, 20.0}) {
      const SmoothHull hull(points, sharpness);
      for (int i = 0; i < 300; ++i) {
        const Vector3d direction = random.direction();
        ASSERT_GE(direction.dot(hull.core_support(direction) - hull.center()), -1e-12) << direction.transpose();
      }
    }
  }
}

}  // namespace
}  // namespace abut

// Touching, nested, identical and degenerate shapes: where collision libraries lose their normals.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/part.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <support/instrumented.h>
#include <support/poses.h>
#include <support/random_shapes.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace abut {
namespace {

using samples::at;
using samples::certificate_violation;
using samples::Random;

void expect_certified(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double expected,
                      double tolerance) {
  const Separation s = distance(a, pose_a, b, pose_b);
  EXPECT_NEAR(s.distance, expected, tolerance);
  EXPECT_EQ(certificate_violation(a, pose_a, b, pose_b, s, tolerance), "");
  EXPECT_EQ(s.status, SolveStatus::converged);
}

TEST(Touching, CubesKissAtEverySizeAndTilt) {
  for (const double side : {0.01, 0.1, 1.0, 10.0, 1000.0}) {
    for (const double shift : {0.0, 1e-16, -1e-16}) {
      for (const double tilt : {0.0, 1e-16, -1e-16, 1e-8}) {
        SCOPED_TRACE(testing::Message() << "side " << side << " shift " << shift << " tilt " << tilt);
        const Shape cube(Box(Vector3d::Constant(0.5 * side)));
        const Pose above(Vector3d(0.0, 0.0, side * (1.0 + shift)),
                         Quaterniond(Eigen::AngleAxisd(tilt, Vector3d::UnitX())));
        const Separation s = distance(cube, Pose(), cube, above);
        EXPECT_NEAR(s.distance, 0.0, (1e-14 + std::abs(tilt)) * side);
        EXPECT_NEAR(s.normal.z(), 1.0, 1e-12);
      }
    }
  }
}

TEST(Touching, DistancePassesSmoothlyThroughZero) {
  const Pose turned(Vector3d::Zero(), Quaterniond(0.9, 0.1, -0.3, 0.2));
  // No cone: past the contact of a tip another direction is the shortest way out.
  const std::vector<Shape> shapes{Box({0.3, 0.5, 0.4}), Cylinder(0.4, 0.3), Ellipsoid({0.3, 0.5, 0.4}),
                                  Capsule(0.2, 0.4), Superquadric({0.3, 0.4, 0.5}, {0.5, 0.7})};
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      SCOPED_TRACE(testing::Message() << a.type_name() << " against " << b.type_name());
      // Find contact, then step through it along the normal there.
      Pose start(Vector3d(0.3, 0.2, 1.5), turned.quaternion());
      const Separation far = distance(a, Pose(), b, start);
      start = Pose(-far.distance * far.normal) * start;
      for (const double step : {-1e-5, -1e-7, -1e-9, -1e-11, 0.0, 1e-11, 1e-9, 1e-7, 1e-5}) {
        const Separation s = distance(a, Pose(), b, Pose(step * far.normal) * start);
        EXPECT_NEAR(s.distance, step, 1e-12 + 1e-4 * std::abs(step)) << "at " << step;
        EXPECT_NEAR(s.normal.dot(far.normal), 1.0, 1e-6) << "at " << step;
      }
    }
  }
}

TEST(Touching, ConesTipToTipNeverChangeFasterThanTheyMove) {
  const Shape cone(Cone(0.4, 0.5));
  const Pose upside_down(Vector3d(0, 0, 1), Quaterniond(Eigen::AngleAxisd(M_PI - 0.2, Vector3d::UnitX())));
  const Separation far = distance(cone, Pose(), cone, Pose(Vector3d(0, 0, 1)) * upside_down);
  const Pose touching = Pose(Vector3d(0, 0, 1) - far.distance * far.normal) * upside_down;
  for (const double step : {-1e-3, -1e-6, -1e-9, 0.0, 1e-9, 1e-6, 1e-3}) {
    SCOPED_TRACE(testing::Message() << "at " << step);
    const Pose pose = Pose(step * far.normal) * touching;
    const Separation s = distance(cone, Pose(), cone, pose);
    EXPECT_LE(std::abs(s.distance), std::abs(step) + 1e-12);
    if (step > 0.0) {
      EXPECT_NEAR(s.distance, step, 1e-12);
    }
    EXPECT_EQ(certificate_violation(cone, Pose(), cone, pose, s, 1e-11), "");
  }
}

TEST(Touching, BoxesMeetAtFacesEdgesAndCorners) {
  const Shape box(Box({1, 1, 1}));
  expect_certified(box, Pose(), box, at(2, 0.5, 0.25), 0.0, 1e-14);
  expect_certified(box, Pose(), box, at(2, 2, 0.25), 0.0, 1e-14);
  expect_certified(box, Pose(), box, at(2, 2, 2), 0.0, 1e-14);
  const Pose on_edge(Vector3d(0, 0, 1 + std::sqrt(2.0)), Quaterniond(Eigen::AngleAxisd(M_PI / 4, Vector3d::UnitX())));
  expect_certified(box, Pose(), box, on_edge, 0.0, 1e-14);
}

TEST(Touching, StacksKeepGapsOfANanometre) {
  const Shape box(Box({0.5, 0.5, 0.125}));
  for (const double gap : {1e-9, -1e-9, 1e-12}) {
    const Separation s = distance(box, Pose(), box, at(0.1, -0.2, 0.25 + gap));
    EXPECT_NEAR(s.distance, gap, 1e-15);
    EXPECT_NEAR(s.normal.z(), 1.0, 1e-9);
  }
}

TEST(Touching, NearlyAlignedBoxesWithRotationNoise) {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Shape a(Box(random.vector(0.2, 1.0)));
    const Shape b(Box(random.vector(0.2, 1.0)));
    const Vector3d noise = 1e-8 * random.vector(-1, 1);
    const Pose pose(random.vector(-0.5, 0.5), Quaterniond(1.0, noise.x(), noise.y(), noise.z()));
    const Separation s = distance(a, Pose(), b, pose);
    EXPECT_EQ(certificate_violation(a, Pose(), b, pose, s, 1e-12), "");
    EXPECT_EQ(s.status, SolveStatus::converged);
  }
}

TEST(Touching, IdenticalShapesInOnePlaceHaveADepthAndANormal) {
  expect_certified(Box({0.5, 0.25, 1.0}), at(1, 2, 3), Box({0.5, 0.25, 1.0}), at(1, 2, 3), -0.5, 1e-14);
  expect_certified(Capsule(0.5, 1.0), at(1, 2, 3), Capsule(0.5, 1.0), at(1, 2, 3), -1.0, 1e-14);
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // Two equal tetrahedra come apart along the normal of the largest face or of a pair of edges: 2/3 of nothing simple,
  // so only the certificate is asked.
  const Shape hull(ConvexHull::from_points(corners));
  const Separation s = distance(hull, Pose(), hull, Pose());
  EXPECT_EQ(certificate_violation(hull, Pose(), hull, Pose(), s, 1e-13), "");
  EXPECT_LT(s.distance, -0.1);
}

TEST(Touching, FlatShapesInOnePlaneTouchWithThePlanesNormal) {
  const Shape triangle(Triangle({Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)}));
  const Separation s = distance(triangle, Pose(), triangle, at(0.2, 0.1, 0.0));
  EXPECT_NEAR(s.distance, 0.0, 1e-15);
  EXPECT_NEAR(std::abs(s.normal.z()), 1.0, 1e-12);
  EXPECT_EQ(certificate_violation(triangle, Pose(), triangle, at(0.2, 0.1, 0.0), s, 1e-13), "");
}

TEST(Touching, CollinearSegmentsAndCoincidentPointsHaveNormals) {
  const Shape segment(ConvexHull::from_points(std::vector<Vector3d>{{-1, 0, 0}, {1, 0, 0}}));
  expect_certified(segment, Pose(), segment, at(0.5, 0, 0), 0.0, 1e-14);
  expect_certified(segment, Pose(), segment, at(2.5, 0, 0), 0.5, 1e-14);
  const Shape point(ConvexHull::from_points(std::vector<Vector3d>{{0.25, 0.5, 0.75}}));
  expect_certified(point, Pose(), point, Pose(), 0.0, 1e-14);
  expect_certified(Shape(ConvexHull::from_points(std::vector<Vector3d>{{0, 0, 0}}), 0.5), Pose(), point, at(0, 0, 1),
                   std::sqrt(0.25 * 0.25 + 0.25 + 1.75 * 1.75) - 0.5, 1e-14);
}

TEST(Touching, NestedBodiesFindTheShortestWayOut) {
  expect_certified(Box({2, 3, 4}), Pose(), Box({0.25, 0.25, 0.25}), at(1.0, 0.5, -0.5), -1.25, 1e-13);
  expect_certified(Box({2, 3, 4}), Pose(), Sphere(0.25), at(0, 0, 0), -2.25, 1e-13);
  expect_certified(Cylinder(2, 3), Pose(), Sphere(0.25), at(0, 0, 2.5), -0.75, 1e-9);
}

TEST(Touching, NeedlesAndPlates) {
  const Shape needle(Box({1e-4, 1e-4, 1.0}));
  const Shape plate(Box({1.0, 1.0, 1e-4}));
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Pose pose = random.pose(0.5);
    const Separation s = distance(plate, Pose(), needle, pose);
    EXPECT_EQ(certificate_violation(plate, Pose(), needle, pose, s, 1e-11), "");
  }
  // Sheets 0.2 mm thick lying on one another.
  expect_certified(plate, Pose(), plate, at(0.3, 0.1, 2e-4), 0.0, 1e-15);
}

TEST(Touching, ALongCapsuleThroughABox) {
  // 150 m of capsule through a 3 m box, off its centre.
  const Shape capsule(Capsule(0.1, 75.0));
  const Shape box(Box({1.5, 1.5, 1.5}));
  expect_certified(box, Pose(), capsule, at(1.0, 0.2, 10.0), -0.6, 1e-11);
}

TEST(Touching, ASmallBodyInsideALargeSmoothOneIsNeverCalledApart) {
  // With Polyak's momentum GJK ends next to the origin here, on a sliver of points that does not enclose it.
  const Shape large(Superquadric({40.496981686714498, 39.67609202730349, 77.031538083086289},
                                 {1.1509780818490318, 0.8744725726644651}));
  const Shape small(Sphere(0.14));
  const Pose inside(Vector3d(1.1838780075474238, -0.44923529277897295, 1.3741262100149929));
  for (const Solver solver : {Solver::gjk, Solver::polyak, Solver::nesterov}) {
    DistanceOptions options;
    options.solver = solver;
    EXPECT_LT(distance(large, Pose(), small, inside, options).distance, -30.0);
    EXPECT_TRUE(collides(large, Pose(), small, inside, 0.0, options));
  }
}

TEST(Touching, SizesAMillionApart) {
  const Shape large(Box({500, 500, 500}));
  const Shape small(Box({5e-4, 5e-4, 5e-4}));
  expect_certified(large, Pose(), small, at(10, 20, 500 + 6e-4), 1e-4, 1e-12);
  expect_certified(large, Pose(), small, at(10, 20, 500 + 4e-4), -1e-4, 1e-12);
}

/// Pairs whose cores are within 5e-11 of their sizes of touching, where GJK leaves the normal to EPA.
struct KissingPair {
  Shape a;
  Shape b;
  Pose pose;
  double size = 0.0;  ///< Of the cores, metres.
};

KissingPair random_kissing_pair(Random& random) {
  const auto any_shape = [&] {
    switch (random.below(6)) {
      case 0:
        return Shape(Box(random.vector(0.1, 1.0)));
      case 1:
        return Shape(Cone(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)));
      case 2:
        return Shape(Cylinder(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)));
      case 3:
        return Shape(Triangle({random.direction(), random.direction(), random.direction()}));
      default:
        return Shape(samples::random_hull(12, 1.0, random));
    }
  };
  KissingPair pair{any_shape(), any_shape(), random.pose(1.0)};
  if (random.chance(0.3)) pair.b = Shape(Ellipsoid(random.vector(0.1, 1.0)));
  pair.size = detail::Part(pair.a).core().extent() + detail::Part(pair.b).core().extent();
  const double gap = random.uniform(-5e-11, 5e-11) * pair.size;
  for (int i = 0; i < 20; ++i) {
    const Separation found = distance(pair.a, Pose(), pair.b, pair.pose);
    if (std::abs(found.distance - gap) < 1e-12 * pair.size) break;
    pair.pose = Pose((gap - found.distance) * found.normal) * pair.pose;
  }
  return pair;
}

TEST(Touching, IsAnsweredAsExactlyAsItIsAskedFor) {
  Random random(13);
  const int trials = samples::kIsInstrumented ? 1'000 : 10'000;
  int unproven = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const KissingPair pair = random_kissing_pair(random);
    PairCache cache;
    const Separation cold = distance(pair.a, Pose(), pair.b, pair.pose, {}, &cache);
    const Separation warm = distance(pair.a, Pose(), pair.b, pair.pose, {}, &cache);
    if (std::abs(cold.distance) > 6e-11 * pair.size) continue;
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << pair.a.type_name() << " and "
                                    << pair.b.type_name());
    const double asked = 0.5 * kRelativeTolerance * kRelativeTolerance * pair.size;
    const double rounding = 1e-14 * (pair.size + pair.pose.translation().norm());
    for (const Separation& answer : {cold, warm}) {
      if (answer.status == SolveStatus::converged) {
        EXPECT_LE(answer.distance_error, asked + rounding);
      } else {
        ++unproven;
      }
    }
    EXPECT_NEAR(warm.distance, cold.distance, warm.distance_error + cold.distance_error);
  }
  EXPECT_LT(unproven, 2 * trials / 100);  // of two answers each
}

TEST(Touching, IsNotCalledConvergedWhereIterationsRanOut) {
  const Shape box(Box({0.90537582076164491, 0.48270310035700359, 0.1583658488294219}));
  const Shape needle(Cylinder(3.8835307948097852e-05, 0.073988400139975527));
  const Pose pose(Vector3d(0.071391157880674516, 0.65529853055183263, -0.39095010065336694),
                  Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitZ())));
  for (const int iterations : {1, 2, 3, 4, 8}) {
    DistanceOptions options;
    options.warm_start = WarmStart::none;
    options.tolerance = 1.2e-5;
    options.max_iterations = iterations;
    const Separation s = distance(box, Pose(), needle, pose, options);
    SCOPED_TRACE(testing::Message() << iterations << " iterations");
    EXPECT_NEAR(s.distance, distance(box, Pose(), needle, pose).distance, s.distance_error + 1e-14);
    EXPECT_TRUE(s.status != SolveStatus::converged || s.distance_error <= options.tolerance) << s.distance_error;
  }
}

}  // namespace
}  // namespace abut

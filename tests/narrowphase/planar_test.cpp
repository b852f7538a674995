// Signed distances in the plane against dense sampling of directions and boundaries.
#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace abut::planar {
namespace {

using samples::Random;

Shape random_outline(Random& random) {
  const double margin = random.chance(0.3) ? random.uniform(0.0, 0.2) : 0.0;
  switch (random.below(3)) {
    case 0:
      return Shape::circle(random.uniform(0.1, 1.0), margin);
    case 1:
      return Shape::capsule(random.uniform(0.1, 0.5), random.uniform(0.0, 1.0), margin);
    default: {
      std::vector<Vector2d> points;
      const int count = 3 + static_cast<int>(random.below(20));
      const double a = random.uniform(0.2, 1.0);
      const double b = random.uniform(0.2, 1.0);
      for (int i = 0; i < count; ++i) {
        const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.0, 0.8)) / count;
        points.emplace_back(a * std::cos(angle), b * std::sin(angle));
      }
      if (random.chance(0.5)) std::reverse(points.begin(), points.end());
      return Shape::polygon(points, margin);
    }
  }
}

double support_value(const Shape& shape, const Pose& pose, const Vector2d& n) {
  double largest = -1e300;
  for (const Vector2d& p : shape.corners()) largest = std::max(largest, n.dot(pose * p));
  return largest + shape.radius();
}

double separation_along(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Vector2d& n) {
  return -support_value(b, pose_b, -n) - support_value(a, pose_a, n);
}

TEST(PlanarDistance, CertifiesItselfAndNoDirectionSeparatesBetter) {
  int overlapping = 0;
  int apart = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Shape a = random_outline(random);
    const Shape b = random_outline(random);
    Pose pose_a{{random.uniform(-1, 1), random.uniform(-1, 1)}, random.uniform(-4, 4)};
    Pose pose_b{{random.uniform(-1, 1), random.uniform(-1, 1)}, random.uniform(-4, 4)};
    if (random.chance(0.5)) {  // just about touching
      const Separation rough = separation(a, pose_a, b, pose_b);
      pose_b.translation += (random.uniform(-1, 1) * 1e-6 - rough.distance) * rough.normal;
    }
    const Separation s = separation(a, pose_a, b, pose_b);
    EXPECT_NEAR(s.normal.norm(), 1.0, 1e-12);
    EXPECT_NEAR(separation_along(a, pose_a, b, pose_b, s.normal), s.distance, 1e-9);
    EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 1e-12);
    EXPECT_NEAR((s.point_b - s.point_a).norm(), std::abs(s.distance), 1e-9);
    for (int i = 0; i < 720; ++i) {
      const double angle = i * std::numbers::pi / 360;
      const Vector2d n(std::cos(angle), std::sin(angle));
      EXPECT_LE(separation_along(a, pose_a, b, pose_b, n), s.distance + 1e-12);
      EXPECT_LE(n.dot(s.point_a), support_value(a, pose_a, n) + 1e-12) << "point_a lies in a";
      EXPECT_LE(n.dot(s.point_b), support_value(b, pose_b, n) + 1e-12) << "point_b lies in b";
    }
    const Separation swapped = separation(b, pose_b, a, pose_a);
    EXPECT_NEAR(swapped.distance, s.distance, 1e-12);
    (s.distance < 0.0 ? overlapping : apart) += 1;
  }
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(apart, 500);
}

Shape polygon(const std::vector<Vector2d>& points) {
  return Shape::polygon(points);
}

// A triangle whose one side is shorter than the rounding of heights, across a box as thin: at quarter turns rounding
// decides which of its corners is the highest.
TEST(PlanarDistance, OfCrossingSliversIsTheirDepth) {
  int overlapping = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const double half_width = std::pow(10.0, random.uniform(-8.0, -2.0));
    const double tip = std::pow(10.0, random.uniform(-14.0, -8.0));
    const double at = random.uniform(-0.9, 0.9);
    const Shape a = polygon({{-1, -half_width}, {1, -half_width}, {1, half_width}, {-1, half_width}});
    const Shape b = polygon({{-1, 0}, {1, 0}, {at, tip}});
    const double quarters = random.below(4);
    const Pose pose_a{{0, 0}, 0.5 * std::numbers::pi * quarters};
    const Vector2d place(0.7 * random.uniform(-1, 1), 0.0);
    const Pose pose_b{place, 0.5 * std::numbers::pi * random.below(4)};
    for (const bool swapped : {false, true}) {
      const Separation found = swapped ? separation(b, pose_b, a, pose_a) : separation(a, pose_a, b, pose_b);
      const double along = swapped ? separation_along(b, pose_b, a, pose_a, found.normal)
                                   : separation_along(a, pose_a, b, pose_b, found.normal);
      EXPECT_NEAR(found.distance, along, 1e-14);
      overlapping += found.distance < 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(overlapping, 2000);
}

// Boxes that lie on each other but for a tilt of rounding: the witness point is on both.
TEST(PlanarDistance, OfNearlyParallelSidesHasWitnessPointsOnBoth) {
  const Shape box = polygon({{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}});
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const double shift = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-6.0, 0.0));
    const double tilt = random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-14.0, -8.0));
    const Pose pose_b{{shift, -1.0 + (random.chance(0.5) ? 0.0 : random.uniform(-0.1, 0.1))}, tilt};
    const Separation found = separation(box, Pose{{0, 0}, 0}, box, pose_b);
    EXPECT_LT(found.point_a.cwiseAbs().maxCoeff(), 0.5 + 1e-11);
    const Vector2d on_b = Eigen::Rotation2Dd(-tilt) * (found.point_b - pose_b.translation);
    EXPECT_LT(on_b.cwiseAbs().maxCoeff(), 0.5 + 1e-11);
  }
}

TEST(PlanarDistance, OfDegenerateCores) {
  const Shape disc = Shape::circle(0.5);
  const Shape bar = Shape::capsule(0.25, 1.0);
  EXPECT_NEAR(separation(disc, {}, disc, {}).distance, -1.0, 1e-15);
  EXPECT_NEAR(separation(bar, {}, bar, {}).distance, -0.5, 1e-15);
  EXPECT_NEAR(separation(bar, {}, bar, {{3.0, 0.0}, 0.0}).distance, 0.5, 1e-15);
  EXPECT_NEAR(separation(bar, {}, disc, {{0.3, 0.0}, 0.0}).distance, -0.75, 1e-15);
  EXPECT_NEAR(separation(bar, {}, bar, {{0.2, 0.1}, std::numbers::pi / 2}).distance, -1.3, 1e-12);
}

TEST(PlanarDistance, OfSquaresTouchingAtFacesAndCorners) {
  const std::vector<Vector2d> corners{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const Shape square = Shape::polygon(corners);
  const Separation face = separation(square, {}, square, {{2.0, 0.5}, 0.0});
  EXPECT_NEAR(face.distance, 0.0, 1e-15);
  EXPECT_NEAR(face.normal.x(), 1.0, 1e-15);
  EXPECT_NEAR(face.point_a.y(), 0.25, 1e-12) << "the middle of what the faces share";
  EXPECT_NEAR(separation(square, {}, square, {{2.0, 2.0}, 0.0}).distance, 0.0, 1e-15);
  EXPECT_NEAR(separation(square, {}, square, {{2.0, 2.0 + 1e-9}, 0.0}).distance, 1e-9, 1e-15);
}

TEST(PlanarShape, RefusesBadInputByName) {
  EXPECT_THROW(Shape::circle(0.0), InvalidInput);
  EXPECT_THROW(Shape::capsule(0.1, -1.0), InvalidInput);
  EXPECT_THROW(Shape::circle(1.0, std::nan("")), InvalidInput);
  const std::vector<Vector2d> dented{{-1, -1}, {1, -1}, {0, 0}, {1, 1}, {-1, 1}};
  EXPECT_THROW(Shape::polygon(dented), InvalidInput);
  EXPECT_THROW(Shape::polygon(std::vector<Vector2d>{{0, 0}, {1, 0}}), InvalidInput);
}

}  // namespace
}  // namespace abut::planar

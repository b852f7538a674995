// The proven deviation of a smooth hull from a hull, against closed forms and dense sampling.
#include <abut/fitting/detail/solid.h>
#include <abut/fitting/support_deviation.h>
#include <gtest/gtest.h>
#include <support/poses.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "fit_samples.h"

namespace abut {
namespace {

// Points ±r along the axes with β near 2: almost a ball of radius r, h = r (Σ |x|^β)^(1/β).
SmoothHull near_ball(double radius) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 3; ++i) {
    points.push_back(radius * Vector3d::Unit(i));
    points.push_back(-radius * Vector3d::Unit(i));
  }
  return SmoothHull(points, 2.0 + 1e-9);
}

TEST(SupportDeviation, OfABallAndACubeIsKnown) {
  // A cube of half side 1: h_cube - h_ball is largest at a corner, √3 - r, and smallest at a face, 1 - r.
  const ConvexHull cube = samples::box_hull({1.0, 1.0, 1.0});
  for (const double radius : {0.9, 1.2, 1.7, 2.0}) {
    SCOPED_TRACE(testing::Message() << "radius " << radius);
    const SupportDeviation deviation = support_deviation(near_ball(radius), cube, Vector3d::Zero());
    const double inside = std::max(0.0, std::sqrt(3.0) - radius);
    const double outside = std::max(0.0, radius - 1.0);
    const double gap = 0.0101 * std::max(inside, outside) + 1e-8;
    EXPECT_GE(deviation.inside, inside - 1e-8);
    EXPECT_LE(deviation.inside, inside + gap);
    EXPECT_GE(deviation.outside, outside - 1e-8);
    EXPECT_LE(deviation.outside, outside + gap);
    EXPECT_EQ(deviation.largest(), std::max(deviation.inside, deviation.outside));
    const double scale = covering_scale(near_ball(radius), cube, Vector3d::Zero(), 1e-3).scale;
    EXPECT_GE(scale, std::sqrt(3.0) / radius - 1e-8);
    EXPECT_LE(scale, std::sqrt(3.0) / radius + 1.1e-3 * std::abs(std::sqrt(3.0) / radius - 1.0) + 1e-8);
  }
}

TEST(SupportDeviation, TheBoundsHoldInManyDirectionsAndAreTight) {
  for (const int seed : {1, 2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    samples::Random random(static_cast<std::uint64_t>(seed));
    const Vector3d radii(random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0));
    const ConvexHull hull = samples::ellipsoid_hull(radii, 60, random);
    std::vector<Vector3d> points;
    for (int i = 0; i < 12; ++i) points.push_back(radii.cwiseProduct(detail::even_direction(i, 12)));
    const SmoothHull shape(points, random.uniform(3.0, 60.0));
    const Vector3d center = hull.center();
    const SupportDeviation deviation = support_deviation(shape, hull, center);
    const double scale = covering_scale(shape, hull, center, 1e-3).scale;
    const auto sampled = samples::sampled_deviation(shape, hull, center, 100'000, random);
    EXPECT_GE(deviation.outside, sampled.outside);
    EXPECT_GE(deviation.inside, sampled.inside);
    EXPECT_GE(scale, sampled.largest_ratio);
    EXPECT_LE(deviation.largest(), 1.03 * std::max(sampled.outside, sampled.inside));
    EXPECT_LE(scale, sampled.largest_ratio + 0.03 * std::abs(sampled.largest_ratio - 1.0) + 1e-6);
    EXPECT_GE(deviation.seen, 0.97 * std::max(sampled.outside, sampled.inside));
    EXPECT_LE(deviation.largest(), 1.0101 * deviation.seen);
    EXPECT_LT(deviation.rms, deviation.largest());
    EXPECT_GT(deviation.rms, 0.0);
  }
}

TEST(SupportDeviation, TheScaleIsInfiniteWhereACentreIsNotInside) {
  const ConvexHull cube = samples::box_hull({1.0, 1.0, 1.0});
  const SmoothHull ahead({Vector3d(1, 0, 0), Vector3d(1, 1, 0), Vector3d(1, 0, 1), Vector3d(2, 0, 0)}, 5.0);
  EXPECT_TRUE(std::isinf(covering_scale(ahead, cube, Vector3d::Zero(), 1e-3).scale));
  EXPECT_TRUE(std::isinf(covering_scale(near_ball(1.0), cube, Vector3d(2, 0, 0), 1e-3).scale));
}

TEST(SupportDeviation, ShortfallsAreDirectionsInWhichTheHullReachesFarther) {
  const ConvexHull cube = samples::box_hull({1.0, 1.0, 1.0});
  const SmoothHull ball = near_ball(1.5);
  const CoveringScale cover = covering_scale(ball, cube, Vector3d::Zero(), 1e-2);
  ASSERT_GE(cover.shortfalls.size(), 8u);
  for (const Vector3d& direction : cover.shortfalls) {
    EXPECT_GT(samples::scanned_support(cube, Vector3d::Zero(), direction), 1.5);
  }
  // The largest is at a corner.
  EXPECT_NEAR(cover.shortfalls.front().cwiseAbs().minCoeff(), 1.0 / std::sqrt(3.0), 0.05);
}

TEST(SupportDeviation, TheVolumeOfABallAndOfASharpBoxAreMet) {
  EXPECT_NEAR(approximate_volume(near_ball(0.5)) / (std::numbers::pi / 6.0), 1.0, 2e-3);
  std::vector<Vector3d> corners;
  const ConvexHull box = samples::box_hull({0.3, 0.4, 0.5});
  for (const Vector3d& corner : box.vertices()) corners.push_back(corner);
  EXPECT_NEAR(approximate_volume(SmoothHull(corners, 2000.0)) / (8 * 0.3 * 0.4 * 0.5), 1.0, 5e-3);
}

TEST(Solid, KnowsTheVolumeTheCentreOfMassAndTheDepth) {
  const Vector3d center(3.0, -1.0, 2.0);
  const ConvexHull box = samples::box_hull({0.3, 0.4, 0.5}, center);
  const detail::SolidProperties solid = detail::solid_properties(box);
  EXPECT_NEAR(solid.volume, 0.48, 1e-12);
  EXPECT_LT((solid.center_of_mass - center).norm(), 1e-12);
  EXPECT_NEAR(detail::depth_in(box, center), 0.3, 1e-12);
  EXPECT_NEAR(detail::depth_in(box, center + Vector3d(0.0, 0.6, 0.0)), -0.2, 1e-12);
  EXPECT_NEAR(detail::reach_of(box, center), std::sqrt(0.5), 1e-12);
  // A tetrahedron's centre is the mean of its corners.
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const detail::SolidProperties tetrahedron = detail::solid_properties(ConvexHull::from_points(corners));
  EXPECT_NEAR(tetrahedron.volume, 1.0 / 6.0, 1e-15);
  EXPECT_LT((tetrahedron.center_of_mass - Vector3d::Constant(0.25)).norm(), 1e-15);
}

}  // namespace
}  // namespace abut

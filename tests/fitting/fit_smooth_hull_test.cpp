// Fits of smooth hulls: known shapes come back, the printed bounds hold, a conservative fit covers.
#include <abut/core/error.h>
#include <abut/fitting/detail/solid.h>
#include <abut/fitting/fit_smooth_hull.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/poses.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "fit_samples.h"

namespace abut {
namespace {

std::string error_of(const ConvexHull& hull, const FitOptions& options) {
  try {
    static_cast<void>(fit_smooth_hull(hull, options));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

// What every fit must satisfy, by brute force.
void expect_sound(const FitResult& fit, const ConvexHull& hull, std::uint64_t seed, int directions = 100'000) {
  samples::Random random(seed);
  const Vector3d center = fit.hull_from_shape.translation();
  EXPECT_EQ(fit.hull_from_shape, Pose(center));
  const auto sampled = samples::sampled_deviation(fit.shape, hull, center, directions, random);
  EXPECT_GE(fit.deviation.outside, sampled.outside);
  EXPECT_GE(fit.deviation.inside, sampled.inside);
  EXPECT_LE(fit.deviation.largest(), 1.0101 * fit.deviation.seen + 1e-8 * fit.size);
  // Random directions miss the peaks of a hull with thousands of faces by some per cent.
  EXPECT_LE(fit.deviation.largest(), 1.1 * std::max(sampled.outside, sampled.inside) + 1e-8 * fit.size);
  // The origin strictly inside the points: the support function is then twice differentiable.
  std::vector<Vector3d> points(fit.shape.points().begin(), fit.shape.points().end());
  const ConvexHull around = ConvexHull::from_points(points);
  ASSERT_EQ(around.dimension(), 3);
  EXPECT_GT(detail::depth_in(around, Vector3d::Zero()), 0.0);
  EXPECT_GT(fit.shape.sharpness(), 2.0);
}

TEST(FitSmoothHull, RecoversASmoothHullFromPointsOfItsSurface) {
  for (int seed = 1; seed <= (samples::kIsInstrumented ? 1 : 2); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    samples::Random random(static_cast<std::uint64_t>(seed));
    std::vector<Vector3d> points;
    for (int i = 0; i < 8; ++i) points.push_back(random.uniform(0.7, 1.0) * detail::even_direction(i, 8));
    const SmoothHull original(points, 6.0 + random.below(7));
    const ConvexHull hull = samples::surface_hull(original, samples::kIsInstrumented ? 5'000 : 10'000);
    const FitResult fit = fit_smooth_hull(hull, {.vertices = 8});
    EXPECT_EQ(fit.hull_from_shape, Pose());
    EXPECT_EQ(fit.shape.sharpness(), original.sharpness());
    // The points of the surface crowd at its corners and lie apart on its faces, where their hull lacks a little.
    for (int i = 0; i < (samples::kIsInstrumented ? 1'000 : 10'000); ++i) {
      const Vector3d direction = random.direction();
      ASSERT_NEAR(fit.shape.core_support(direction).dot(direction), original.core_support(direction).dot(direction),
                  1.5e-3)
          << direction.transpose();
    }
    expect_sound(fit, hull, 10, samples::kIsInstrumented ? 20'000 : 100'000);
    EXPECT_LT(fit.deviation.largest(), 4e-3);
    EXPECT_LT(fit.deviation.rms, 5e-4);
  }
}

TEST(FitSmoothHull, ACubeIsItsEightCornersAsSharpAsAllowed) {
  const ConvexHull cube = samples::box_hull({0.1, 0.1, 0.1});
  const FitResult fit = fit_smooth_hull(cube, {.vertices = 8});
  expect_sound(fit, cube, 11);
  EXPECT_EQ(fit.shape.points().size(), 8u);
  EXPECT_NEAR(fit.shape.sharpness(), kLargestFitSharpness, 1.0);
  EXPECT_NEAR(fit.size, 0.1 * std::sqrt(3.0), 1e-15);
  EXPECT_LT(fit.deviation.largest(), 0.005 * fit.size);
  EXPECT_NEAR(fit.volume_ratio, 1.0, 0.02);
  for (const Vector3d& point : fit.shape.points()) {
    EXPECT_NEAR(point.cwiseAbs().minCoeff(), 0.1, 2e-3);
    EXPECT_NEAR(point.cwiseAbs().maxCoeff(), 0.1, 2e-3);
  }
  // Much sharper still, where that is asked for.
  const FitResult sharper = fit_smooth_hull(cube, {.vertices = 8, .sharpness = 2000.0});
  EXPECT_EQ(sharper.shape.sharpness(), 2000.0);
  EXPECT_LT(sharper.deviation.largest(), 0.001 * fit.size);
}

TEST(FitSmoothHull, AnEllipsoidsPointsAreMetBetterTheMorePointsTheFitHas) {
  samples::Random random(5);
  const ConvexHull hull = samples::ellipsoid_hull({0.3, 0.2, 0.12}, 400, random);
  double last = std::numeric_limits<double>::infinity();
  for (const int vertices : {6, 20}) {
    SCOPED_TRACE(testing::Message() << vertices << " vertices");
    const FitResult fit = fit_smooth_hull(hull, {.vertices = vertices});
    expect_sound(fit, hull, 12);
    EXPECT_LT(fit.deviation.rms, last);
    last = fit.deviation.rms;
  }
  EXPECT_LT(last, 0.005 * 0.3);
}

TEST(FitSmoothHull, MorePointsThanTheHullHasVerticesDoNoHarm) {
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const ConvexHull tetrahedron = ConvexHull::from_points(corners);
  const FitResult four = fit_smooth_hull(tetrahedron, {.vertices = 4});
  const FitResult ten = fit_smooth_hull(tetrahedron, {.vertices = 10});
  expect_sound(four, tetrahedron, 13);
  expect_sound(ten, tetrahedron, 14);
  EXPECT_EQ(ten.shape.points().size(), 10u);
  EXPECT_LT(ten.deviation.rms, 1.1 * four.deviation.rms);
  EXPECT_LT(ten.deviation.largest(), 0.02 * ten.size);
}

TEST(FitSmoothHull, AConservativeFitCoversTheHull) {
  samples::Random random(6);
  const std::vector<std::pair<const char*, ConvexHull>> hulls{
      {"box", samples::box_hull({0.05, 0.1, 0.2})},
      {"sheet", samples::box_hull({0.005, 0.1, 0.2}, Vector3d(1.0, 2.0, 3.0))},
      {"ellipsoid", samples::ellipsoid_hull({0.3, 0.2, 0.12}, 200, random)},
      {"needle", samples::ellipsoid_hull({0.3, 0.02, 0.02}, 200, random)}};
  for (const auto& [name, hull] : hulls) {
    SCOPED_TRACE(name);
    const FitResult fit = fit_smooth_hull(hull, {.vertices = 12, .conservative = true});
    const FitResult free = fit_smooth_hull(hull, {.vertices = 12});
    expect_sound(fit, hull, 15);
    EXPECT_EQ(fit.deviation.inside, 0.0);
    const Vector3d center = fit.hull_from_shape.translation();
    for (int i = 0; i < (samples::kIsInstrumented ? 10'000 : 100'000); ++i) {
      const Vector3d direction = random.direction();
      ASSERT_GE(fit.shape.core_support(direction).dot(direction), samples::scanned_support(hull, center, direction))
          << direction.transpose();
    }
    for (const Vector3d& vertex : hull.vertices()) {
      const Vector3d direction = (vertex - center).normalized();
      ASSERT_GE(fit.shape.core_support(direction).dot(direction), (vertex - center).norm()) << vertex.transpose();
    }
    EXPECT_LE(covering_scale(fit.shape, hull, center, 1e-3).scale, 1.0 + 1e-8);
    // No looser than the free fit, scaled; the search looks at the mean over other directions.
    const double scale = covering_scale(free.shape, hull, center, 1e-3).scale;
    std::vector<Vector3d> scaled;
    for (const Vector3d& point : free.shape.points()) scaled.push_back(scale * point);
    const SmoothHull naive(scaled, free.shape.sharpness());
    EXPECT_LT(fit.deviation.rms, 1.03 * support_deviation(naive, hull, center).rms);
    EXPECT_GT(fit.volume_ratio, 1.0);
    EXPECT_LT(fit.deviation.outside, 0.1 * fit.size);
  }
}

TEST(FitSmoothHull, TheFitLiesWhereTheHullLies) {
  // The hull's own origin serves while it is deep enough inside.
  const FitResult near = fit_smooth_hull(samples::box_hull({0.1, 0.2, 0.3}, {0.02, 0.0, 0.0}), {.vertices = 8});
  EXPECT_EQ(near.hull_from_shape, Pose());
  expect_sound(near, samples::box_hull({0.1, 0.2, 0.3}, {0.02, 0.0, 0.0}), 16);
  for (const Vector3d& center : {Vector3d(0.08, 0.0, 0.0), Vector3d(5.0, -3.0, 1.0)}) {
    const ConvexHull hull = samples::box_hull({0.1, 0.2, 0.3}, center);
    const FitResult far = fit_smooth_hull(hull, {.vertices = 8});
    EXPECT_LT((far.hull_from_shape.translation() - center).norm(), 1e-12);
    expect_sound(far, hull, 17);
  }
}

TEST(FitSmoothHull, TheSameInputGivesTheSameBits) {
  samples::Random random(7);
  const ConvexHull hull = samples::ellipsoid_hull({0.3, 0.2, 0.12}, 50, random);
  for (const bool conservative : {false, true}) {
    const FitOptions options{.vertices = 10, .conservative = conservative};
    const FitResult once = fit_smooth_hull(hull, options);
    const FitResult again = fit_smooth_hull(hull, options);
    EXPECT_EQ(once.shape.sharpness(), again.shape.sharpness());
    for (std::size_t i = 0; i < once.shape.points().size(); ++i) {
      EXPECT_EQ(once.shape.points()[i], again.shape.points()[i]);
    }
    EXPECT_EQ(once.deviation.largest(), again.deviation.largest());
    EXPECT_EQ(once.volume_ratio, again.volume_ratio);
  }
}

TEST(FitSmoothHull, TheUnitDoesNotMatter) {
  const FitResult large = fit_smooth_hull(samples::box_hull({1.0, 2.0, 3.0}), {.vertices = 9});
  const FitResult small = fit_smooth_hull(samples::box_hull({1e-3, 2e-3, 3e-3}), {.vertices = 9});
  EXPECT_NEAR(small.deviation.largest() * 1e3 / large.deviation.largest(), 1.0, 0.02);
  EXPECT_NEAR(small.shape.sharpness() / large.shape.sharpness(), 1.0, 0.01);
}

TEST(FitSmoothHull, RandomHullsAreFittedAlsoWithFewPoints) {
  const int seeds = samples::kIsInstrumented ? 2 : 10;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    samples::Random random(static_cast<std::uint64_t>(100 + seed));
    std::vector<Vector3d> points;
    const Vector3d scale(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0), random.uniform(0.1, 1.0));
    for (int i = 0; i < 15; ++i) points.push_back(scale.cwiseProduct(random.vector(-1.0, 1.0)));
    const ConvexHull hull = ConvexHull::from_points(points);
    const FitResult fit = fit_smooth_hull(hull, {.vertices = seed % 2 == 0 ? 4 : 7});
    expect_sound(fit, hull, 18, 20'000);
    EXPECT_LT(fit.deviation.rms, 0.2 * fit.size);
  }
}

TEST(FitSmoothHull, TheLargestSharpnessIsFittedAndALargerOneNamed) {
  const ConvexHull cube = samples::box_hull(Vector3d(1.0, 1.0, 1.0));
  const FitResult fit = fit_smooth_hull(cube, {.vertices = 8, .sharpness = kLargestGivenSharpness});
  EXPECT_LT(fit.deviation.largest(), 1e-3);
  EXPECT_NEAR(fit.volume_ratio, 1.0, 0.01);
  EXPECT_EQ(error_of(cube, {.sharpness = 1e30}), "sharpness: must be <= 1e12, got 1e+30");
}

TEST(FitSmoothHull, HullsOfEverySizeOfTheRangeAreFittedAndOthersNamed) {
  const auto box = [](double size) { return samples::box_hull(size * Vector3d(0.48, 0.6, 0.64)); };
  const FitResult unit = fit_smooth_hull(box(1.0), {.vertices = 8, .sharpness = 20.0});
  for (const double size : {1.01 * kLeastFitSize, 1e-30, 1e30, 0.99 * kLargestFitSize}) {
    SCOPED_TRACE(size);
    const FitResult fit = fit_smooth_hull(box(size), {.vertices = 8, .sharpness = 20.0});
    EXPECT_NEAR(fit.volume_ratio, unit.volume_ratio, 1e-3);
    EXPECT_NEAR(fit.deviation.largest() / size, unit.deviation.largest(), 0.1 * unit.deviation.largest());
  }
  for (const double size : {1e-150, 1e-100, 1e100, 1e200}) {
    SCOPED_TRACE(size);
    const std::string error = error_of(box(size), {});
    EXPECT_EQ(error.rfind("hull: must reach from 1e-60 to 1e60 metres from its centre, got ", 0), 0u) << error;
  }
}

TEST(FitSmoothHull, RefusesWhatCannotBeFittedAndSaysWhy) {
  const ConvexHull cube = samples::box_hull({1.0, 1.0, 1.0});
  EXPECT_EQ(error_of(cube, {.vertices = 3}), "vertices: must be 4 to 200, got 3");
  EXPECT_EQ(error_of(cube, {.vertices = 201}), "vertices: must be 4 to 200, got 201");
  EXPECT_EQ(error_of(cube, {.sharpness = 2.0}), "sharpness: must be finite and > 2, got 2");
  EXPECT_EQ(error_of(cube, {.sharpness = std::nan("")}), "sharpness: must be finite and > 2, got nan");
  const std::vector<Vector3d> flat{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  EXPECT_EQ(error_of(ConvexHull::from_points(flat), {}), "hull: must be solid to be fitted, but it is flat");
  EXPECT_EQ(error_of(ConvexHull::from_points({flat.data(), 2}), {}),
            "hull: must be solid to be fitted, but it is a segment");
  EXPECT_EQ(error_of(ConvexHull::from_points({flat.data(), 1}), {}),
            "hull: must be solid to be fitted, but it is a single point");
  EXPECT_EQ(error_of(samples::box_hull({1.0, 1.0, 1e-4}), {}).rfind("hull: must be thicker to be fitted", 0), 0u);
}

}  // namespace
}  // namespace abut

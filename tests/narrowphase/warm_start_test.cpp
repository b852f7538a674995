// The memory of a pair saves iterations and never changes the answer.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/placed_pair.h>
#include <support/random_shapes.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

constexpr std::array kStrategies{WarmStart::none, WarmStart::obb, WarmStart::previous, WarmStart::transformed_previous};

TEST(WarmStart, ChangesNoAnswerBeyondItsErrorBound) {
  for (std::uint32_t kind_a = 0; kind_a < 12; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < 12; ++kind_b) {
      Random random(7 + 100 * kind_a + kind_b);
      const Shape a = samples::random_shape(static_cast<ShapeKind>(kind_a), 1.0, random);
      const Shape b = samples::random_shape(static_cast<ShapeKind>(kind_b), 1.0, random);
      const Pose pose_a = random.pose(1.0);
      Pose pose_b = random.pose(1.5);
      std::array<PairCache, kStrategies.size()> caches;
      for (int frame = 0; frame < 8; ++frame) {
        SCOPED_TRACE(testing::Message() << a.type_name() << " against " << b.type_name() << ", frame " << frame);
        const Separation cold = distance(a, pose_a, b, pose_b);
        for (std::size_t k = 0; k < kStrategies.size(); ++k) {
          DistanceOptions options;
          options.warm_start = kStrategies[k];
          const Separation warm = distance(a, pose_a, b, pose_b, options, &caches[k]);
          EXPECT_NEAR(warm.distance, cold.distance, 1e-9 + cold.distance_error + warm.distance_error);
          if (warm.solver == Solver::automatic) continue;  // a closed form needs no memory
          EXPECT_TRUE(caches[k].has_solution);
          EXPECT_NEAR(caches[k].normal_a.norm(), 1.0, 1e-9);
        }
        const Pose step(0.05 * random.vector(-1, 1), Quaterniond(Eigen::AngleAxisd(0.05, random.direction())));
        pose_b = pose_b * step;
      }
    }
  }
}

// Bodies on a grid that lie in each other have several directions that are as deep.
TEST(WarmStart, KeepsTheNormalWhereSeveralAreAsDeep) {
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) corners.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  const std::array<Shape, 4> shapes = {Shape(ConvexHull::from_points(corners)), Shape(Box({0.5, 0.5, 0.5})),
                                       Shape(Sphere(0.5)), Shape(Capsule(0.25, 0.5))};
  Random random(43);
  int overlapping = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 300 : 2000); ++i) {
    SCOPED_TRACE(i);
    const Shape& a = shapes[random.below(4)];
    const Shape& b = shapes[random.below(4)];
    Vector3d offset;
    for (int k = 0; k < 3; ++k) offset[k] = 0.25 * (static_cast<double>(random.below(5)) - 2.0);
    const Quaterniond turn(Eigen::AngleAxisd(0.5 * std::numbers::pi * static_cast<double>(random.below(4)),
                                             Vector3d::Unit(static_cast<Eigen::Index>(random.below(3)))));
    PairCache cache;
    const Separation first = distance(a, Pose(), b, Pose(offset, turn), {}, &cache);
    if (!(first.distance < 0.0)) continue;
    ++overlapping;
    for (int frame = 1; frame < 6; ++frame) {
      const Separation next = distance(a, Pose(), b, Pose(offset, turn), {}, &cache);
      ASSERT_LT((next.normal - first.normal).norm(), 1e-9) << a.type_name() << ' ' << b.type_name();
      ASSERT_NEAR(next.distance, first.distance, 1e-12);
      ASSERT_NEAR((next.point_b - next.point_a).dot(next.normal), next.distance, 1e-12);
      ASSERT_NEAR((next.point_b - next.point_a - next.distance * next.normal).norm(), 0.0, 1e-9);
    }
  }
  EXPECT_GT(overlapping, samples::kIsInstrumented ? 150 : 1000);
}

TEST(WarmStart, SavesIterationsOnCoherentMotion) {
  Random random(31);
  int cold_iterations = 0;
  int warm_iterations = 0;
  for (int pair = 0; pair < 50; ++pair) {
    const Shape a(samples::random_hull(300, 0.5, random));
    const Shape b(samples::random_hull(300, 0.5, random));
    Pose pose(Vector3d(1.3, 0, 0), random.rotation());
    PairCache cache;
    for (int frame = 0; frame < 20; ++frame) {
      pose = pose * Pose(1e-3 * random.direction(), Quaterniond(Eigen::AngleAxisd(0.005, random.direction())));
      warm_iterations += distance(a, Pose(), b, pose, {}, &cache).iterations;
      cold_iterations += distance(a, Pose(), b, pose).iterations;
    }
  }
  EXPECT_LT(warm_iterations, cold_iterations);
}

TEST(WarmStart, SurvivesACacheOfAnotherPair) {
  Random random(32);
  PairCache cache;
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 1.0, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 1.0, random);
    const Pose pose_a = random.pose(1.0);
    const Pose pose_b = random.pose(1.0);
    DistanceOptions options;
    options.warm_start = random.chance(0.5) ? WarmStart::previous : WarmStart::transformed_previous;
    const Separation fresh = distance(a, pose_a, b, pose_b);
    const Separation stale = distance(a, pose_a, b, pose_b, options, &cache);
    EXPECT_NEAR(fresh.distance, stale.distance, 1e-9 + fresh.distance_error + stale.distance_error);
  }
}

// The last normal is still one of a least depth, but of the far side.
TEST(WarmStart, FindsTheNearSideOfABodyThatWasPassedThrough) {
  Random random(33);
  const Shape capsule(Capsule(0.1, 0.375));
  const Quaterniond across(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitX()));
  for (int trial = 0; trial < 5000; ++trial) {
    const double shortest = random.uniform(0.3, 1.0);
    const auto longer = [&] { return shortest * (1.0 + 0.01 * random.below(40)); };
    const Shape ellipsoid(Ellipsoid({longer(), longer(), shortest}));
    const double offset = shortest * random.uniform(0.05, 0.6);
    const Pose before({0.0, offset, 0.0}, across);
    const Pose now({0.0, -offset, 0.0}, across);
    PairCache cache;
    static_cast<void>(distance(capsule, Pose(), ellipsoid, before, {}, &cache));
    const Separation cold = distance(capsule, Pose(), ellipsoid, now);
    const Separation warm = distance(capsule, Pose(), ellipsoid, now, {}, &cache);
    EXPECT_NEAR(warm.distance, cold.distance, 1e-9 + cold.distance_error + warm.distance_error) << "trial " << trial;
  }
}

// Of cores that a stale memory takes for overlapping, few iterations tell little: no more may be claimed.
TEST(WarmStart, KeepsToItsErrorBoundWhereIterationsRunOut) {
  Random random(34);
  for (int trial = 0; trial < (samples::kIsInstrumented ? 500 : 5000); ++trial) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 1.0, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 1.0, random);
    const double gap = random.uniform(-0.01, 0.01);
    const Pose pose = random.chance(0.5) ? random.pose(1.0) : samples::placed(a, b, gap, random);
    PairCache cache;
    cache.has_solution = true;
    cache.cores_overlap = true;
    cache.normal_a = random.direction();
    DistanceOptions options;
    options.max_iterations = 1 + static_cast<int>(random.below(4));
    const Separation exact = distance(a, Pose(), b, pose);
    const Separation found = distance(a, Pose(), b, pose, options, &cache);
    EXPECT_NEAR(found.distance, exact.distance, 1e-12 + exact.distance_error + found.distance_error)
        << "trial " << trial << ", " << a.type_name() << " and " << b.type_name() << ", iterations "
        << options.max_iterations;
  }
}

TEST(WarmStart, ACacheThatNoSolverLeftStartsCold) {
  Random random(51);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
    const Shape b = samples::random_shape(kind % 2 == 0 ? ShapeKind::convex_hull : ShapeKind::ellipsoid, 1.0, random);
    const Pose pose_a = random.pose(1.0);
    const Pose pose_b = random.pose(2.0);
    const Separation cold = distance(a, pose_a, b, pose_b);
    for (const Vector3d& normal : {Vector3d(0, 0, 0), Vector3d(1e200, kNan, 0), Vector3d(3, 4, 5), Vector3d(1, 0, 0)}) {
      for (const Vector3d& point : {Vector3d(1, 2, 3), Vector3d(0, kNan, 0), Vector3d(1e300, 0, 0)}) {
        for (const WarmStart start : kStrategies) {
          SCOPED_TRACE(testing::Message()
                       << a.type_name() << ", normal " << normal.transpose() << ", point " << point.transpose());
          PairCache cache;
          cache.has_solution = true;
          cache.normal_a = normal;
          cache.point_a = point;
          PairCache same = cache;
          DistanceOptions options;
          options.warm_start = start;
          const Separation warm = distance(a, pose_a, b, pose_b, options, &cache);
          EXPECT_NEAR(warm.distance, cold.distance, 1e-9 + cold.distance_error + warm.distance_error);
          if (std::abs(cold.distance) < 1e-6) continue;
          EXPECT_EQ(collides(a, pose_a, b, pose_b, 0.0, options, &same), cold.distance <= 0.0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace abut

// Smooth bodies against polytopes, cylinders and cones: the planes of the features.
#include <gtest/gtest.h>
#include <narrowphase/feature_pair_checks.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <utility>
#include <vector>

namespace abut {
namespace {

using samples::Effort;
using samples::log_uniform;
using samples::Random;

/// @param least  Of its lengths, metres.
Shape any_smooth(Random& random, double least) {
  const auto length = [&] { return log_uniform(least, 1.0, random); };
  const double margin = random.chance(0.2) ? 0.05 : 0.0;
  switch (random.below(5)) {
    case 0:
      return Shape(Superquadric({length(), length(), length()}, {random.uniform(1.0, 1.7), random.uniform(1.0, 1.7)}),
                   margin);
    case 1: {
      std::vector<Vector3d> points;
      for (int i = 0; i < 8; ++i) {
        points.push_back(length() * random.direction());
        points.push_back(-points.back());
      }
      return Shape(SmoothHull(std::move(points), random.uniform(3.0, 12.0)), margin);
    }
    case 2: {
      const double radius = length();
      const double half_length = length();
      return Shape(SmoothRevolution({{0.3 * radius, half_length}, {radius, 0.0}, {0.6 * radius, -half_length}},
                                    random.uniform(3.0, 12.0), 0.05),
                   margin);
    }
    default:
      return Shape(Ellipsoid({length(), length(), length()}), margin);
  }
}

/// Some are flat.
Shape any_other(Random& random, double least) {
  const auto length = [&] { return random.chance(0.03) ? 0.0 : log_uniform(least, 1.0, random); };
  const double margin = random.chance(0.2) ? 0.05 : 0.0;
  switch (random.below(7)) {
    case 0: {
      const double half_length = length();
      return Shape(Cylinder(log_uniform(least, 1.0, random), half_length), margin);
    }
    case 1: {
      const double half_length = length();
      return Shape(Cone(log_uniform(least, 1.0, random), half_length), margin);
    }
    case 2:
      return Shape(Capsule(0.1, length()), margin);
    case 3:
      return Shape(samples::random_hull(20, 0.5, random), margin);
    case 4: {
      const double x = log_uniform(least, 1.0, random);
      const double y = log_uniform(least, 1.0, random);
      const std::vector<Eigen::Vector2d> corners = {{-x, -y}, {x, -0.5 * y}, {1.2 * x, 0.6 * y}, {-0.4 * x, y}};
      return Shape(PaddedPolygon(corners, 0.05), margin);
    }
    case 5:
      return Shape(Triangle({0.5 * random.direction(), 0.5 * random.direction(), 0.5 * random.direction()}), margin);
    default:
      return Shape(
          Box({log_uniform(least, 1.0, random), log_uniform(least, 1.0, random), log_uniform(least, 1.0, random)}),
          margin);
  }
}

Effort compare(int trials, double least, Random& random, const samples::Placement& place) {
  return samples::compare_with_gjk(
      trials, [&] { return any_smooth(random, least); }, [&] { return any_other(random, least); }, random, place);
}

TEST(SmoothFeatures, AnswerAsGjkAndEpaDoInLess) {
  Random random(50);
  const int trials = samples::kIsInstrumented ? 1'000 : 20'000;
  const Effort effort = compare(trials, 0.05, random, samples::anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 4);
  EXPECT_LT(2.0 * effort.iterations, effort.without);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(SmoothFeatures, AnswerAsGjkAndEpaDoWhereTheyAreThin) {
  Random random(51);
  const int trials = samples::kIsInstrumented ? 1'000 : 20'000;
  const Effort effort = compare(trials, 0.002, random, samples::anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 6);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(SmoothFeatures, AnswerAsGjkAndEpaDoWhereTheyHardlyTouch) {
  Random random(52);
  const int trials = samples::kIsInstrumented ? 1'000 : 10'000;
  const Effort effort = compare(trials, 0.05, random, samples::hardly_touching(random));
  EXPECT_GT(effort.overlapping, trials / 2);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

}  // namespace
}  // namespace abut

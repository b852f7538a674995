// Cylinders and cones against polytopes and each other: the closed forms of their features.
#include <gtest/gtest.h>
#include <narrowphase/feature_pair_checks.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/random.h>
#include <support/random_shapes.h>

namespace abut {
namespace {

using samples::Effort;
using samples::log_uniform;
using samples::Random;

/// Some are discs, some have a margin. @param least  Of its lengths, metres.
Shape any_frustum(Random& random, double least) {
  const double radius = log_uniform(least, 1.0, random);
  const double half_length = random.chance(0.1) ? 0.0 : log_uniform(least, 1.0, random);
  const double margin = random.chance(0.3) ? 0.05 : 0.0;
  if (random.chance(0.5)) return Shape(Cylinder(radius, half_length), margin);
  return Shape(Cone(radius, half_length), margin);
}

Shape any_other(Random& random, double least) {
  const auto length = [&] { return log_uniform(least, 1.0, random); };
  switch (random.below(6)) {
    case 0:
      return Shape(Box({length(), length(), length()}));
    case 1:
      return Shape(Capsule(0.1, length()));
    case 2:
      return Shape(samples::random_hull(20, 0.5, random));
    case 3:
      return Shape(Triangle({0.5 * random.direction(), 0.5 * random.direction(), 0.5 * random.direction()}));
    default:
      return any_frustum(random, least);
  }
}

Effort compare(int trials, double least, Random& random, const samples::Placement& place) {
  return samples::compare_with_gjk(
      trials, [&] { return any_frustum(random, least); }, [&] { return any_other(random, least); }, random, place);
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoInLess) {
  Random random(40);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.02, random, samples::anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 4);
  EXPECT_LT(2.0 * effort.iterations, effort.without);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoWhereTheyAreThin) {
  Random random(41);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.0005, random, samples::anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 6);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoWhereTheyHardlyTouch) {
  Random random(42);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.02, random, samples::hardly_touching(random));
  EXPECT_GT(effort.overlapping, trials / 2);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

}  // namespace
}  // namespace abut

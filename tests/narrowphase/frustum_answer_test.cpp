// Cylinders and cones against polytopes and each other, from cold starts: the answers of their features' closed forms
// against those of GJK and EPA alone, and against support values along the normal.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/placed_pair.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>

namespace abut {
namespace {

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

/// At random, or with axes along each other or at right angles.
Quaterniond any_rotation(Random& random) {
  if (!random.chance(0.2)) return random.rotation();
  const double quarters = random.below(4);
  return Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi * quarters, Vector3d::Unit(random.below(3))));
}

struct Effort {
  int iterations = 0;
  int without = 0;  ///< Closed forms.
  int unproven = 0;
  int unproven_without = 0;
  int overlapping = 0;
};

/// Of b in the frame of a.
using Placement = std::function<Pose(const Shape& a, const Shape& b)>;

Effort compare(int trials, double least, Random& random, const Placement& place) {
  Effort effort;
  DistanceOptions gjk;
  gjk.solver = Solver::gjk;
  for (int trial = 0; trial < trials; ++trial) {
    Shape a = any_frustum(random, least);
    Shape b = any_other(random, least);
    if (random.chance(0.5)) std::swap(a, b);
    const Pose pose = place(a, b);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ": " << a.type_name() << " against " << b.type_name());
    const Separation found = distance(a, Pose(), b, pose);
    const Separation expected = distance(a, Pose(), b, pose, gjk);
    effort.iterations += found.iterations;
    effort.without += expected.iterations;
    effort.unproven += found.status == SolveStatus::converged ? 0 : 1;
    effort.unproven_without += expected.status == SolveStatus::converged ? 0 : 1;
    effort.overlapping += found.distance < 0.0 ? 1 : 0;

    EXPECT_NEAR(found.distance, expected.distance, 2e-12 + found.distance_error + expected.distance_error);
    if (found.status != SolveStatus::converged) continue;
    const Vector3d& n = found.normal;
    const double along = n.dot(pose * support(b, pose.unrotate(-n)) - support(a, n));
    EXPECT_NEAR(along, found.distance, 1e-11 + found.distance_error);
    const Vector3d apart = found.point_b - found.point_a;
    EXPECT_NEAR(apart.dot(n), found.distance, 1e-10);
    EXPECT_LT((apart - found.distance * n).norm(), 2e-5);
    if (testing::Test::HasFailure()) return effort;
  }
  return effort;
}

Placement anywhere(Random& random) {
  return [&random](const Shape&, const Shape&) {
    return Pose(random.uniform(0.0, 1.2) * random.direction(), any_rotation(random));
  };
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoInLess) {
  Random random(40);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.02, random, anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 4);
  EXPECT_LT(2.0 * effort.iterations, effort.without);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoWhereTheyAreThin) {
  Random random(41);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.0005, random, anywhere(random));
  EXPECT_GT(effort.overlapping, trials / 6);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

TEST(FrustumPairs, AnswerAsGjkAndEpaDoWhereTheyHardlyTouch) {
  Random random(42);
  const int trials = samples::kIsInstrumented ? 2'000 : 40'000;
  const Effort effort = compare(trials, 0.02, random, [&random](const Shape& a, const Shape& b) {
    return samples::placed(a, b, (random.chance(0.3) ? 1.0 : -1.0) * log_uniform(1e-11, 1e-8, random), random);
  });
  EXPECT_GT(effort.overlapping, trials / 2);
  EXPECT_LE(effort.unproven, effort.unproven_without + trials / 1'000);
}

}  // namespace
}  // namespace abut

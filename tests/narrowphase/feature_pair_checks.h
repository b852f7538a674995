// Pairs that are answered by the planes of their features, from cold starts: against GJK and EPA alone, and against
// support values along the normal.
#pragma once

#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/log_uniform.h>
#include <support/placed_pair.h>
#include <support/random.h>

#include <functional>
#include <numbers>
#include <utility>

namespace abut::samples {

/// At random, or with axes along each other or at right angles.
inline Quaterniond any_rotation(Random& random) {
  if (!random.chance(0.2)) return random.rotation();
  const double quarters = random.below(4);
  return Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi * quarters, Vector3d::Unit(random.below(3))));
}

/// Of b in the frame of a.
using Placement = std::function<Pose(const Shape& a, const Shape& b)>;

inline Placement anywhere(Random& random) {
  return [&random](const Shape&, const Shape&) {
    return Pose(random.uniform(0.0, 1.2) * random.direction(), any_rotation(random));
  };
}
/// So near to touching that most of the distance is rounding for some solvers.
inline Placement hardly_touching(Random& random) {
  return [&random](const Shape& a, const Shape& b) {
    return placed(a, b, (random.chance(0.3) ? 1.0 : -1.0) * log_uniform(1e-11, 1e-8, random), random);
  };
}

struct Effort {
  int iterations = 0;
  int without = 0;  ///< Features.
  int unproven = 0;
  int unproven_without = 0;
  int overlapping = 0;
};

/// @param first, second  Each makes one shape of a pair, which may be a or b.
inline Effort compare_with_gjk(int trials, const std::function<Shape()>& first, const std::function<Shape()>& second,
                               Random& random, const Placement& place) {
  Effort effort;
  DistanceOptions gjk;
  gjk.solver = Solver::gjk;
  for (int trial = 0; trial < trials; ++trial) {
    Shape a = first();
    Shape b = second();
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

}  // namespace abut::samples

// The closed form of a box and a triangle: depths that prove themselves, needles and parallel edges, what it leaves to
// others.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/closed_checks.h>
#include <support/poses.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace abut {
namespace {

using detail::closed_collides;
using detail::ClosedAnswer;
using detail::separate_closed;
using samples::at;
using samples::closed_violation;
using samples::Random;
using samples::tiny;
using samples::turned_at;

constexpr double kFar = std::numeric_limits<double>::infinity();

using Corners = std::array<Vector3d, 3>;

Corners scaled(Corners corners, double scale) {
  for (Vector3d& corner : corners) corner *= scale;
  return corners;
}

double depth_by_gjk(const Box& box, double margin, const Triangle& triangle, const Pose& pose) {
  DistanceOptions options;
  options.solver = Solver::gjk;
  return distance(Shape(box, margin), Pose(), triangle, pose, options).distance;
}

TEST(ClosedBoxTriangle, OneCornerInAFace) {
  const Triangle triangle({Vector3d(0, 0, 0.75), Vector3d(1, 0, 3), Vector3d(-1, 0.5, 3)});
  const Separation s = separate_closed(Box({1, 1, 1}), 0.0, triangle, 0.0, Pose(), kFar).value();
  EXPECT_DOUBLE_EQ(s.distance, -0.25);
  EXPECT_EQ(s.normal, Vector3d(0, 0, 1));
  EXPECT_LE((s.point_a - Vector3d(0, 0, 1)).norm(), 1e-15);
  EXPECT_LE((s.point_b - Vector3d(0, 0, 0.75)).norm(), 1e-15);
}

TEST(ClosedBoxTriangle, AFaceOnAnotherAndACornerBelowTheTriangle) {
  const Triangle level({Vector3d(-3, -3, 0.9), Vector3d(3, -3, 0.9), Vector3d(0, 4, 0.9)});
  const Separation flat = separate_closed(Box({1, 1, 1}), 0.0, level, 0.0, Pose(), kFar).value();
  EXPECT_DOUBLE_EQ(flat.distance, 0.9 - 1.0);
  EXPECT_EQ(closed_violation(Box({1, 1, 1}), level, Pose(), flat, 1e-12), "") << "the triangle's normal is as good";

  const Pose stands(Vector3d::Zero(), Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d::UnitZ()));
  const Separation tip =
      separate_closed(Box({1, 1, 1}), 0.0, level, 0.0, stands.inverse() * at(0, 0, 0.5), kFar).value();
  EXPECT_NEAR(tip.distance, 1.4 - std::sqrt(3.0), 1e-14);
  EXPECT_LE((stands.rotate(tip.normal) - Vector3d::UnitZ()).norm(), 1e-15);
}

TEST(ClosedBoxTriangle, ProvesRandomDepthsAtAllSizesAndWithMargins) {
  Random random(61);
  int overlaps = 0;
  int unanswered = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double scale = std::pow(10.0, random.uniform(-20.0, 20.0));
    const Box box(scale * random.vector(0.05, 1.0));
    const Triangle triangle(scaled({random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1)}, scale));
    const Pose pose = turned_at(scale * random.vector(-0.8, 0.8), random);
    const double margin = random.chance(0.5) ? 0.1 * scale : 0.0;
    const std::optional<Separation> s = separate_closed(box, margin, triangle, 0.5 * margin, pose, kFar);
    const double depth = depth_by_gjk(box, 1.5 * margin, triangle, pose);
    if (!s) {
      unanswered += depth + 1.5 * margin < 0.0 ? 1 : 0;
      continue;
    }
    ++overlaps;
    ASSERT_EQ(closed_violation(Shape(box, margin), Shape(triangle, 0.5 * margin), pose, *s, 1e-12 * scale), "");
    ASSERT_NEAR(s->distance, depth, 1e-11 * scale);
  }
  EXPECT_GT(overlaps, 1500);
  EXPECT_LT(unanswered, 40);
}

// Corners on a grid, needles of all widths, edges parallel to the box's but for noise of every order.
TEST(ClosedBoxTriangle, IsAsDeepAsEpaFindsItWhereFeaturesAreParallel) {
  Random random(62);
  int overlaps = 0;
  for (int round = 0; round < 6000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box box(random.chance(0.3) ? Vector3d(0.5, 0.5, 0.5) : random.vector(0.05, 1.0));
    Corners corners{random.vector(-1.5, 1.5), random.vector(-1.5, 1.5), random.vector(-1.5, 1.5)};
    if (random.chance(0.5)) {
      for (Vector3d& corner : corners) corner = (4.0 * corner).array().round() / 4.0;
    }
    if (random.chance(0.3)) {
      corners[2] = corners[0] + random.uniform(0.0, 1.0) * (corners[1] - corners[0]);
      corners[2] += tiny(random, -18.0, 0.0) * random.direction();
    }
    const Eigen::AngleAxisd noise(tiny(random, -17.0, -1.0), random.direction());
    const Pose pose((4.0 * random.vector(-0.5, 0.5)).array().round().matrix() / 4.0, Quaterniond(noise));
    const Triangle triangle(corners);
    const std::optional<Separation> s = separate_closed(box, 0.0, triangle, 0.0, pose, kFar);
    if (!s) continue;
    ++overlaps;
    DistanceOptions options;
    options.solver = Solver::gjk;
    const Separation by_epa = distance(box, Pose(), triangle, pose, options);
    ASSERT_LE(std::abs(s->distance - by_epa.distance), s->distance_error + by_epa.distance_error);
    ASSERT_LE(s->distance_error, 1e-11);
  }
  EXPECT_GT(overlaps, 2000);
}

TEST(ClosedBoxTriangle, SaysYesAndNoAndLeavesWhatIsApartWithinTheLimit) {
  Random random(63);
  int decided = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box box(random.vector(0.05, 1.0));
    const Triangle triangle({random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1)});
    const Pose pose = turned_at(random.vector(-2.0, 2.0), random);
    const double limit = random.chance(0.5) ? 0.0 : random.uniform(0.0, 0.5);
    DistanceOptions options;
    options.solver = Solver::gjk;
    const double distance_by_gjk = distance(box, Pose(), triangle, pose, options).distance;
    const std::optional<Separation> s = separate_closed(box, 0.0, triangle, 0.0, pose, limit);
    if (s && s->status == SolveStatus::beyond_limit) {
      ASSERT_GT(s->distance, limit);
      ASSERT_LE(s->distance, distance_by_gjk + 1e-12);
      ASSERT_LE(distance_by_gjk, s->distance + s->distance_error + 1e-12);
    } else if (s) {
      ASSERT_NEAR(s->distance, distance_by_gjk, 1e-11);
    } else {
      ASSERT_GT(distance_by_gjk, -1e-9) << "an overlap";
    }
    const ClosedAnswer answer = closed_collides(box, 0.0, triangle, 0.0, pose, limit);
    decided += answer != ClosedAnswer::undecided ? 1 : 0;
    ASSERT_TRUE(answer != ClosedAnswer::apart || distance_by_gjk > limit - 1e-12);
    ASSERT_TRUE(answer != ClosedAnswer::colliding || distance_by_gjk <= limit + 1e-12);
  }
  EXPECT_GT(decided, 3000);
}

TEST(ClosedBoxTriangle, LeavesSizesWhoseSquaresVanishOrOverflowToOthers) {
  for (const double scale : {1e-160, 1e-90, 1e90}) {
    SCOPED_TRACE(scale);
    const Box box(scale * Vector3d(1, 1, 1));
    const Triangle triangle(scaled({Vector3d(0, 0, 0.75), Vector3d(1, 0, 3), Vector3d(-1, 0.5, 3)}, scale));
    EXPECT_FALSE(separate_closed(box, 0.0, triangle, 0.0, Pose(), kFar));
    EXPECT_EQ(closed_collides(box, 0.0, triangle, 0.0, Pose(), 0.0), ClosedAnswer::undecided);
    EXPECT_NEAR(distance(box, Pose(), triangle, Pose()).distance / scale, -0.25, 1e-6);
  }
}

}  // namespace
}  // namespace abut

// The planes that may carry the answer of a cylinder and another body: what they claim of the directions around their
// normals, against support values; and pairs that ask them, deep in each other, against cold starts.
#include <abut/core/pose.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/remembered_cylinder.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/placed_pair.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

namespace abut {
namespace {

using detail::PlacedCylinder;
using detail::PlaneGuess;
using samples::Random;

/// A number over orders of magnitude.
double spread(Random& random, double least, double most) {
  return least * std::pow(most / least, random.uniform(0.0, 1.0));
}

PlacedCylinder any_cylinder(Random& random) {
  const Cylinder cylinder(spread(random, 0.02, 1.0), spread(random, 0.02, 1.0));
  return PlacedCylinder(cylinder, Pose(0.3 * random.direction(), random.rotation()));
}

/// A farthest point of the other body along a direction.
using Highest = std::function<Vector3d(const Vector3d&)>;

/// How far the cylinder has to move along a direction, unit, until the plane across it parts the two; metres.
double depth_along(const PlacedCylinder& cylinder, const Highest& highest, const Vector3d& direction) {
  return direction.dot(highest(direction) - cylinder.farthest(-direction));
}

struct Claims {
  int within_an_angle = 0;
  int for_all_directions = 0;
};

/// Checks a guess whose depth is that of its two features, and whose reach is finite or not.
void check(const PlacedCylinder& cylinder, const Highest& highest, const std::optional<PlaneGuess>& guess,
           Random& random, Claims& claims) {
  if (!guess || !(guess->margin >= 0.0) || !(guess->depth > 0.0)) return;
  ASSERT_NEAR(guess->out.norm(), 1.0, 1e-12);
  ASSERT_NEAR(depth_along(cylinder, highest, guess->out), guess->depth, 1e-9);
  ASSERT_GE(guess->reach, 0.0);
  (std::isfinite(guess->reach) ? claims.within_an_angle : claims.for_all_directions) += guess->reach > 0.0 ? 1 : 0;
  const Vector3d u = guess->out.unitOrthogonal();
  const Vector3d v = guess->out.cross(u);
  const double widest = 2.0 * std::atan(guess->reach);
  for (int i = 0; i < 60; ++i) {
    const double angle = i % 4 == 0 ? widest : random.uniform(0.0, widest);
    const double turn = random.uniform(0.0, 2.0 * std::numbers::pi);
    const Vector3d direction =
        std::cos(angle) * guess->out + std::sin(angle) * (std::cos(turn) * u + std::sin(turn) * v);
    ASSERT_GE(depth_along(cylinder, highest, direction), guess->depth - 1e-9)
        << "at " << angle << " of " << widest << " rad, depth " << guess->depth << ", margin " << guess->margin;
  }
}

TEST(APlacedCylinder, HasItsFarthestPointOnItsEndAlongTheAxis) {
  Random random(30);
  for (int trial = 0; trial < 1000; ++trial) {
    const PlacedCylinder cylinder = any_cylinder(random);
    for (const double off : {0.0, 1e-17, 1e-16, 1e-14}) {
      const Vector3d from = cylinder.farthest(cylinder.axis + off * random.direction()) - cylinder.center;
      EXPECT_NEAR(from.dot(cylinder.axis), cylinder.half_length, 1e-14);
      EXPECT_LE(from.cross(cylinder.axis).norm(), cylinder.radius + 1e-14);
    }
  }
}

TEST(PlanesOfACylinder, AreTheDeepestWithinTheirReachForAnEdge) {
  Random random(31);
  Claims rims;
  Claims sides;
  for (int trial = 0; trial < 40'000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedCylinder cylinder = any_cylinder(random);
    const Vector3d p = 0.5 * random.direction();
    const Vector3d e = spread(random, 0.05, 1.0) * random.direction();
    const Highest highest = [&](const Vector3d& m) -> Vector3d { return e.dot(m) > 0.0 ? p + e : p; };
    const Vector3d out = random.direction();
    ASSERT_NO_FATAL_FAILURE(check(cylinder, highest, rim_edge_guess(cylinder, p, e, out), random, rims));
    ASSERT_NO_FATAL_FAILURE(check(cylinder, highest, crossing_guess(cylinder, p, e, out), random, sides));
  }
  EXPECT_GT(rims.within_an_angle, 50);
  EXPECT_GT(rims.for_all_directions, 10);
  EXPECT_GT(sides.within_an_angle, 1000);
}

TEST(PlanesOfACylinder, AreTheDeepestWithinTheirReachForAVertex) {
  Random random(32);
  Claims ends;
  Claims sides;
  for (int trial = 0; trial < 20'000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedCylinder cylinder = any_cylinder(random);
    const Vector3d vertex = cylinder.center + spread(random, 0.01, 1.0) * random.direction();
    const Highest highest = [&](const Vector3d&) { return vertex; };
    const double side = random.chance(0.5) ? 1.0 : -1.0;
    ASSERT_NO_FATAL_FAILURE(check(cylinder, highest, end_guess(cylinder, side, vertex), random, ends));
    ASSERT_NO_FATAL_FAILURE(check(cylinder, highest, side_guess(cylinder, vertex), random, sides));
  }
  EXPECT_GT(ends.within_an_angle, 1000);
  EXPECT_GT(sides.within_an_angle, 1000);
  EXPECT_GT(sides.for_all_directions, 1000);
}

TEST(PlanesOfACylinder, AreTheDeepestWithinTheirReachForTheSideOfAnother) {
  Random random(33);
  Claims claims;
  for (int trial = 0; trial < 40'000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedCylinder rim = any_cylinder(random);
    const PlacedCylinder side = any_cylinder(random);
    const Highest highest = [&](const Vector3d& m) { return side.farthest(m); };
    const Vector3d out = random.direction();
    ASSERT_NO_FATAL_FAILURE(check(rim, highest, rim_side_guess(rim, side, out), random, claims));
  }
  EXPECT_GT(claims.within_an_angle, 100);
  EXPECT_GT(claims.for_all_directions, 100);
}

TEST(CylindersDeepInEachOther, AnswerAsAColdStartDoes) {
  Random random(2);
  int from_memory = 0;
  constexpr int kTrials = samples::kIsInstrumented ? 2'000 : 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Shape a(Cylinder(spread(random, 0.05, 1.0), spread(random, 0.01, 1.0)));
    const Shape b(Cylinder(spread(random, 0.05, 1.0), spread(random, 0.01, 1.0)));
    Pose pose = samples::placed(a, b, -spread(random, 0.02, 0.5), random);
    const double size = spread(random, 1e-4, 0.1);
    PairCache cache;
    for (int frame = 0; frame < 4; ++frame) {
      SCOPED_TRACE(testing::Message() << "trial " << trial << ", frame " << frame);
      const Separation cold = distance(a, Pose(), b, pose);
      const Separation warm = distance(a, Pose(), b, pose, {}, &cache);
      ASSERT_NEAR(warm.distance, cold.distance, 1e-11 + cold.distance_error + warm.distance_error);
      from_memory += frame > 0 && warm.iterations == 1 ? 1 : 0;
      pose = Pose(size * random.direction(), Quaterniond(Eigen::AngleAxisd(size, random.direction()))) * pose;
    }
  }
  EXPECT_GT(from_memory, kTrials / 2);
}

}  // namespace
}  // namespace abut

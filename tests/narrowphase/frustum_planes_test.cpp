// The planes that may carry the answer of a cylinder or a cone and another body: what they claim of the directions
// around their normals, against support values; and pairs that ask them, deep in each other, against searches that do
// not.
#include <abut/core/pose.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/frustum_planes.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/placed_pair.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

namespace abut {
namespace {

using detail::PlacedFrustum;
using detail::PlaneGuess;
using samples::log_uniform;
using samples::Random;

PlacedFrustum any_cylinder(Random& random) {
  const Cylinder cylinder(log_uniform(0.02, 1.0, random), log_uniform(0.02, 1.0, random));
  return PlacedFrustum(cylinder, Pose(0.3 * random.direction(), random.rotation()));
}

PlacedFrustum any_frustum(Random& random) {
  if (random.chance(0.5)) return any_cylinder(random);
  const Cone cone(log_uniform(0.02, 1.0, random), log_uniform(0.02, 1.0, random));
  return PlacedFrustum(cone, Pose(0.3 * random.direction(), random.rotation()));
}

/// A farthest point of the other body along a direction.
using Highest = std::function<Vector3d(const Vector3d&)>;

/// How far the frustum has to move along a direction, unit, until the plane across it parts the two; metres.
double depth_along(const PlacedFrustum& frustum, const Highest& highest, const Vector3d& direction) {
  return direction.dot(highest(direction) - frustum.farthest(-direction));
}

struct Claims {
  int within_an_angle = 0;
  int for_all_directions = 0;
  int apart = 0;
};

/// Checks a guess whose depth is that of its two features, and whose reach is finite or not; apart, that no plane parts
/// the two features farther.
void check(const PlacedFrustum& frustum, const Highest& highest, const std::optional<PlaneGuess>& guess, Random& random,
           Claims& claims) {
  if (!guess || !(guess->margin >= 0.0)) return;
  ASSERT_NEAR(guess->out.norm(), 1.0, 1e-12);
  ASSERT_NEAR(depth_along(frustum, highest, guess->out), guess->depth, 1e-9);
  ASSERT_NEAR((guess->on_other - guess->on_curved - guess->depth * guess->out).norm(), 0.0, 1e-7);
  ASSERT_GE(guess->reach, 0.0);
  if (guess->depth < 0.0) ++claims.apart;
  if (guess->depth > 0.0)
    (std::isfinite(guess->reach) ? claims.within_an_angle : claims.for_all_directions) += guess->reach > 0.0 ? 1 : 0;
  const Vector3d u = guess->out.unitOrthogonal();
  const Vector3d v = guess->out.cross(u);
  const double widest = guess->depth > 0.0 ? 2.0 * std::atan(guess->reach) : std::numbers::pi;
  for (int i = 0; i < 60; ++i) {
    const double angle = i % 4 == 0 ? widest : random.uniform(0.0, widest);
    const double turn = random.uniform(0.0, 2.0 * std::numbers::pi);
    const Vector3d direction =
        std::cos(angle) * guess->out + std::sin(angle) * (std::cos(turn) * u + std::sin(turn) * v);
    ASSERT_GE(depth_along(frustum, highest, direction), guess->depth - 1e-9)
        << "at " << angle << " of " << widest << " rad, depth " << guess->depth << ", margin " << guess->margin;
  }
}

TEST(APlacedFrustum, HasItsFarthestPointOnItsEndAlongTheAxis) {
  Random random(30);
  for (int trial = 0; trial < 1000; ++trial) {
    const PlacedFrustum frustum = any_frustum(random);
    for (const double off : {0.0, 1e-17, 1e-16, 1e-14}) {
      for (const double end : {1.0, -1.0}) {
        const Vector3d from = frustum.farthest(end * frustum.axis + off * random.direction()) - frustum.center;
        EXPECT_NEAR(from.dot(frustum.axis), end * frustum.half_length, 1e-14);
        EXPECT_LE(from.cross(frustum.axis).norm(), frustum.radius(end) + 1e-14);
      }
    }
  }
}

TEST(APlacedFrustum, HasTheSupportPointsOfItsShape) {
  Random random(34);
  for (int trial = 0; trial < 10'000; ++trial) {
    const Pose pose(random.vector(-1.0, 1.0), random.rotation());
    const Vector3d direction = random.direction();
    const Cone cone(log_uniform(0.02, 1.0, random), log_uniform(0.02, 1.0, random));
    const Vector3d on_cone = pose * cone.core_support(pose.unrotate(direction));
    EXPECT_NEAR(direction.dot(PlacedFrustum(cone, pose).farthest(direction) - on_cone), 0.0, 1e-14);
    const Cylinder cylinder(log_uniform(0.02, 1.0, random), log_uniform(0.02, 1.0, random));
    const Vector3d on_cylinder = pose * cylinder.core_support(pose.unrotate(direction));
    EXPECT_NEAR(direction.dot(PlacedFrustum(cylinder, pose).farthest(direction) - on_cylinder), 0.0, 1e-14);
  }
}

TEST(PlanesOfAFrustum, AreTheDeepestWithinTheirReachForAnEdge) {
  Random random(31);
  Claims rims;
  Claims sides;
  for (int trial = 0; trial < 80'000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedFrustum frustum = any_frustum(random);
    const Vector3d p = 0.5 * random.direction();
    const Vector3d e = log_uniform(0.05, 1.0, random) * random.direction();
    const Highest highest = [&](const Vector3d& m) -> Vector3d { return e.dot(m) > 0.0 ? p + e : p; };
    const Vector3d out = random.direction();
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, rim_edge_guess(frustum, p, e, out), random, rims));
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, crossing_guess(frustum, p, e, out), random, sides));
  }
  EXPECT_GT(rims.within_an_angle, 100);
  EXPECT_GT(rims.for_all_directions, 20);
  EXPECT_GT(rims.apart, 1000);
  EXPECT_GT(sides.within_an_angle, 2000);
  EXPECT_GT(sides.apart, 1000);
}

TEST(PlanesOfAFrustum, AreTheDeepestWithinTheirReachForAVertex) {
  Random random(32);
  Claims ends;
  Claims sides;
  Claims rims;
  for (int trial = 0; trial < 40'000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedFrustum frustum = any_frustum(random);
    const Vector3d vertex = frustum.center + log_uniform(0.01, 1.0, random) * random.direction();
    const Highest highest = [&](const Vector3d&) { return vertex; };
    const double end = random.chance(0.5) ? 1.0 : -1.0;
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, end_guess(frustum, end, vertex), random, ends));
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, side_guess(frustum, vertex), random, sides));
    const std::optional<PlaneGuess> rim = rim_vertex_guess(frustum, end, vertex, 1e-9);
    if (rim && depth_along(frustum, highest, rim->out) < rim->depth + 1e-12) {
      ASSERT_NO_FATAL_FAILURE(check(frustum, highest, rim, random, rims));
    }
  }
  EXPECT_GT(ends.within_an_angle, 1000);
  EXPECT_GT(ends.apart, 1000);
  EXPECT_GT(sides.within_an_angle, 1000);
  EXPECT_GT(sides.for_all_directions, 2000);
  EXPECT_GT(sides.apart, 1000);
  EXPECT_GT(rims.apart, 1000);
}

TEST(PlanesOfAFrustum, AreTheDeepestWithinTheirReachForAnother) {
  Random random(33);
  Claims side_of_cylinder;
  Claims side_of_cone;
  Claims sides;
  Claims rims;
  for (int trial = 0; trial < (samples::kIsInstrumented ? 64'000 : 160'000); ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const PlacedFrustum frustum = any_frustum(random);
    const PlacedFrustum other = any_frustum(random);
    const Highest highest = [&](const Vector3d& m) { return other.farthest(m); };
    const Vector3d out = random.direction();
    Claims& of_side = other.side_sine == 0.0 ? side_of_cylinder : side_of_cone;
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, rim_side_guess(frustum, other, out), random, of_side));
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, sides_guess(frustum, other, out), random, sides));
    ASSERT_NO_FATAL_FAILURE(check(frustum, highest, rims_guess(frustum, other, out), random, rims));
  }
  for (const Claims& claims : {side_of_cylinder, side_of_cone, sides, rims}) {
    EXPECT_GT(claims.within_an_angle, samples::kIsInstrumented ? 80 : 200);
    EXPECT_GT(claims.apart, 1000);
  }
  EXPECT_GT(side_of_cylinder.for_all_directions, 100);
  EXPECT_GT(side_of_cone.for_all_directions, 100);
}

TEST(CylindersDeepInEachOther, AnswerAsAColdStartDoes) {
  Random random(2);
  int from_memory = 0;
  constexpr int kTrials = samples::kIsInstrumented ? 2'000 : 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Shape a(Cylinder(log_uniform(0.05, 1.0, random), log_uniform(0.01, 1.0, random)));
    const Shape b(Cylinder(log_uniform(0.05, 1.0, random), log_uniform(0.01, 1.0, random)));
    Pose pose = samples::placed(a, b, -log_uniform(0.02, 0.5, random), random);
    const double size = log_uniform(1e-4, 0.1, random);
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

// Every ordered pair of convex shapes, at every distance: the answers certify themselves and obey the symmetries of
// space.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <support/random_shapes.h>

#include <cmath>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::certificate_violation;
using samples::Placed;
using samples::Random;
using samples::random_shape;
using samples::separation_along;
using samples::ShapeKind;
using samples::spread_directions;

constexpr std::uint32_t kConvexKinds = 12;

struct Pair {
  Shape a;
  Shape b;
  Pose world_from_a;
  Pose world_from_b;

  [[nodiscard]] Separation solve(const DistanceOptions& options = {}) const {
    return distance(a, world_from_a, b, world_from_b, options);
  }
  [[nodiscard]] double size() const { return Placed(a, world_from_a).extent() + Placed(b, world_from_b).extent(); }
};

// Of the given kinds; b is then moved along the normal to a signed distance of `target` times the size.
Pair pair_at(ShapeKind kind_a, ShapeKind kind_b, double target, Random& random) {
  Pair pair{random_shape(kind_a, 1.0, random), random_shape(kind_b, 1.0, random), random.pose(1.0), random.pose(1.0)};
  pair.world_from_b = Pose(2.0 * random.direction()) * pair.world_from_b;
  const Separation s = pair.solve();
  pair.world_from_b = Pose((target * pair.size() - s.distance) * s.normal) * pair.world_from_b;
  return pair;
}

// Calls check(pair) for every ordered pair of kinds and every distance, with a trace of what it was.
template <class Check>
void for_every_pair(std::uint64_t seed, Check&& check) {
  for (std::uint32_t a = 0; a < kConvexKinds; ++a) {
    for (std::uint32_t b = 0; b < kConvexKinds; ++b) {
      Random random(seed + 100 * a + b);
      for (const double target : {-0.2, -1e-3, -1e-6, -1e-9, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 10.0}) {
        const Pair pair = pair_at(static_cast<ShapeKind>(a), static_cast<ShapeKind>(b), target, random);
        SCOPED_TRACE(testing::Message() << pair.a.type_name() << " against " << pair.b.type_name() << " at " << target
                                        << ", seed " << seed);
        check(pair);
      }
    }
  }
}

// Deep overlaps of smooth bodies may stop at the iteration limit, with an honest bound.
double slack(const Pair& pair, const Separation& s) {
  return 1e-9 * pair.size() + 2.0 * s.distance_error;
}

TEST(RandomPairs, CertifyTheirAnswers) {
  int overlapping = 0;
  int apart = 0;
  for_every_pair(1, [&](const Pair& pair) {
    const Separation s = pair.solve();
    EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-8 * pair.size()), "");
    EXPECT_LE(s.distance_error, 1e-3 * pair.size());
    (s.distance < 0.0 ? overlapping : apart) += 1;
  });
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(apart, 500);
}

// Where bounds are far apart, for a tolerance is coarse or iterations are few, as well.
TEST(RandomPairs, TheDistanceIsThatOfThePointsAlongTheNormalAtAnyTolerance) {
  const std::vector<Vector3d> directions = spread_directions(64);
  int coarse = 0;
  for_every_pair(7, [&](const Pair& pair) {
    for (const Solver solver : {Solver::automatic, Solver::gjk, Solver::polyak, Solver::nesterov}) {
      for (const double tolerance : {0.3, 0.03, 1e-3, 0.0}) {
        DistanceOptions options;
        options.solver = solver;
        options.tolerance = tolerance * pair.size();
        options.max_iterations = tolerance > 0.0 ? 128 : 3;
        const auto check = [&](const Separation& s) {
          SCOPED_TRACE(testing::Message() << "solver " << static_cast<int>(solver) << ", tolerance " << tolerance);
          EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 2e-12 * pair.size());
          const Placed a(pair.a, pair.world_from_a);
          const Placed b(pair.b, pair.world_from_b);
          const double allowed = s.distance_error + 1e-8 * pair.size();
          // The plane across the normal closes the gap that was asked for; another one may have closed it further.
          const double asked = options.tolerance * options.tolerance / pair.size();
          EXPECT_NEAR(separation_along(a, b, s.normal), s.distance, allowed + asked);
          EXPECT_LE(a.outside(s.point_a, directions), allowed);
          EXPECT_LE(b.outside(s.point_b, directions), allowed);
          coarse += s.distance_error > 1e-6 * pair.size() ? 1 : 0;
        };
        check(pair.solve(options));
        PairCache cache;
        static_cast<void>(distance(pair.a, pair.world_from_a, pair.b,
                                   Pose(Vector3d(0.01, 0.0, -0.02)) * pair.world_from_b, options, &cache));
        check(distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, options, &cache));
      }
    }
  });
  EXPECT_GT(coarse, 1000);
}

TEST(RandomPairs, CertifyTheirAnswersWithEverySolver) {
  for (const Solver solver : {Solver::gjk, Solver::polyak, Solver::nesterov}) {
    DistanceOptions options;
    options.solver = solver;
    for_every_pair(2, [&](const Pair& pair) {
      const Separation s = pair.solve(options);
      EXPECT_EQ(s.solver, solver);
      EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-8 * pair.size()), "");
    });
  }
}

TEST(RandomPairs, MirrorWhenTheBodiesAreSwapped) {
  for_every_pair(3, [](const Pair& pair) {
    const Separation ab = pair.solve();
    const Separation ba = distance(pair.b, pair.world_from_b, pair.a, pair.world_from_a);
    EXPECT_NEAR(ab.distance, ba.distance, slack(pair, ab) + slack(pair, ba));
    EXPECT_EQ(certificate_violation(pair.b, pair.world_from_b, pair.a, pair.world_from_a, ba, 1e-8 * pair.size()), "");
  });
}

TEST(RandomPairs, KeepTheirAnswersUnderRigidMotion) {
  Random random(4);
  for_every_pair(4, [&](const Pair& pair) {
    const Pose motion = random.pose(3.0);
    const Separation before = pair.solve();
    const Separation after = distance(pair.a, motion * pair.world_from_a, pair.b, motion * pair.world_from_b);
    EXPECT_NEAR(before.distance, after.distance, slack(pair, before) + slack(pair, after));
  });
}

TEST(RandomPairs, ScaleWithTheWorld) {
  for (const double scale : {1e-3, 1e3}) {
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " scale " << scale);
      Random random(seed);
      const Vector3d half = random.vector(0.2, 1.0);
      const double radius = random.uniform(0.2, 1.0);
      const double length = random.uniform(0.2, 1.0);
      const Pose pose_a = random.pose(1.0);
      const Pose pose_b = random.pose(1.0);
      const auto scaled = [scale](const Pose& pose) {
        return Pose::from_matrix(scale * pose.translation(), pose.rotation());
      };
      const Separation one = distance(Box(half), pose_a, Cone(radius, length), pose_b);
      const Separation other =
          distance(Box(scale * half), scaled(pose_a), Cone(scale * radius, scale * length), scaled(pose_b));
      EXPECT_NEAR(one.distance, other.distance / scale, 1e-9 + 2.0 * one.distance_error);
    }
  }
}

TEST(RandomPairs, ComeApartByTheirSeparation) {
  for_every_pair(5, [](const Pair& pair) {
    const Separation s = pair.solve();
    const double clearance = 1e-3 * pair.size();
    const Pose moved = Pose((clearance - s.distance) * s.normal) * pair.world_from_b;
    const Separation after = distance(pair.a, pair.world_from_a, pair.b, moved);
    EXPECT_NEAR(after.distance, clearance, slack(pair, s) + slack(pair, after) + 1e-6 * clearance);
  });
}

TEST(RandomPairs, AnswerTheSameFarFromTheOrigin) {
  const Vector3d far(1e7, -2e7, 3e7);
  for_every_pair(6, [&](const Pair& pair) {
    // Poses on a lattice of 2^-20 metres: at 1e7 m they are still exact, so that nothing but the solver can differ.
    const auto snapped = [](const Pose& pose, const Vector3d& offset) {
      const Vector3d t = (pose.translation() * 0x1p20).array().round() * 0x1p-20;
      return Pose::from_matrix(t + offset, pose.rotation());
    };
    const Separation here = distance(pair.a, snapped(pair.world_from_a, Vector3d::Zero()), pair.b,
                                     snapped(pair.world_from_b, Vector3d::Zero()));
    const Separation there = distance(pair.a, snapped(pair.world_from_a, far), pair.b, snapped(pair.world_from_b, far));
    EXPECT_EQ(here.distance, there.distance);
    EXPECT_EQ(here.normal, there.normal);
  });
}

}  // namespace
}  // namespace abut

// Pairs of smooth bodies, answered by the trust region: right on both sides of contact and at any depth.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <narrowphase/smooth_samples.h>
#include <support/instrumented.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

using samples::certificate_violation;
using samples::kSmoothKinds;
using samples::Placed;
using samples::Random;
using samples::smooth_body;
using samples::spread_directions;

DistanceOptions with(Solver solver) {
  DistanceOptions options;
  options.solver = solver;
  return options;
}

struct SmoothPair {
  Shape a;
  Shape b;
  Pose world_from_a;
  Pose world_from_b;

  [[nodiscard]] Separation solve(Solver solver = Solver::rtr, PairCache* cache = nullptr) const {
    return distance(a, world_from_a, b, world_from_b, with(solver), cache);
  }
  [[nodiscard]] double size() const { return Placed(a, world_from_a).extent() + Placed(b, world_from_b).extent(); }
  // The least height over many directions: the depth is no larger.
  [[nodiscard]] double best_sampled() const {
    static const std::vector<Vector3d> directions = spread_directions(3000);
    const Placed placed_a(a, world_from_a);
    const Placed placed_b(b, world_from_b);
    double best = -INFINITY;
    for (const Vector3d& n : directions) best = std::max(best, separation_along(placed_a, placed_b, n));
    return best;
  }
};

SmoothPair random_pair(std::uint32_t kind_a, std::uint32_t kind_b, double spread, Random& random) {
  const Shape a = smooth_body(kind_a, 1.0, random);
  const Shape b = smooth_body(kind_b, 1.0, random);
  const Pose world_from_a = random.pose(1.0);
  return {a, b, world_from_a,
          Pose(spread * random.vector(-1.0, 1.0)) * world_from_a * Pose(Vector3d::Zero(), random.rotation())};
}

template <class Check>
void for_every_pair(std::uint64_t seed, int repeats, Check&& check) {
  for (std::uint32_t kind_a = 0; kind_a < kSmoothKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kSmoothKinds; ++kind_b) {
      Random random(seed + 100 * kind_a + kind_b);
      for (int i = 0; i < repeats; ++i) {
        for (const double spread : {0.0, 0.1, 0.4, 1.0, 4.0}) {
          SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i << " spread "
                                          << spread << " seed " << seed);
          check(random_pair(kind_a, kind_b, spread, random));
        }
      }
    }
  }
}

TEST(SmoothPairs, AreSolvedByTheTrustRegionAndProveThemselves) {
  int overlapping = 0;
  int unproven = 0;
  for_every_pair(1, 4, [&](const SmoothPair& pair) {
    const Separation s = pair.solve();
    EXPECT_EQ(s.solver, Solver::rtr);
    EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-10 * pair.size()), "");
    if (s.distance < 0.0) ++overlapping;
    if (s.status != SolveStatus::converged) ++unproven;
  });
  EXPECT_GT(overlapping, 500);
  EXPECT_LT(unproven, overlapping / 20);
}

TEST(SmoothPairs, FindTheLeastDepthOfAllDirections) {
  for_every_pair(2, samples::kIsInstrumented ? 2 : 6, [&](const SmoothPair& pair) {
    const Separation s = pair.solve();
    EXPECT_GE(s.distance, pair.best_sampled() - 1e-9 * pair.size());
  });
}

TEST(SmoothPairs, AgreeWithGjkAndThePolytope) {
  for_every_pair(3, 2, [&](const SmoothPair& pair) {
    const Separation smooth = pair.solve();
    const Separation other = pair.solve(Solver::gjk);
    EXPECT_NEAR(smooth.distance, other.distance, 1e-9 * pair.size() + smooth.distance_error + other.distance_error);
    if (smooth.distance > 0.01) {
      EXPECT_LT((smooth.normal - other.normal).norm(), 1e-4);
    }
  });
}

TEST(SmoothPairs, AreTheAutomaticChoice) {
  for_every_pair(4, 1, [&](const SmoothPair& pair) {
    const bool has_closed_form = pair.a.get_if<Sphere>() != nullptr && pair.b.get_if<Sphere>() != nullptr;
    const Separation s = pair.solve(Solver::automatic);
    const Separation by_region = pair.solve();
    EXPECT_EQ(s.solver, has_closed_form ? Solver::automatic : Solver::rtr);
    EXPECT_NEAR(s.distance, by_region.distance, 1e-12 * pair.size());
    EXPECT_LE(s.distance_error, by_region.distance_error);  // where it is not proven, another solver may have proven it
  });
}

TEST(SmoothPairs, PassSmoothlyThroughTouching) {
  for_every_pair(5, 1, [&](const SmoothPair& pair) {
    const Separation start = pair.solve();
    if (start.status != SolveStatus::converged || start.distance < 0.0) return;
    for (const double target : {1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3}) {
      const Pose moved = Pose((target - start.distance) * start.normal) * pair.world_from_b;
      const SmoothPair near{pair.a, pair.b, pair.world_from_a, moved};
      const Separation s = near.solve();
      const double rounding = 1e-12 * pair.size();
      EXPECT_EQ(s.status, SolveStatus::converged);
      EXPECT_GE(s.distance, target - rounding);
      // Sharp edges and corners are sooner out of each other in another direction.
      EXPECT_LE(s.distance, target < 0.0 ? 0.0 : target + rounding);
      EXPECT_LT((s.point_b - s.point_a - s.distance * s.normal).norm(), 1e-8 * pair.size());
    }
  });
}

TEST(SmoothPairs, MirrorWhenSwappedAndMoveWithTheWorld) {
  Random random(6);
  for_every_pair(6, 1, [&](const SmoothPair& pair) {
    const Separation ab = pair.solve();
    const Separation ba = distance(pair.b, pair.world_from_b, pair.a, pair.world_from_a, with(Solver::rtr));
    EXPECT_NEAR(ab.distance, ba.distance, 1e-12 * pair.size() + ab.distance_error + ba.distance_error);
    const Pose motion = random.pose(3.0);
    const Separation moved =
        distance(pair.a, motion * pair.world_from_a, pair.b, motion * pair.world_from_b, with(Solver::rtr));
    EXPECT_NEAR(ab.distance, moved.distance, 1e-12 * pair.size() + ab.distance_error + moved.distance_error);
  });
}

TEST(SmoothPairs, IdenticalConcentricAndNestedBodiesHaveTheirDepth) {
  for (std::uint32_t kind = 0; kind < kSmoothKinds; ++kind) {
    for (std::uint32_t seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << " seed " << seed);
      Random random(700 + 10 * kind + seed);
      const Shape shape = smooth_body(kind, 1.0, random);
      const Pose pose = random.pose(2.0);
      const SmoothPair identical{shape, shape, pose, pose};
      const SmoothPair nested{shape, Ellipsoid(Vector3d(0.02, 0.03, 0.05)), pose,
                              Pose(pose.translation(), random.rotation())};
      for (const SmoothPair& pair : {identical, nested}) {
        const Separation s = pair.solve();
        EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-9), "");
        EXPECT_GE(s.distance, pair.best_sampled() - 1e-9);
        EXPECT_LT(s.distance, 0.0);
      }
    }
  }
}

TEST(SmoothPairs, DeepEllipsoidsAreProvenGlobal) {
  // Two discs across each other, and needles: two or more local minima of nearly the same depth.
  int unproven = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(800 + seed);
    const SmoothPair pair{Ellipsoid(Vector3d(1.0, random.uniform(0.1, 1.0), 0.1)),
                          Ellipsoid(Vector3d(0.8, random.uniform(0.1, 0.8), 0.1)), Pose(),
                          Pose(0.1 * random.vector(-1.0, 1.0), random.rotation())};
    const Separation s = pair.solve();
    EXPECT_GE(s.distance, pair.best_sampled() - 1e-10);
    EXPECT_LE(s.distance - s.distance_error, 0.0);
    if (s.status != SolveStatus::converged) ++unproven;
  }
  EXPECT_LE(unproven, 4);
}

TEST(SmoothPairs, AreWarmStartedFromTheLastNormal) {
  int cold = 0;
  int warm = 0;
  int frames = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    Random random(900 + seed);
    const Shape a = Ellipsoid(random.vector(0.3, 1.0));
    const Shape b = Ellipsoid(random.vector(0.3, 1.0));
    Pose pose(2.0 * random.direction(), random.rotation());
    // Motion that coheres: from just touching to 5 cm of overlap or of distance.
    const Separation start = distance(a, Pose(), b, pose);
    pose = Pose((random.uniform(-0.05, 0.05) - start.distance) * start.normal) * pose;
    const Pose step(1e-3 * random.direction(), Quaterniond(Eigen::AngleAxisd(0.01, random.direction())));
    PairCache cache;
    for (int frame = 0; frame < 10; ++frame) {
      pose = step * pose;
      const SmoothPair pair{a, b, Pose(), pose};
      const Separation s = pair.solve(Solver::rtr, &cache);
      const Separation fresh = pair.solve();
      EXPECT_NEAR(s.distance, fresh.distance, 1e-12);
      if (frame == 0) continue;
      ++frames;
      warm += s.iterations;
      cold += fresh.iterations;
    }
  }
  EXPECT_LE(warm, 3 * frames);
  EXPECT_LT(warm, cold);
}

TEST(SmoothPairs, StopWhenProvenFartherThanAsked) {
  DistanceOptions options = with(Solver::rtr);
  options.max_distance = 1.0;
  const Separation s =
      distance(Ellipsoid(Vector3d(1, 2, 3)), Pose(), Ellipsoid(Vector3d(3, 2, 1)), Pose(Vector3d(20, 1, 2)), options);
  EXPECT_EQ(s.status, SolveStatus::beyond_limit);
  EXPECT_GT(s.distance, 1.0);
  const double exact = distance(Ellipsoid(Vector3d(1, 2, 3)), Pose(), Ellipsoid(Vector3d(3, 2, 1)),
                                Pose(Vector3d(20, 1, 2)), with(Solver::rtr))
                           .distance;
  EXPECT_LE(s.distance, exact + 1e-12);
  EXPECT_GE(s.distance + s.distance_error, exact - 1e-12);
}

TEST(SmoothPairs, AnswerYesOrNoWithAForcedSolverToo) {
  for_every_pair(7, 1, [&](const SmoothPair& pair) {
    const Separation s = pair.solve();
    for (const double margin : {0.0, 0.3}) {
      if (std::abs(s.distance - margin) < 1e-9) continue;
      EXPECT_EQ(collides(pair.a, pair.world_from_a, pair.b, pair.world_from_b, margin, with(Solver::rtr)),
                s.distance <= margin);
    }
  });
}

TEST(SmoothPairs, TheSolverIsRefusedForBodiesThatAreNotSmooth) {
  const Pose pose;
  const DistanceOptions options = with(Solver::rtr);
  const Shape ball = Sphere(1.0);
  const Shape sharp = Superquadric(Vector3d(1, 1, 1), {0.5, 1.0});
  const Shape off_centre = SmoothHull({{1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 1}}, 10.0);
  for (const Shape& other :
       {Shape(Box(Vector3d(1, 1, 1))), sharp, off_centre, Shape(HalfSpace(Vector3d(0, 0, 1), 0.0))}) {
    EXPECT_FALSE(serves(Solver::rtr, ball, other));
    EXPECT_TRUE(serves(Solver::gjk, ball, other));
    try {
      static_cast<void>(distance(ball, pose, other, pose, options));
      ADD_FAILURE() << "rtr took a " << other.type_name();
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find("solver"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(std::string(other.type_name())), std::string::npos) << error.what();
    }
    EXPECT_THROW(static_cast<void>(collides(other, pose, ball, pose, 0.0, options)), InvalidInput);
  }
  EXPECT_TRUE(serves(Solver::rtr, ball, Ellipsoid(Vector3d(1, 2, 3))));
}

TEST(SmoothPairs, ASphereAddedToASuperquadricChangesNoStep) {
  // The paper adds a small ball to bodies with sharp exponents. On the sphere of directions that adds a constant.
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(950 + seed);
    const Vector3d radii = random.vector(0.3, 1.0);
    const Eigen::Vector2d exponents(random.uniform(1.0, 1.9), random.uniform(1.0, 1.9));
    const Shape plain = Superquadric(radii, exponents);
    const Shape grown(Superquadric(radii, exponents), 1e-4);
    const Shape other = Ellipsoid(random.vector(0.3, 1.0));
    const Pose pose = random.pose(1.0);
    const Separation without = distance(plain, Pose(), other, pose, with(Solver::rtr));
    const Separation with_ball = distance(grown, Pose(), other, pose, with(Solver::rtr));
    EXPECT_EQ(with_ball.normal, without.normal);
    EXPECT_EQ(with_ball.iterations, without.iterations);
    EXPECT_NEAR(with_ball.distance, without.distance - 1e-4, 1e-14);
  }
}

// Over nine decades a proof may not begin; the points bound the error all the same.
TEST(SmoothPairs, OfASphereAndAnEllipsoidOfAnySizesTheErrorIsFinite) {
  const auto check = [](double radius, const Vector3d& center, const Vector3d& radii, const Quaterniond& turn) {
    const Separation s = distance(Sphere(radius), Pose(center), Ellipsoid(radii), Pose(Vector3d::Zero(), turn));
    EXPECT_TRUE(std::isfinite(s.distance_error));
    return s;
  };
  const Separation deep =
      check(204700.37186282562, {-1.6949159912585306e-05, -0.00012734452645887863, -3.36317498257201e-05},
            {191264.909598297, 0.006928841059401913, 0.006731209251787809},
            {0.6149227074031757, -0.1871753902256369, -0.056728825991705784, 0.7639484783121386});
  EXPECT_NEAR(deep.distance, -204700.37186282562, 0.02);
  EXPECT_LT(deep.distance_error, 0.02);
  check(2.1773293765995224e-06, {2.8611085139373854e-06, -2.497996616534374e-06, 1.4161920444264976e-06},
        {0.001415373768089608, 26388.969914651778, 0.0006214461142565167},
        {0.4602133899131472, 0.6909763835731427, 0.3331710401281192, -0.44693660748340797});
  check(2.2742697222471846e-06, {-1.06649908608081e-06, -1.0186663731493526e-06, -3.3749819333217034e-06},
        {0.00011587474931351318, 27806.208219630582, 0.0011193366825723973},
        {0.4235142940673026, 0.2522969476233775, -0.14078467040807296, 0.8585811374114223});
}

// About one centre the ball that just fits has the depth for its radius: rounding must not make one of what does not
// fit, whatever the other directions are.
TEST(SmoothPairs, AboutOneCentreNoDirectionIsBetterThanTheOneThatIsProven) {
  const Shape barrel(SmoothRevolution({{1.0, 0.3}, {1.0, -0.3}}, 40.0, 1e-2));
  const std::vector<std::pair<Shape, Shape>> pairs = {
      {barrel, Ellipsoid({5.0, 0.5, 0.5})},
      {barrel, Ellipsoid({10.0, 0.5, 0.5})},
      {barrel, Superquadric({5.0, 0.5, 0.5}, {1.0, 1.0})},
      {Superquadric({1.0, 1.0, 0.3}, {1.9, 1.9}), Superquadric({5.0, 0.3, 0.3}, {1.2, 1.0})},
      {Superquadric({0.6, 0.6, 0.6}, {1.5, 1.5}), Ellipsoid({5.0, 0.3, 0.3})},
  };
  const int most = samples::kIsInstrumented ? 1 : 2;
  const Pose origin;
  int total = 0;
  int converged = 0;
  for (const auto& [a, b] : pairs) {
    for (int w = 1; w <= 3; ++w) {
      for (int x = -most; x <= most; ++x) {
        for (int y = -most; y <= most; ++y) {
          for (int z = -most; z <= most; ++z) {
            SCOPED_TRACE(testing::Message() << a.type_name() << ", " << b.type_name() << " turned by " << w << " " << x
                                            << " " << y << " " << z);
            const Pose turned(Vector3d::Zero(), Quaterniond(w, x, y, z));
            const Separation found = distance(a, origin, b, turned);
            const Separation swapped = distance(b, turned, a, origin);
            const Placed placed_a(a, origin);
            const Placed placed_b(b, turned);
            EXPECT_LE(separation_along(placed_a, placed_b, -swapped.normal),
                      found.distance + found.distance_error + 1e-12);
            EXPECT_LE(separation_along(placed_a, placed_b, found.normal),
                      swapped.distance + swapped.distance_error + 1e-12);
            ++total;
            converged += found.status == SolveStatus::converged ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(converged, 7 * total / 10);
}

TEST(SmoothPairs, ABallInTheMiddleOfAnEllipsoidIsAnswered) {
  Random random(77);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Vector3d radii = random.vector(0.3, 1.0);
    const double radius = random.uniform(0.05, 1.0);
    const Pose turned(Vector3d::Zero(), random.rotation());
    const Separation found = distance(Ellipsoid(radii), turned, Sphere(radius), Pose());
    EXPECT_EQ(found.status, SolveStatus::converged);
    EXPECT_NEAR(found.distance, -radii.minCoeff() - radius, found.distance_error + 1e-12);
    EXPECT_LT(found.distance_error, 1e-7);
  }
}

// Needles hold the trust region up; GJK answers those.
TEST(SmoothPairs, OfNeedlesApartAreAnswered) {
  Random random(78);
  const Shape needle(Ellipsoid({1.0, 0.001, 0.001}));
  int by_gjk = 0;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const Vector3d place = random.vector(-1.0, 1.0);
    const Pose pose(place, random.rotation());
    const Separation found = distance(needle, Pose(), needle, pose);
    EXPECT_EQ(found.status, SolveStatus::converged);
    by_gjk += found.solver != Solver::rtr ? 1 : 0;
  }
  EXPECT_GT(by_gjk, 0);
  EXPECT_LT(by_gjk, 200);
}

}  // namespace
}  // namespace abut

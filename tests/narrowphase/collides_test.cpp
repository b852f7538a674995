// Yes or no agrees with the signed distance and never calls a collision free.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

TEST(Collides, AgreesWithTheDistanceForEveryPairAndMargin) {
  int yes = 0;
  int no = 0;
  for (std::uint32_t kind_a = 0; kind_a < 12; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < 12; ++kind_b) {
      Random random(100 * kind_a + kind_b);
      for (int i = 0; i < 10; ++i) {
        const Shape a = samples::random_shape(static_cast<ShapeKind>(kind_a), 1.0, random);
        const Shape b = samples::random_shape(static_cast<ShapeKind>(kind_b), 1.0, random);
        SCOPED_TRACE(testing::Message() << a.type_name() << " against " << b.type_name() << ", round " << i);
        const Pose pose_a = random.pose(1.0);
        const Pose pose_b = random.pose(1.5);
        const Separation s = distance(a, pose_a, b, pose_b);
        for (const Solver solver : {Solver::automatic, Solver::polyak, Solver::nesterov}) {
          DistanceOptions options;
          options.solver = solver;
          for (const double margin : {0.0, 0.05, 0.5}) {
            if (std::abs(s.distance - margin) <= 1e-9 + s.distance_error) continue;
            const bool answer = collides(a, pose_a, b, pose_b, margin, options);
            EXPECT_EQ(answer, s.distance <= margin) << "distance " << s.distance << " margin " << margin;
            (answer ? yes : no) += 1;
          }
        }
      }
    }
  }
  EXPECT_GT(yes, 2000);
  EXPECT_GT(no, 2000);
}

TEST(Collides, FindsOverlapsOfAMillimetreAndLess) {
  Random random(21);
  for (int i = 0; i < (samples::kIsInstrumented ? 600 : 2000); ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Shape a(samples::random_hull(40, 0.1, random));
    const Shape b(samples::random_hull(40, 0.1, random));
    const Pose pose_a = random.pose(0.1);
    Pose pose_b = random.pose(0.1);
    const Separation s = distance(a, pose_a, b, pose_b);
    const double depth = std::pow(10.0, random.uniform(-8.0, -2.0));
    pose_b = Pose((-depth - s.distance) * s.normal) * pose_b;
    EXPECT_TRUE(collides(a, pose_a, b, pose_b)) << "depth " << depth;
    pose_b = Pose(2.0 * depth * s.normal) * pose_b;
    EXPECT_FALSE(collides(a, pose_a, b, pose_b)) << "gap " << depth;
  }
}

// So near to touching, the corners of a simplex crowd around the nearest points.
TEST(Collides, IsFalseForPairsThatAreProvenApartByLittle) {
  Random random(24);
  const auto curved_or_not = [&random] {
    const double radius = random.uniform(0.1, 1.0);
    const double half_length = random.uniform(0.1, 1.0);
    switch (random.below(5)) {
      case 0:
        return Shape(Cylinder(radius, half_length));
      case 1:
        return Shape(Cone(radius, half_length));
      case 2:
        return Shape(Ellipsoid(random.vector(0.1, 1.0)));
      case 3:
        return Shape(Box(random.vector(0.1, 1.0)));
      default:
        return Shape(samples::random_hull(10, 1.0, random));
    }
  };
  int near = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 1500 : 15000); ++i) {
    const Shape a = curved_or_not();
    const Shape b = curved_or_not();
    const Pose pose_a = random.pose(1.0);
    Pose pose_b = random.pose(3.0);
    const double gap = std::pow(10.0, random.uniform(-11.5, -10.0));
    for (int step = 0; step < 6; ++step) {
      const Separation s = distance(a, pose_a, b, pose_b);
      pose_b = Pose((gap - s.distance) * s.normal) * pose_b;
    }
    const auto is_proven = [](const Separation& found) {
      return found.distance > 1e-12 && found.distance > 2.0 * found.distance_error && found.distance < 1e-9;
    };
    if (!is_proven(distance(a, pose_a, b, pose_b)) || !is_proven(distance(b, pose_b, a, pose_a))) continue;
    ++near;
    EXPECT_FALSE(collides(a, pose_a, b, pose_b)) << a.type_name() << " " << b.type_name() << ", " << gap << " m";
    EXPECT_FALSE(collides(b, pose_b, a, pose_a)) << b.type_name() << " " << a.type_name() << ", " << gap << " m";
  }
  EXPECT_GT(near, samples::kIsInstrumented ? 500 : 5000);
}

TEST(Collides, CostsFewerIterationsThanADistance) {
  Random random(22);
  DistanceOptions beyond;
  beyond.max_distance = 0.0;
  int boolean = 0;
  int full = 0;
  for (int i = 0; i < 200; ++i) {
    const Pose pose(Vector3d(2.5, 0, 0), random.rotation());
    boolean += distance(Ellipsoid({1, 0.8, 0.6}), Pose(), Ellipsoid({0.6, 0.8, 1}), pose, beyond).iterations;
    full += distance(Ellipsoid({1, 0.8, 0.6}), Pose(), Ellipsoid({0.6, 0.8, 1}), pose).iterations;
  }
  EXPECT_LT(5 * boolean, full);
}

}  // namespace
}  // namespace abut

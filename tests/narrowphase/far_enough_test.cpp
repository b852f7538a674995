// Pairs that only have to be proven apart: the plane across the last normal is a bound of the distance, never beyond
// it, and where it proves nothing the answer is that of any other query.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/separate.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/placed_pair.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace abut {
namespace {

using detail::PairQuery;
using detail::Part;
using samples::Random;

std::vector<Shape> some_shapes(Random& random) {
  return {Shape(Box(random.vector(0.3, 1.0))),
          Shape(Box(random.vector(0.3, 1.0)), 0.05),
          Shape(samples::random_hull(20, 0.8, random)),
          Shape(samples::random_hull(600, 0.8, random)),
          Shape(Cylinder(random.uniform(0.2, 0.8), random.uniform(0.2, 0.8))),
          Shape(Cone(random.uniform(0.2, 0.8), random.uniform(0.2, 0.8))),
          Shape(Capsule(random.uniform(0.1, 0.4), random.uniform(0.2, 0.8)))};
}

TEST(FarEnough, IsProvenByABoundOrAnsweredExactly) {
  Random random(4);
  constexpr double kFarEnough = 0.002;
  int bounds = 0;
  int answers = 0;
  for (int trial = 0; trial < (samples::kIsInstrumented ? 60 : 400); ++trial) {
    const std::vector<Shape> shapes = some_shapes(random);
    const Shape& a = shapes[random.below(static_cast<std::uint32_t>(shapes.size()))];
    const Shape& b = shapes[random.below(static_cast<std::uint32_t>(shapes.size()))];
    Pose pose = samples::placed(a, b, random.uniform(-0.001, 0.02), random);
    PairCache cache;
    static_cast<void>(distance(a, Pose(), b, pose, {}, &cache));
    for (int frame = 0; frame < 8; ++frame) {
      SCOPED_TRACE(testing::Message() << a.type_name() << " and " << b.type_name() << ", trial " << trial << ", frame "
                                      << frame);
      PairQuery query;
      query.options.max_distance = 0.05;
      query.far_enough = kFarEnough;
      const Separation cold = distance(a, Pose(), b, pose);
      const Separation found = separate(Part(a), Part(b), pose, query, &cache);
      const double rounding = 1e-11 + cold.distance_error;
      if (found.status == SolveStatus::beyond_limit) {
        ++bounds;
        EXPECT_GT(found.distance, kFarEnough);
        EXPECT_LE(found.distance, cold.distance + rounding);
        EXPECT_GE(found.distance + found.distance_error, cold.distance - rounding);
        EXPECT_NEAR(found.normal.norm(), 1.0, 1e-12);
      } else {
        ++answers;
        EXPECT_NEAR(found.distance, cold.distance, rounding + found.distance_error);
      }
      const double size = frame % 4 == 3 ? 0.01 : 5e-4;
      pose = Pose(size * random.direction(), Quaterniond(Eigen::AngleAxisd(size, random.direction()))) * pose;
    }
  }
  EXPECT_GT(bounds, answers / 2);
  EXPECT_GT(answers, bounds / 20);
}

// What is remembered stays for when it is needed.
TEST(FarEnough, LeavesTheMemoryOfThePairAsItIs) {
  const Shape a(Box({0.5, 0.5, 0.5}));
  const Shape b = Shape(Cylinder(0.3, 0.4));
  PairCache cache;
  static_cast<void>(distance(a, Pose(), b, Pose({0.0, 0.1, 0.95}), {}, &cache));
  const PairCache before = cache;
  PairQuery query;
  query.far_enough = 0.01;
  const Separation found = separate(Part(a), Part(b), Pose({0.0, 0.1, 0.96}), query, &cache);
  EXPECT_EQ(found.status, SolveStatus::beyond_limit);
  EXPECT_NEAR(found.distance, 0.06, 1e-12);
  EXPECT_EQ(cache.normal_a, before.normal_a);
  EXPECT_EQ(cache.point_a, before.point_a);
  EXPECT_EQ(cache.corners.count, before.corners.count);
}

// What is enough for one leaf of a mesh is no answer of the whole.
TEST(FarEnough, OfAMeshSaysNothingOfItsLeaves) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const Shape mesh(samples::bumpy_ball(6, 0.5, random));
    const Shape body(samples::random_hull(20, 0.4, random));
    const Pose pose = samples::placed(mesh, body, random.uniform(0.001, 0.03), random);
    PairQuery query;
    query.options.max_distance = 0.05;
    query.far_enough = 0.002;
    PairCache cache;
    const Separation found = separate(Part(mesh), Part(body), pose, query, &cache);
    const Separation cold = distance(mesh, Pose(), body, pose);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", distance " << cold.distance);
    if (found.status == SolveStatus::beyond_limit) {
      EXPECT_LE(found.distance, cold.distance + 1e-9 + cold.distance_error);
    } else {
      EXPECT_NEAR(found.distance, cold.distance, 1e-9 + cold.distance_error + found.distance_error);
    }
  }
}

// Nothing may be said by a plane of cores that overlapped, nor without a memory.
TEST(FarEnough, IsNotAskedOfAnOverlapOrOfAColdPair) {
  const Shape a(Box({0.5, 0.5, 0.5}));
  const Shape b = Shape(Cylinder(0.3, 0.4));
  PairQuery query;
  query.far_enough = 0.01;
  PairCache cache;
  const Separation cold = separate(Part(a), Part(b), Pose({0.0, 0.1, 0.95}), query, &cache);
  EXPECT_EQ(cold.status, SolveStatus::converged);
  static_cast<void>(distance(a, Pose(), b, Pose({0.0, 0.1, 0.85}), {}, &cache));
  ASSERT_TRUE(cache.cores_overlap);
  const Separation parted = separate(Part(a), Part(b), Pose({0.0, 0.1, 0.95}), query, &cache);
  EXPECT_EQ(parted.status, SolveStatus::converged);
  EXPECT_NEAR(parted.distance, 0.05, 1e-9);
}

// Where no depth is asked for, an overlap is none the less one, and a gap is right within its error.
TEST(WithoutDepth, NoOverlapIsCalledApartAndNoGapIsAnotherThanItSays) {
  Random random(6);
  int overlapping = 0;
  for (int trial = 0; trial < (samples::kIsInstrumented ? 1'000 : 8'000); ++trial) {
    const Shape a = samples::random_shape(static_cast<samples::ShapeKind>(random.below(12)), 1.0, random);
    const Shape b = samples::random_shape(static_cast<samples::ShapeKind>(random.below(12)), 1.0, random);
    Pose pose = random.pose(0.7);
    if (random.chance(0.2)) {  // nearly touching
      const Separation found = distance(a, Pose(), b, pose);
      pose = Pose((random.uniform(-1e-10, 1e-10) - found.distance) * found.normal) * pose;
    }
    PairQuery query;
    query.needs_depth = false;
    query.options.max_iterations = random.chance(0.1) ? 2 : 128;
    const Separation exact = distance(a, Pose(), b, pose);
    const Separation found = separate(Part(a), Part(b), pose, query, nullptr);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << a.type_name() << " and " << b.type_name());
    if (exact.distance + exact.distance_error < 0.0) {
      ++overlapping;
      const bool is_limited = found.status == SolveStatus::iteration_limit;
      EXPECT_LE(found.distance - (is_limited ? found.distance_error : 0.0), 0.0);
    } else if (exact.distance > exact.distance_error) {
      EXPECT_NEAR(found.distance, exact.distance, found.distance_error + exact.distance_error);
    }
  }
  EXPECT_GT(overlapping, samples::kIsInstrumented ? 300 : 2'400);
}

}  // namespace
}  // namespace abut

// What a pair with a composite remembers, and what spares leaves that overlap less than others: neither changes an
// answer beyond its error bound.
#include <abut/narrowphase/composite/leaf_gap.h>
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/separate.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "composite_manifold_checks.h"

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

constexpr std::array kComposites{ShapeKind::mesh, ShapeKind::height_field, ShapeKind::compound};

Pose small_step(Random& random) {
  return Pose(0.03 * random.vector(-1, 1), Quaterniond(Eigen::AngleAxisd(0.03, random.direction())));
}

TEST(CompositeMemory, ChangesNoAnswerBeyondItsErrorBound) {
  int colliding = 0;
  int apart = 0;
  for (const ShapeKind composite : kComposites) {
    for (std::uint32_t other = 0; other < samples::kShapeKinds; ++other) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(77 * seed + other);
        const Shape a = samples::random_shape(composite, 1.0, random);
        const Shape b = samples::random_shape(static_cast<ShapeKind>(other), 0.7, random);
        const Pose pose_a = random.pose(1.0);
        Pose pose_b = random.pose(1.5);
        PairCache memory;
        PairCache memory_of_collision;
        for (int frame = 0; frame < 6; ++frame) {
          SCOPED_TRACE(testing::Message()
                       << a.type_name() << " against " << b.type_name() << ", seed " << seed << ", frame " << frame);
          const Separation cold = distance(a, pose_a, b, pose_b);
          const Separation warm = distance(a, pose_a, b, pose_b, {}, &memory);
          const double rounding = 1e-9 + cold.distance_error + warm.distance_error;
          EXPECT_NEAR(warm.distance, cold.distance, rounding);
          EXPECT_NEAR((warm.point_b - warm.point_a).dot(warm.normal), warm.distance, rounding);
          EXPECT_EQ(collides(a, pose_a, b, pose_b, 0.0, {}, &memory_of_collision), collides(a, pose_a, b, pose_b));
          EXPECT_TRUE(memory.has_solution);
          (cold.distance > 0.0 ? apart : colliding) += 1;
          pose_b = pose_b * small_step(random);
        }
      }
    }
  }
  EXPECT_GT(apart, 200);
  EXPECT_GT(colliding, 200);
}

TEST(Composites, BoundTheErrorOfWhatTheyLeaveOutInsideCompounds) {
  // A mesh in a compound beside a ball that is as deep but for a little: within the tolerance either may answer, and
  // the bound tells.
  Random random(11);
  const TriangleMesh mesh = samples::l_mesh(1.0);
  DistanceOptions options;
  options.tolerance = 1e-3;
  int bounded = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Pose turn(Vector3d::Zero(), random.rotation());
    const Shape probe = samples::random_shape(ShapeKind::smooth_hull, 0.7, random);
    const Pose pose = random.pose(0.9);
    const double of_mesh = distance(mesh, turn, probe, pose).distance;
    const Shape ball(Sphere(0.2));
    const Separation alone = distance(ball, Pose(Vector3d(5, 0, 0)), probe, pose);
    const double wanted = of_mesh + random.uniform(-1e-7, 1e-7);
    const Pose at(Vector3d(5, 0, 0) + (alone.distance - wanted) * alone.normal);
    const double of_ball = distance(ball, at, probe, pose).distance;
    if (of_mesh > -0.01 || std::abs(of_ball - of_mesh) > 1e-6) continue;
    const Compound compound({{ball, at}, {mesh, turn}});
    const Separation loose = distance(compound, Pose(), probe, pose, options);
    EXPECT_NEAR(loose.distance, std::min(of_ball, of_mesh), 1e-10 + loose.distance_error);
    bounded += loose.distance_error > 1e-9 ? 1 : 0;
  }
  EXPECT_GT(bounded, 10);
}

TEST(CompositeMemory, SparesLeavesOnCoherentMotion) {
  Random random(3);
  int cold = 0;
  int warm = 0;
  for (int pair = 0; pair < 60; ++pair) {
    const Shape mesh = samples::random_shape(ShapeKind::mesh, 1.0, random);
    const Shape body = samples::random_shape(ShapeKind::smooth_hull, 0.7, random);
    Pose pose = random.pose(0.8);
    PairCache memory;
    for (int frame = 0; frame < 6; ++frame) {
      warm += distance(mesh, Pose(), body, pose, {}, &memory).iterations;
      cold += distance(mesh, Pose(), body, pose).iterations;
      pose = pose * small_step(random);
    }
  }
  EXPECT_LT(warm, 0.8 * cold);
}

TEST(CompositeMemory, LeavesThatDoNotExistAreNotAsked) {
  Random random(4);
  for (const ShapeKind composite : kComposites) {
    const Shape a = samples::random_shape(composite, 1.0, random);
    const Shape b = samples::random_shape(ShapeKind::box, 0.7, random);
    const Pose pose = random.pose(1.5);
    const Separation cold = distance(a, Pose(), b, pose);
    for (const std::uint32_t item : {0u, 1u, 1000000u, ~0u}) {
      for (const std::uint32_t count : {0u, 1u, 2u, 3u, 7u}) {
        PairCache memory;
        memory.has_solution = true;
        memory.corners.count = count;
        memory.corners.of_a.fill(item);
        memory.corners.of_b.fill(~item);
        EXPECT_NEAR(distance(a, Pose(), b, pose, {}, &memory).distance, cold.distance, 1e-9);
        memory.corners = {count, {item, item, item}, {item, item, item}};
        EXPECT_EQ(collides(a, Pose(), b, pose, 0.0, {}, &memory), cold.distance <= 0.0);
      }
    }
  }
}

TEST(CompositeMemory, TheMemoryOfAnotherMeshChangesNoAnswer) {
  // A mesh with fewer triangles in the place of another one, with the memory of the first.
  Random random(5);
  const Shape ball(Sphere(0.3));
  for (int trial = 0; trial < 50; ++trial) {
    const Pose pose = random.pose(1.0);
    PairCache memory;
    const Shape large = samples::random_shape(ShapeKind::mesh, 1.0, random);
    static_cast<void>(distance(large, Pose(), ball, pose, {}, &memory));
    const Shape small(TriangleMesh({Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)}, {{0, 1, 2}}));
    EXPECT_NEAR(distance(small, Pose(), ball, pose, {}, &memory).distance, distance(small, Pose(), ball, pose).distance,
                1e-9);
  }
}

// The triangle that is shown, of a mesh.
class TriangleShown final : public detail::LeafVisitor {
 public:
  std::optional<Triangle> triangle;

  void visit(const detail::Part& a, const Pose&, const detail::Part&, const Pose&) override {
    triangle = a.as<Triangle>();
  }
};

TEST(AnsweringLeaves, HoldTheWitnessPointsWhereOthersAreAsNear) {
  // A box level with flat ground: many triangles are as near, or as deep, and the memory says which of them answers.
  Random random(8);
  const TriangleMesh grid = samples::flat_mesh(8, 0.25, 0.0, random);
  const Shape ground(grid);
  const Shape box(Box(Vector3d(0.6, 0.6, 0.25)));
  std::set<std::uint32_t> answered;
  for (const double gap : {0x1p-4, 0x1p-13}) {  // nothing rounds, so that they are as near to the bit
    const Pose pose(Vector3d(0.0, 0.0, 0.25 + gap));
    for (std::uint32_t item = 0; item < grid.triangles().size(); ++item) {
      PairCache memory;
      memory.corners = {1, {item, 0, 0}, {0, 0, 0}};
      const Separation s = distance(ground, Pose(), box, pose, {}, &memory);
      EXPECT_NEAR(s.distance, gap, 1e-12);
      answered.insert(memory.corners.of_a[0]);
      TriangleShown shown;
      detail::visit_answering_leaves(detail::Part(ground), detail::Part(box), pose, s, shown);
      ASSERT_TRUE(shown.triangle);
      EXPECT_NEAR(distance(*shown.triangle, Pose(), Sphere(0.01), Pose(s.point_a)).distance, -0.01, 1e-9);
      const SeparationDerivatives found = derivatives(ground, Pose(), box, pose, s);
      EXPECT_NEAR((found.by_b.distance.head<3>() - Eigen::RowVector3d::UnitZ()).norm(), 0.0, 1e-9);
    }
  }
  EXPECT_GT(answered.size(), 20u);
}

TEST(LeastDepth, IsProvenNotToBeReachedOrTheDepthIsKnown) {
  Random random(6);
  int shallow = 0;
  int known = 0;
  for (int trial = 0; trial < (samples::kIsInstrumented ? 1000 : 3000); ++trial) {
    const auto kind_of = [&] { return static_cast<ShapeKind>(random.below(12)); };
    const Shape a = samples::random_shape(kind_of(), 1.0, random);
    const Shape b = samples::random_shape(kind_of(), 1.0, random);
    const Pose pose = random.pose(0.6);
    const Separation exact = distance(a, Pose(), b, pose);
    if (exact.distance >= 0.0) continue;
    SCOPED_TRACE(testing::Message() << a.type_name() << " and " << b.type_name() << ", trial " << trial);
    detail::PairQuery query;
    query.least_depth = random.uniform(0.3, 1.7) * -exact.distance;
    const Separation found = detail::separate(detail::Part(a), detail::Part(b), pose, query, nullptr);
    const double rounding = 1e-9 + exact.distance_error + found.distance_error;
    if (found.status == SolveStatus::beyond_limit) {
      ++shallow;
      EXPECT_LT(-found.distance, query.least_depth);
      EXPECT_LE(found.distance, exact.distance + 1e-9 + exact.distance_error);
      EXPECT_GE(found.distance + found.distance_error, exact.distance - 1e-9 - exact.distance_error);
    } else {
      ++known;
      EXPECT_NEAR(found.distance, exact.distance, rounding);
    }
  }
  EXPECT_GT(shallow, samples::kIsInstrumented ? 100 : 300);
  EXPECT_GT(known, samples::kIsInstrumented ? 100 : 300);
}

TEST(LeafGap, IsABoundOfTheDistanceOfLeaves) {
  Random random(7);
  int tight = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Shape a = trial % 2 == 0 ? Shape(samples::random_shape(ShapeKind::triangle, 1.0, random))
                                   : samples::random_shape(static_cast<ShapeKind>(random.below(12)), 1.0, random);
    const HeightField field(Eigen::MatrixXd::Constant(2, 2, 0.4), Eigen::Vector2d(1, 1), 0.0);
    const Triangle triangle({random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1)});
    const detail::PointSet prism(field.prism(random.below(2)));
    const detail::Part of_a(a);
    const detail::Part of_b = random.chance(0.5) ? detail::Part(triangle) : detail::Part(prism);
    const Pose frame_from_a = random.pose(0.5);
    const Pose frame_from_b = random.pose(0.5);
    const Separation exact = detail::separate(of_a, of_b, Pose::relative(frame_from_a, frame_from_b), {}, nullptr);
    const double rounding = 1e-9 + exact.distance_error;
    const detail::LeafGap gap(of_a, frame_from_a, of_b, frame_from_b);
    for (int i = 0; i < 5; ++i) EXPECT_LE(gap.along(random.direction()), exact.distance + rounding);
    const double of_faces = gap.along_faces(std::numeric_limits<double>::infinity());
    EXPECT_LE(of_faces, exact.distance + rounding);
    const double of_normal = gap.along(frame_from_a.rotate(exact.normal));
    EXPECT_NEAR(of_normal, exact.distance, 1e-6);
    tight += of_faces > exact.distance - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(tight, 100);
}

}  // namespace
}  // namespace abut

// Poses whose rotations are orthonormal only roughly, as products of very many or numbers of single precision are:
// normals are unit all the same, and contacts have the points that they have of proper poses.
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/shape_cast.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/rotate_unit.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

#include <cmath>
#include <limits>
#include <optional>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

constexpr double kUnitError = 1e-9;

/// As far off as Pose::from_stored takes it.
Pose rough_pose(const Pose& pose, Random& random) {
  Matrix3d stretch;
  for (int i = 0; i < 3; ++i) stretch.col(i) = random.vector(-2e-4, 2e-4);
  return Pose::from_stored(pose.translation(), pose.rotation() * (Matrix3d::Identity() + stretch));
}

/// Its numbers rounded to single precision.
Pose single_precision(const Pose& pose) {
  return Pose::from_stored(pose.translation(), pose.rotation().cast<float>().cast<double>());
}

Shape any_shape(Random& random) {
  const std::uint32_t kind = random.below(samples::kShapeKinds + 1);
  if (kind == samples::kShapeKinds) return HalfSpace(random.direction(), random.uniform(-0.3, 0.3));
  return samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
}

TEST(RoughPoses, NormalsOfSeparationsAndContactPointsAreUnit) {
  Random random(1);
  int points = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 1000 : 6000); ++i) {
    const Shape a = any_shape(random);
    const Shape b = any_shape(random);
    if (!a.is_bounded() && !b.is_bounded()) continue;
    const Pose world_from_a = rough_pose(random.pose(1.0), random);
    const Pose world_from_b = rough_pose(random.pose(1.0), random);
    const Separation separation = distance(a, world_from_a, b, world_from_b);
    ASSERT_NEAR(separation.normal.norm(), 1.0, kUnitError) << a.type_name() << " against " << b.type_name();
    if (separation.distance > 0.05) continue;
    const ContactManifold manifold =
        contact_manifold(a, world_from_a, b, world_from_b, separation, {.max_distance = 0.05});
    for (const ContactPoint& point : manifold.points()) {
      ASSERT_NEAR(point.normal.norm(), 1.0, kUnitError) << a.type_name() << " against " << b.type_name();
      ASSERT_TRUE(point.point_a.allFinite() && point.point_b.allFinite() && std::isfinite(point.distance));
      ++points;
    }
  }
  EXPECT_GT(points, 500);
}

TEST(RoughPoses, NormalsOfRaysAndCastsAreUnit) {
  Random random(2);
  int hits = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 500 : 5000); ++i) {
    const Shape shape = any_shape(random);
    const Pose pose = rough_pose(random.pose(1.0), random);
    const Vector3d origin = random.vector(-4.0, 4.0);
    const Vector3d way = pose.translation() + random.vector(-0.5, 0.5) - origin;
    if (const std::optional<RayCastHit> hit = ray_cast({.origin = origin, .direction = way}, shape, pose, {})) {
      ASSERT_NEAR(hit->normal.norm(), 1.0, kUnitError) << shape.type_name();
      ++hits;
    }
    const Shape ball = Sphere(0.1);
    const ShapeCast cast = shape_cast(ball, {.start = Pose(origin), .linear = way}, shape, pose);
    if (cast.outcome != ShapeCastOutcome::hit) continue;
    ASSERT_NEAR(cast.contact.normal.norm(), 1.0, kUnitError) << shape.type_name();
    ++hits;
  }
  EXPECT_GT(hits, 500);
}

TEST(RoughPoses, ABoxRestsOnFourPointsWhateverThePrecisionOfThePoses) {
  Random random(3);
  const Shape box = Box({0.5, 0.4, 0.3});
  const TriangleMesh ground({{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, {{0, 1, 2}});
  for (int i = 0; i < 200; ++i) {
    const Pose world = random.pose(1.0);
    const Pose above = world * Pose(Vector3d(0.1, 0.05, 0.6), Quaterniond(Eigen::AngleAxisd(0.3, Vector3d::UnitZ())));
    const Pose mesh_below = world * Pose(Vector3d(0.0, 0.0, 0.3));
    for (const bool is_mesh : {false, true}) {
      const Shape below = is_mesh ? Shape(ground) : box;
      const Pose pose_below = rough_pose(is_mesh ? mesh_below : world, random);
      const Pose pose_above = single_precision(above);
      const Separation separation = distance(below, pose_below, box, pose_above);
      const ContactManifold manifold =
          contact_manifold(below, pose_below, box, pose_above, separation, {.max_distance = 0.01});
      EXPECT_EQ(manifold.points().size(), 4u) << (is_mesh ? "on a mesh" : "on a box") << ", " << i;
    }
  }
}

TEST(RoughPoses, ProperRotationsTurnNormalsAsTheyTurnAllElse) {
  Random random(4);
  for (int i = 0; i < 10000; ++i) {
    const Pose pose = random.pose(1.0) * random.pose(1.0) * random.pose(1.0);
    const Vector3d normal = random.direction();
    ASSERT_EQ(detail::rotate_unit(pose, normal), pose.rotate(normal));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(detail::rotate_unit(Pose(), Vector3d::Zero()), Vector3d::Zero());
  EXPECT_TRUE(detail::rotate_unit(Pose(), Vector3d(nan, 0, 0)).hasNaN());
}

}  // namespace
}  // namespace abut

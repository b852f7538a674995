// Contact manifolds in the plane: where their points lie, how many there are, and that their ids stay.
#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_manifold.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "planar_samples.h"

namespace abut::planar {
namespace {

using samples::Random;

const Shape& unit_square() {
  static const Shape square = Shape::polygon(std::vector<Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
  return square;
}

ContactManifold manifold_of(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                            const ManifoldOptions& options = {}) {
  return contact_manifold(a, pose_a, b, pose_b, separation(a, pose_a, b, pose_b), options);
}

TEST(PlanarManifold, OfSidesIsTheStretchThatTheyShare) {
  const ContactManifold manifold = manifold_of(unit_square(), {}, unit_square(), {{1.9, 0.5}, 0.0});
  ASSERT_EQ(manifold.points().size(), 2u);
  double low = 10.0;
  double high = -10.0;
  for (const ContactPoint& point : manifold.points()) {
    EXPECT_NEAR(point.distance, -0.1, 1e-15);
    EXPECT_NEAR(point.point_a.x(), 1.0, 1e-15);
    EXPECT_NEAR(point.point_b.x(), 0.9, 1e-15);
    EXPECT_NEAR(point.point_a.y(), point.point_b.y(), 1e-15);
    low = std::min(low, point.point_a.y());
    high = std::max(high, point.point_a.y());
  }
  EXPECT_NEAR(low, -0.5, 1e-15);
  EXPECT_NEAR(high, 1.0, 1e-15);
  EXPECT_NE(manifold.points()[0].feature_id, manifold.points()[1].feature_id);
}

TEST(PlanarManifold, OfATiltedSideHasTheDeeperEndFirst) {
  const Pose pose({2.0, 0.0}, 0.02);
  const ContactManifold manifold = manifold_of(unit_square(), {}, unit_square(), pose);
  ASSERT_EQ(manifold.points().size(), 2u);
  EXPECT_NEAR(manifold.points()[0].distance, separation(unit_square(), {}, unit_square(), pose).distance, 1e-15);
  EXPECT_GT(manifold.points()[1].distance, manifold.points()[0].distance + 0.03);
  // The farther one is left out where it is farther than asked for, the first one never.
  EXPECT_EQ(manifold_of(unit_square(), {}, unit_square(), pose, {.max_distance = 0.01}).points().size(), 1u);
  EXPECT_EQ(manifold_of(unit_square(), {}, unit_square(), {{4.0, 0.0}, 0.02}, {.max_distance = 0.01}).points().size(),
            1u);
  EXPECT_EQ(manifold_of(unit_square(), {}, unit_square(), pose, {.max_tilt = 0.01}).points().size(), 1u);
}

TEST(PlanarManifold, OfCornersAndDiscsIsOnePoint) {
  EXPECT_EQ(manifold_of(unit_square(), {}, unit_square(), {{2.4, 0.0}, std::numbers::pi / 4.0}).points().size(), 1u);
  EXPECT_EQ(manifold_of(unit_square(), {}, Shape::circle(0.5), {{1.4, 0.0}, 0.0}).points().size(), 1u);
  EXPECT_EQ(manifold_of(Shape::circle(0.5), {}, Shape::capsule(0.5, 1.0), {{0.0, 0.9}, 0.0}).points().size(), 1u);
  EXPECT_EQ(manifold_of(Shape::capsule(0.5, 1.0), {}, Shape::capsule(0.5, 1.0), {{0.5, 0.9}, 0.0}).points().size(), 2u);
}

TEST(PlanarManifold, PointsLieOnBothBoundariesAndTheFirstIsAsDeepAsTheSeparation) {
  int two = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = samples::random_planar_shape(random.below(4), 1.0, random);
    const Shape b = samples::random_planar_shape(random.below(4), 1.0, random);
    const Pose pose_b = samples::random_planar_pose(3.0, random);
    Pose pose_a = samples::random_planar_pose(3.0, random);
    if (random.chance(0.5)) {  // sides face each other
      const Separation rough = separation(a, pose_a, b, pose_b);
      if (a.corners().size() > 1 && b.corners().size() > 1) {
        const Vector2d side_a = a.outline().normals()[random.below(static_cast<std::uint32_t>(a.corners().size()))];
        const Vector2d to_b = pose_a.unrotate(rough.normal);
        const double turn =
            std::atan2(detail::plane_vector(side_a).cross(detail::plane_vector(to_b)), side_a.dot(to_b));
        pose_a = Pose(pose_a.translation, pose_a.angle() + turn + random.uniform(-0.02, 0.02));
      }
      pose_a = samples::moved_apart(a, pose_a, b, pose_b, random.uniform(-1e-3, 1e-3));
    }
    const Separation s = separation(a, pose_a, b, pose_b);
    const ContactManifold manifold = contact_manifold(a, pose_a, b, pose_b, s);
    ASSERT_GE(manifold.points().size(), 1u);
    EXPECT_NEAR(manifold.points()[0].distance, s.distance, 1e-9 * 4.0);
    for (const ContactPoint& point : manifold.points()) {
      EXPECT_LT((point.point_b - point.point_a - point.distance * s.normal).norm(), 1e-12);
      const Shape probe = Shape::circle(1e-3);  // about a point of a boundary: as deep in it as its radius
      if (s.distance < 0.05 && s.distance > -0.05) {
        EXPECT_NEAR(separation(a, pose_a, probe, {point.point_a, 0.0}).distance, -1e-3, 1e-9);
        EXPECT_NEAR(separation(b, pose_b, probe, {point.point_b, 0.0}).distance, -1e-3, 1e-9);
      }
    }
    if (manifold.points().size() == 2) {
      ++two;
      EXPECT_GE(manifold.points()[1].distance, manifold.points()[0].distance);
      EXPECT_NE(manifold.points()[0].feature_id, manifold.points()[1].feature_id);
    }
    const ContactManifold swapped = contact_manifold(b, pose_b, a, pose_a, separation(b, pose_b, a, pose_a));
    EXPECT_NEAR(swapped.points()[0].distance, manifold.points()[0].distance, 1e-8);
  }
  EXPECT_GT(two, 300);
}

TEST(PlanarManifold, KeepsItsIdsWhileTheSameSidesSlideOnEachOther) {
  const ContactManifold first = manifold_of(unit_square(), {}, unit_square(), {{2.0, 0.5}, 0.0});
  for (double y = 0.5; y < 1.5; y += 0.05) {
    const ContactManifold later = manifold_of(unit_square(), {}, unit_square(), {{2.0 - 1e-3, y}, 0.0});
    ASSERT_EQ(later.points().size(), 2u);
    for (const ContactPoint& point : later.points()) {
      const bool is_known =
          point.feature_id == first.points()[0].feature_id || point.feature_id == first.points()[1].feature_id;
      EXPECT_TRUE(is_known) << y;
    }
  }
}

TEST(PlanarManifold, RefusesOptionsOutOfRangeByName) {
  EXPECT_THROW(static_cast<void>(manifold_of(unit_square(), {}, unit_square(), {}, {.max_tilt = 0.6})), InvalidInput);
  EXPECT_THROW(static_cast<void>(manifold_of(unit_square(), {}, unit_square(), {}, {.max_distance = std::nan("")})),
               InvalidInput);
}

TEST(PlanarManifold, OfLevelSidesHasBothEndsHoweverTheyAreRounded) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const double angle = random.uniform(0, 6);
    const Pose pose_a({random.uniform(-3, 3), random.uniform(-3, 3)}, angle);
    const Pose pose_b(pose_a * Vector2d(2.0 + random.uniform(0.0, 0.2), random.uniform(-1, 1)), angle);
    const double max_distance = random.uniform(-1.0, 0.0);  // below the separation
    EXPECT_EQ(manifold_of(unit_square(), pose_a, unit_square(), pose_b, {.max_distance = max_distance}).points().size(),
              2u)
        << "pair " << i;
  }
}

}  // namespace
}  // namespace abut::planar

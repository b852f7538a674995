// Contact manifolds of cylinders, cones, capsules, half-spaces and smooth bodies.
#include <gtest/gtest.h>
#include <support/poses.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>

#include "manifold_checks.h"

namespace abut {
namespace {

using samples::at;
using samples::checked_manifold;
using samples::has_point_a;
using samples::ids_of;
using samples::support_area;
using samples::turned;
using std::numbers::pi;

const Shape kUnitCube = Box({0.5, 0.5, 0.5});
const Shape kCylinder = Cylinder(0.3, 0.4);
const Shape kCone = Cone(0.3, 0.4);
const Shape kCapsule = Capsule(0.1, 0.4);
const Vector3d kUp = Vector3d::UnitZ();

TEST(ManifoldRound, ACylinderOnItsEndTouchesInASquareOnTheRim) {
  const double disc = pi * 0.09;
  for (const double gap : {0.0, 1e-3, -1e-2}) {
    for (const double angle : {0.0, 0.1, 1.0, 2.0}) {
      for (const bool upside_down : {false, true}) {
        const Quaterniond turn = turned(angle, kUp) * turned(upside_down ? pi : 0.0, Vector3d::UnitX());
        const Pose pose(Vector3d(0.1, 0.05, 0.9 + gap), turn);
        const ContactManifold four = checked_manifold(kUnitCube, Pose(), kCylinder, pose);
        ASSERT_EQ(four.points().size(), 4u);
        EXPECT_GE(support_area(four, kUp), 0.636 * disc);  // a square in a circle: 2/π
        const ContactManifold all = checked_manifold(kUnitCube, Pose(), kCylinder, pose, {.max_points = 16});
        EXPECT_EQ(all.points().size(), 16u);
        EXPECT_GE(support_area(all, kUp), 0.97 * disc);
      }
    }
  }
}

TEST(ManifoldRound, ATiltedCylinderKeepsItsDeepestPointBetweenTheMarks) {
  const double disc = pi * 0.09;
  const double apart = 0.09 * std::acos(1.0 / 3.0) - 0.1 * std::sqrt(0.08);  // of the end, beyond a chord at 0.1 m
  for (int i = 0; i < 32; ++i) {
    const double azimuth = 2.0 * pi * i / 32 + 0.05;
    const Pose pose(Vector3d(0, 0, 0.9 - 0.001), turned(0.01, Vector3d(std::cos(azimuth), std::sin(azimuth), 0)));
    const ContactManifold manifold =
        checked_manifold(kUnitCube, Pose(), kCylinder, pose, {}, {.surface = 1e-8, .sideways = 1e-6, .depth = 1e-6});
    ASSERT_EQ(manifold.points().size(), 4u);
    for (const ContactPoint& point : manifold.points()) EXPECT_LE(point.distance, 2e-4);
    EXPECT_GE(support_area(manifold, kUp), 0.6 * (disc - apart));
  }
}

TEST(ManifoldRound, ACylinderOverTheCornerOfABoxTouchesInWhatLiesOnTheBox) {
  const ContactManifold manifold =
      checked_manifold(kUnitCube, Pose(), kCylinder, at(0.5, 0.5, 0.9), {.max_points = 16});
  EXPECT_TRUE(has_point_a(manifold, {0.5, 0.5, 0.5}));
  EXPECT_TRUE(has_point_a(manifold, {0.2, 0.5, 0.5}));
  EXPECT_TRUE(has_point_a(manifold, {0.5, 0.2, 0.5}));
  EXPECT_NEAR(support_area(manifold, kUp), pi * 0.09 / 4.0, 0.03 * 0.09);
}

TEST(ManifoldRound, ACylinderOnACylinderTouchesInALens) {
  const ContactManifold lens = checked_manifold(kCylinder, Pose(), kCylinder, at(0.2, 0, 0.8));
  ASSERT_EQ(lens.points().size(), 4u);
  const double half_width = std::sqrt(0.09 - 0.01);
  for (const double y : {-half_width, half_width}) EXPECT_TRUE(has_point_a(lens, {0.1, y, 0.4}, 1e-9)) << y;
  EXPECT_TRUE(has_point_a(lens, {0.3, 0, 0.4}));
  EXPECT_TRUE(has_point_a(lens, {-0.1, 0, 0.4}));
  // One inside the other, and both of one size.
  const Shape narrow = Cylinder(0.1, 0.4);
  EXPECT_GE(support_area(checked_manifold(kCylinder, Pose(), narrow, at(0.15, 0, 0.8)), kUp), 0.636 * pi * 0.01);
  EXPECT_GE(support_area(checked_manifold(narrow, Pose(), kCylinder, at(0.15, 0, 0.8)), kUp), 0.636 * pi * 0.01);
  EXPECT_GE(support_area(checked_manifold(kCylinder, Pose(), kCylinder, at(0, 0, 0.8)), kUp), 0.636 * pi * 0.09);
  const Pose tilted(Vector3d(0.001, 0, 0.8), turned(1e-3, Vector3d(1, 2, 0)));
  const ContactManifold nearly = checked_manifold(kCylinder, Pose(), kCylinder, tilted, {.max_points = 16},
                                                  {.surface = 2e-6, .sideways = 1e-6, .depth = 2e-6});
  EXPECT_GE(support_area(nearly, kUp), 0.9 * pi * 0.09);
}

TEST(ManifoldRound, APegOverTheRimOfADrumTouchesInTheSameLensWhicheverIsA) {
  const Shape drum = Cylinder(1.0, 0.5);
  for (const double radius : {0.1, 0.05, 0.02}) {
    const Shape peg = Cylinder(radius, 0.3);
    for (int i = 0; i < 60; ++i) {
      const double angle = 0.3 + 0.1 * i;
      const Vector3d outwards(std::cos(angle), std::sin(angle), 0.0);
      const Vector3d center = (1.0 - (0.05 + 0.009 * i) * radius) * outwards + Vector3d(0, 0, 0.8 - 1e-4);
      const Pose pose(center, turned(0.7 * i, kUp));
      const ContactManifold one = checked_manifold(drum, Pose(), peg, pose, {.max_points = 16});
      const ContactManifold other = checked_manifold(peg, pose, drum, Pose(), {.max_points = 16});
      EXPECT_NEAR(support_area(one, kUp), support_area(other, kUp), 1e-3 * radius * radius) << radius << ' ' << i;
      // The peg stands: its middle, which is over the drum, lies among the points.
      for (const ContactManifold& manifold : {one, other}) {
        double farthest = -1.0;
        for (const ContactPoint& point : manifold.points()) {
          farthest = std::max(farthest, outwards.dot(point.point_a - center));
        }
        EXPECT_GE(farthest, 0.0) << radius << ' ' << i;
      }
    }
  }
}

TEST(ManifoldRound, ACylinderOnItsSideTouchesAlongALine) {
  for (const double gap : {1e-3, -1e-3}) {
    for (const double angle : {0.0, 1e-4, 1e-3}) {
      const Pose lying(Vector3d(0, 0.2, 0.8 + gap), turned(pi / 2 + angle, Vector3d::UnitX()));
      const ContactManifold manifold =
          checked_manifold(kUnitCube, Pose(), kCylinder, lying, {}, {.surface = 2e-6, .sideways = 1e-6, .depth = 2e-6});
      ASSERT_EQ(manifold.points().size(), 2u);
      EXPECT_TRUE(has_point_a(manifold, {0, -0.2, 0.5}, 2e-3));
      EXPECT_TRUE(has_point_a(manifold, {0, 0.5, 0.5}, 2e-3));  // cut off by the face
    }
  }
  const ContactManifold parallel = checked_manifold(kCylinder, Pose(), kCylinder, at(0.601, 0, 0.5), {},
                                                    {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6});
  ASSERT_EQ(parallel.points().size(), 2u);
  EXPECT_TRUE(has_point_a(parallel, {0.3, 0, 0.4}, 1e-5));
  EXPECT_TRUE(has_point_a(parallel, {0.3, 0, 0.1}, 1e-5));
  const Pose across(Vector3d(0.601, 0, 0), turned(pi / 3, Vector3d::UnitX()));
  EXPECT_EQ(
      checked_manifold(kCylinder, Pose(), kCylinder, across, {}, {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6})
          .points()
          .size(),
      1u);
}

TEST(ManifoldRound, ACylinderOnItsRimTouchesInOnePoint) {
  const Pose leaning(Vector3d(0, 0, 0.5 + 0.7 * std::sqrt(0.5)), turned(pi / 4, Vector3d::UnitX()));
  const ContactManifold manifold =
      checked_manifold(kUnitCube, Pose(), kCylinder, leaning, {}, {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6});
  EXPECT_EQ(manifold.points().size(), 1u);
}

TEST(ManifoldRound, ADiscLiesOnBothOfItsSides) {
  const Shape coin = Cylinder(0.2, 0.0);
  const Shape flat_cone = Cone(0.2, 0.0);
  for (const Shape* shape : {&coin, &flat_cone}) {
    for (const double angle : {0.0, pi}) {
      const Pose pose(Vector3d(0, 0, 0.501), turned(angle, Vector3d::UnitX()));
      EXPECT_GE(support_area(checked_manifold(kUnitCube, Pose(), *shape, pose), kUp), 0.636 * pi * 0.04);
    }
    const Pose upright(Vector3d(0, 0, 0.701), turned(pi / 2, Vector3d::UnitX()));
    EXPECT_EQ(
        checked_manifold(kUnitCube, Pose(), *shape, upright, {}, {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6})
            .points()
            .size(),
        1u);
  }
}

TEST(ManifoldRound, AConeOnItsBaseTouchesInASquareOnTheRim) {
  const ContactManifold manifold = checked_manifold(kUnitCube, Pose(), kCone, at(0.1, 0, 0.9));
  ASSERT_EQ(manifold.points().size(), 4u);
  EXPECT_GE(support_area(manifold, kUp), 0.636 * pi * 0.09);
}

TEST(ManifoldRound, AConeOnItsSideTouchesFromRimToApex) {
  const double half_angle = std::atan(0.3 / 0.8);
  // The side line, from (0, -0.3, -0.4) to (0, 0, 0.4), turned down to the table.
  const Quaterniond rotation = turned(pi / 2 + half_angle, Vector3d::UnitX());
  const Vector3d rim = rotation * Vector3d(0, -0.3, -0.4);
  const Vector3d apex = rotation * Vector3d(0, 0, 0.4);
  ASSERT_NEAR(rim.z(), apex.z(), 1e-12);
  const Pose lying(Vector3d(0, 0, 0.501 - apex.z()), rotation);
  const Shape table = Box({2, 2, 0.5});
  const ContactManifold manifold =
      checked_manifold(table, Pose(), kCone, lying, {}, {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6});
  ASSERT_EQ(manifold.points().size(), 2u);
  EXPECT_TRUE(has_point_a(manifold, {0, apex.y(), 0.5}, 1e-6));
  EXPECT_TRUE(has_point_a(manifold, {0, rim.y(), 0.5}, 1e-6));
  const Pose on_apex(Vector3d(0, 0, 0.901), turned(pi, Vector3d::UnitX()));
  EXPECT_EQ(checked_manifold(kUnitCube, Pose(), kCone, on_apex).points().size(), 1u);
}

// All its side lines are nearly as high: rounding would choose one.
TEST(ManifoldRound, AFlatConeOnItsApexTouchesInTheApex) {
  const Shape cone = Cone(1, 0.04);
  const Shape table = Box({2, 2, 0.5});
  samples::Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Quaterniond rotation = turned(1e-12, random.direction()) * turned(pi, Vector3d::UnitX());
    const ContactManifold manifold = checked_manifold(table, Pose(), cone, Pose(Vector3d(0, 0, 0.54), rotation));
    ASSERT_EQ(manifold.points().size(), 1u);
    EXPECT_TRUE(has_point_a(manifold, {0, 0, 0.5}, 1e-6));
  }
  // On its side it still touches along a line.
  const double slope = std::atan(0.08);
  const Quaterniond lying = turned(pi - slope, Vector3d::UnitX());
  const double low = (lying * Vector3d(0, 0, 0.04)).z();
  EXPECT_EQ(checked_manifold(table, Pose(), cone, Pose(Vector3d(0, 0, 0.501 - low), lying), {},
                             {.surface = 1e-6, .sideways = 1e-5, .depth = 1e-6})
                .points()
                .size(),
            2u);
}

TEST(ManifoldRound, ADiscOnItsRimKeepsItsIdHoweverItLeansByRounding) {
  const Shape disc = Cylinder(0.5, 0);
  const Shape ground = HalfSpace({0, 0, 1}, 0);
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 100; ++i) {
    const Quaterniond rotation = turned(0.1 * i, Vector3d::UnitZ()) *
                                 turned(pi / 2 + 1e-15 * (i % 3 - 1), Vector3d::UnitX()) *
                                 turned(0.1 * i, Vector3d::UnitZ());
    ids.merge(ids_of(checked_manifold(ground, Pose(), disc, Pose(Vector3d(0, 0, 0.5), rotation))));
  }
  EXPECT_EQ(ids.size(), 1u);
}

TEST(ManifoldRound, ACapsuleLyingTouchesInTwoPointsAndStandingInOne) {
  for (const double gap : {1e-3, -1e-3, -0.05}) {
    const Pose lying(Vector3d(0, 0.3, 0.6 + gap), turned(pi / 2, Vector3d::UnitX()));
    const ContactManifold manifold = checked_manifold(kUnitCube, Pose(), kCapsule, lying, {}, {.surface = 1e-7});
    ASSERT_EQ(manifold.points().size(), 2u);
    EXPECT_TRUE(has_point_a(manifold, {0, -0.1, 0.5}, 1e-6));
    EXPECT_TRUE(has_point_a(manifold, {0, 0.5, 0.5}, 1e-6));
    EXPECT_EQ(checked_manifold(kUnitCube, Pose(), kCapsule, at(0, 0, 1.0 + gap)).points().size(), 1u);
    const ContactManifold side_by_side = checked_manifold(kCapsule, Pose(), kCapsule, at(0.2 + gap, 0, 0.3));
    ASSERT_EQ(side_by_side.points().size(), 2u);
    EXPECT_TRUE(has_point_a(side_by_side, {0.1, 0, 0.4}));
    EXPECT_TRUE(has_point_a(side_by_side, {0.1, 0, -0.1}));
    const Pose crossing(Vector3d(0.2 + gap, 0, 0), turned(0.5, Vector3d::UnitX()));
    EXPECT_EQ(checked_manifold(kCapsule, Pose(), kCapsule, crossing).points().size(), 1u);
    EXPECT_EQ(checked_manifold(kCapsule, Pose(), kCapsule, at(0, 0, 1.0 + gap)).points().size(), 1u);
  }
}

TEST(ManifoldRound, NearlyParallelCapsulesShareLessAndLess) {
  // The length between the two points falls from the whole to nothing as the angle grows.
  double last = 0.8 + 1e-9;
  for (const double angle : {0.0, 1e-4, 1e-3, 2e-3, 5e-3, 1e-2}) {
    const Pose pose(Vector3d(0.2, 0, 0), turned(angle, Vector3d::UnitX()));
    const ContactManifold manifold = checked_manifold(kCapsule, Pose(), kCapsule, pose, {}, {.sideways = 4.1e-4});
    ASSERT_EQ(manifold.points().size(), 2u) << angle;
    const double length = (manifold.points()[1].point_a - manifold.points()[0].point_a).norm();
    EXPECT_LE(length, last + 1e-9) << angle;
    last = length;
  }
  EXPECT_NEAR(last, 0.08, 0.01);
}

TEST(ManifoldRound, AHalfSpaceTakesAllCornersOfAFeature) {
  const Shape ground(HalfSpace(Vector3d(0, 0, 2), 1.0), 0.1);  // z <= 0.6
  const Pose tilted(Vector3d(1, 2, 3), turned(0.7, Vector3d(1, 2, 3)));
  for (const double gap : {0.01, 0.0, -0.02}) {
    const auto on_ground = [&](const Shape& shape, double height, const Quaterniond& rotation) {
      return checked_manifold(ground, tilted, shape, tilted * Pose(Vector3d(5, 6, 0.6 + height + gap), rotation), {},
                              {.surface = 1e-6, .sideways = 1e-6, .depth = 1e-6})
          .points()
          .size();
    };
    const Quaterniond none = Quaterniond::Identity();
    const Quaterniond lying = turned(pi / 2, Vector3d::UnitX());
    EXPECT_EQ(on_ground(kUnitCube, 0.5, none), 4u);
    EXPECT_EQ(on_ground(kUnitCube, std::sqrt(0.5), turned(pi / 4, Vector3d::UnitX())), 2u);
    EXPECT_EQ(on_ground(kCylinder, 0.4, none), 4u);
    EXPECT_EQ(on_ground(kCylinder, 0.3, lying), 2u);
    EXPECT_EQ(on_ground(kCone, 0.4, none), 4u);
    EXPECT_EQ(on_ground(kCapsule, 0.1, lying), 2u);
    EXPECT_EQ(on_ground(kCapsule, 0.5, none), 1u);
    EXPECT_EQ(on_ground(Sphere(0.2), 0.2, none), 1u);
    EXPECT_EQ(on_ground(Ellipsoid({0.1, 0.2, 0.3}), 0.3, none), 1u);
    const ContactManifold swapped =
        checked_manifold(kUnitCube, tilted * at(5, 6, 0.6 + 0.5 + gap), ground, tilted, {.max_points = 16});
    EXPECT_EQ(swapped.points().size(), 4u);
  }
}

TEST(ManifoldRound, SmoothBodiesTouchInTheWitnessPoint) {
  const Shape ball = Sphere(0.2);
  const Separation s = distance(kUnitCube, Pose(), ball, at(0.1, 0.2, 0.69));
  const ContactManifold manifold = contact_manifold(kUnitCube, Pose(), ball, at(0.1, 0.2, 0.69), s);
  ASSERT_EQ(manifold.points().size(), 1u);
  EXPECT_EQ(manifold.points()[0].point_a, s.point_a);
  EXPECT_EQ(manifold.points()[0].point_b, s.point_b);
  EXPECT_EQ(manifold.points()[0].distance, s.distance);
}

}  // namespace
}  // namespace abut

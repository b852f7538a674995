// Where derivatives do not exist, their flags say so, and what is given is finite and one of those nearby.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/poses.h>
#include <support/random_shapes.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace abut {
namespace {

using samples::at;
using samples::Random;

struct Flags {
  bool distance;
  bool points;
  bool normal;
};

void expect_flags(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, const Flags& expected) {
  const auto check = [&](const Shape& p, const Pose& pose_p, const Shape& q, const Pose& pose_q) {
    const Separation s = distance(p, pose_p, q, pose_q);
    const SeparationDerivatives found = derivatives(p, pose_p, q, pose_q, s);
    EXPECT_EQ(found.is_distance_smooth, expected.distance);
    EXPECT_EQ(found.are_points_smooth, expected.points);
    EXPECT_EQ(found.is_normal_smooth, expected.normal);
    for (const PoseDerivatives* by : {&found.by_a, &found.by_b}) {
      EXPECT_TRUE(by->distance.allFinite());
      EXPECT_TRUE(by->point_a.allFinite());
      EXPECT_TRUE(by->point_b.allFinite());
      EXPECT_TRUE(by->normal.allFinite());
    }
    EXPECT_LT((found.by_b.distance.head<3>().transpose() - s.normal).norm(), 1e-6);
  };
  check(a, pose_a, b, pose_b);
  check(b, pose_b, a, pose_a);
  // Anywhere in the world.
  const Pose elsewhere(Vector3d(3.0, -5.0, 7.0), Quaterniond(0.3, -0.5, 0.7, 0.2).normalized());
  check(a, elsewhere * pose_a, b, elsewhere * pose_b);
}

constexpr Flags kNone{false, false, false};
constexpr Flags kAll{true, true, true};
constexpr Flags kDistanceOnly{true, false, false};
constexpr Flags kNormalOnly{false, false, true};

Pose turned(const Vector3d& place, const Vector3d& axis, double angle) {
  return Pose(place, Quaterniond(Eigen::AngleAxisd(angle, axis.normalized())));
}

const Shape& cube() {
  static const Shape shape = Box(Vector3d(1, 1, 1));
  return shape;
}

TEST(DerivativeFlags, ParallelFacesApartAndTouchingHaveNone) {
  expect_flags(cube(), Pose(), cube(), at(0.3, 0.2, 3.0), kNone);
  expect_flags(cube(), Pose(), cube(), at(0.3, 0.2, 2.0), kNone);
  expect_flags(cube(), Pose(), cube(), turned({0.3, 0.2, 1.9}, Vector3d::UnitZ(), 0.4), kNone);
  const Shape plate = PaddedPolygon(std::vector<Eigen::Vector2d>{{-1, -1}, {1, -1}, {0, 1}}, 0.1);
  expect_flags(plate, Pose(), cube(), at(0.0, 0.0, 2.5), kNone);
  const Shape can = Cylinder(1.0, 1.0);
  expect_flags(can, Pose(), cube(), at(0.2, 0.1, 3.0), kNone);
  expect_flags(can, Pose(), can, at(0.2, 0.1, 3.0), kNone);
}

TEST(DerivativeFlags, ParallelEdgesAndSidesHaveNone) {
  const Shape rod = Capsule(0.2, 1.0);
  expect_flags(rod, Pose(), rod, at(2.0, 0.0, 0.5), kNone);
  expect_flags(rod, Pose(), cube(), at(3.0, 0.0, 0.5), kNone);  // along a face
  // The edges of two cubes, each turned by 45° about the same axis.
  const double eighth = std::numbers::pi / 4.0;
  expect_flags(cube(), turned(Vector3d::Zero(), Vector3d::UnitZ(), eighth), cube(),
               turned({4.0, 0.0, 0.3}, Vector3d::UnitZ(), eighth), kNone);
  const Shape can = Cylinder(0.5, 1.0);
  expect_flags(can, Pose(), can, at(2.0, 1.0, 0.2), kNone);
}

TEST(DerivativeFlags, CrossedEdgesAndCornersAgainstFacesHaveAll) {
  const double eighth = std::numbers::pi / 4.0;
  expect_flags(cube(), turned(Vector3d::Zero(), Vector3d::UnitZ(), eighth), cube(),
               turned({4.0, 0.0, 0.3}, Vector3d::UnitY(), eighth), kAll);
  const Pose on_corner(Vector3d(0.1, 0.2, 3.5), Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), -Vector3d::UnitZ()));
  expect_flags(cube(), Pose(), cube(), on_corner, kAll);
  expect_flags(cube(), Pose(), cube(), at(0, 0, -0.8) * on_corner, kAll);  // overlapping by 3 cm
  expect_flags(cube(), Pose(), Shape(Cone(0.5, 0.5)), turned({0.1, 0.2, 2.0}, Vector3d::UnitX(), 2.9), kAll);
}

TEST(DerivativeFlags, BetweenFaceAndEdgeOnlyTheDistanceIsSmooth) {
  // The ball's centre projects on the edge of the face.
  expect_flags(cube(), Pose(), Shape(Sphere(0.5)), at(1.0, 0.0, 2.0), kDistanceOnly);
  expect_flags(cube(), Pose(), Shape(Sphere(0.5)), at(1.0, 1.0, 2.0), kDistanceOnly);
  expect_flags(cube(), Pose(), Shape(Sphere(0.5)), at(1.0 - 1e-4, 0.0, 2.0), kAll);
  expect_flags(cube(), Pose(), Shape(Sphere(0.5)), at(1.0 + 1e-4, 0.0, 2.0), kAll);
  // At the end of a capsule's segment, and of a can's side.
  expect_flags(Shape(Capsule(0.2, 1.0)), Pose(), Shape(Sphere(0.5)), at(2.0, 0.0, 1.0), kDistanceOnly);
  expect_flags(Shape(Cylinder(0.2, 1.0)), Pose(), Shape(Sphere(0.5)), at(2.0, 0.0, 1.0), kDistanceOnly);
}

// Between two corners the normal turns by the motion over the gap: a motion of the margin may take it to an edge.
TEST(DerivativeFlags, CornersThatNearlyTouchLeaveEachOtherSoon) {
  const Vector3d corner(1.0, 1.0, 1.0);
  const Vector3d normal = Vector3d(1e-4, 1.0, 1.0).normalized();  // nearly across the cube's edge along x
  const auto flags_at = [&](double gap, const Flags& expected) {
    SCOPED_TRACE(gap);
    const Vector3d tip = corner + gap * normal;
    const Triangle triangle({tip, tip + Vector3d(0.3, 2.0, 1.0), tip + Vector3d(0.3, 1.0, 2.0)});
    expect_flags(cube(), Pose(), triangle, Pose(), expected);
  };
  flags_at(1.0, kAll);
  flags_at(0.1, kAll);
  flags_at(1e-4, kDistanceOnly);
  flags_at(1e-5, kDistanceOnly);
}

TEST(DerivativeFlags, ConcentricAndCoaxialBodiesHaveNone) {
  const Shape ball = Sphere(1.0);
  expect_flags(ball, Pose(), ball, Pose(), kNone);
  expect_flags(ball, Pose(), Shape(Sphere(0.3)), Pose(), kNone);
  const Shape lens = Ellipsoid(Vector3d(0.5, 0.4, 0.3));
  expect_flags(lens, Pose(), lens, Pose(), kNone);
  // Across a round body's axis a whole circle is as good.
  const Shape rod = Ellipsoid(Vector3d(0.2, 0.2, 1.0));
  expect_flags(rod, Pose(), ball, Pose(), kNone);
  const Shape pill = Capsule(0.2, 1.0);
  expect_flags(pill, Pose(), ball, at(0, 0, 0.3), kNone);
  // Six faces, four or two are as near.
  expect_flags(cube(), Pose(), cube(), Pose(), kNone);
  expect_flags(cube(), Pose(), Shape(Sphere(0.2)), Pose(), kNone);
  expect_flags(cube(), Pose(), Shape(Sphere(0.2)), at(0.5, 0.5, 0.0), kNone);
  expect_flags(cube(), Pose(), Shape(Sphere(0.2)), at(0.5, 0.4, 0.0), kAll);
  expect_flags(lens, Pose(), Shape(Box(Vector3d(0.5, 0.6, 0.7))), Pose(), kNone);
}

TEST(DerivativeFlags, BallsAsDeepBelowTheEndAsBelowTheSideHaveNone) {
  const Shape ball = Sphere(0.25);
  expect_flags(Cylinder(1.0, 1.0), Pose(), ball, at(0.5, 0.0, 0.5), kNone);
  expect_flags(Cylinder(1.0, 1.0), Pose(), ball, at(0.3, 0.4, -0.5), kNone);
  expect_flags(Cylinder(1.0, 1.0), Pose(), ball, at(0.5, 0.0, 0.4), kAll);
  // The centre of the circle that touches base and slant, moved along the bisector of the base's rim.
  const double slant_angle = std::atan2(2.0, 1.0);
  const Vector3d inwards(-std::cos(0.5 * slant_angle), 0.0, std::sin(0.5 * slant_angle));
  const Vector3d equal = Vector3d(1.0, 0.0, -1.0) + 0.6 * inwards;
  expect_flags(Cone(1.0, 1.0), Pose(), ball, Pose(equal), kNone);
  expect_flags(Cone(1.0, 1.0), Pose(), ball, Pose(equal - Vector3d(0.0, 0.0, 0.05)), kAll);
}

TEST(DerivativeFlags, CylindersAndPolygonsHaveNoneBetweenTheirLines) {
  // Parallel cylinders, as deep along their axes as across them.
  const Shape wide = Cylinder(1.0, 1.0);
  const Shape thin = Cylinder(0.5, 1.0);
  const Pose beside = at(0.6, 0.8, 1.5);
  EXPECT_FALSE(derivatives(wide, Pose(), thin, beside, distance(wide, Pose(), thin, beside)).is_distance_smooth);
  EXPECT_FALSE(derivatives(thin, beside, wide, Pose(), distance(thin, beside, wide, Pose())).is_distance_smooth);
  // A segment through a square: as deep across two sides of the square that meet.
  const Shape plate = PaddedPolygon(std::vector<Eigen::Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.1);
  const Shape pin = Capsule(0.1, 3.0);
  expect_flags(plate, Pose(), pin, at(0.75, 0.75, 0.0), kNone);
  expect_flags(plate, Pose(), pin, at(0.75, 0.7, 0.0), kAll);
}

TEST(DerivativeFlags, RoundBodiesWithAxesInOnePlaneHaveNoneWhereTheNormalLeavesThePlane) {
  // The axes cross: what is pushed out along the normal may as well be pushed out along its mirror image.
  int checked = 0;
  for (const double angle : {0.3, 0.7, 1.1, 1.5}) {
    const std::vector<Shape> shapes = {Shape(Cone(0.6, 0.5)), Shape(Cone(0.9, 0.4)), Shape(Cylinder(0.4, 0.7)),
                                       Shape(Capsule(0.3, 0.8)), Shape(Ellipsoid(Vector3d(0.4, 0.4, 0.7)))};
    // Each is turned about its axis too, so that the plane is none of their coordinate planes.
    const Pose pose_a = turned(Vector3d::Zero(), Vector3d::UnitZ(), 0.5);
    const Pose pose =
        turned({0.02, 0.0, 0.03}, Vector3d::UnitY(), angle) * turned(Vector3d::Zero(), Vector3d::UnitZ(), 0.9);
    for (const Shape& a : shapes) {
      for (const Shape& b : shapes) {
        const Separation s = distance(a, pose_a, b, pose);
        if (std::abs(s.normal.y()) < 0.01) continue;
        ++checked;
        const SeparationDerivatives found = derivatives(a, pose_a, b, pose, s);
        EXPECT_FALSE(found.is_distance_smooth || found.are_points_smooth || found.is_normal_smooth)
            << a.type_name() << " " << b.type_name() << " " << angle;
      }
    }
  }
  EXPECT_GT(checked, 10);
}

TEST(DerivativeFlags, CubesTurnedAboutADiagonalHaveNoneBetweenTheirEdges) {
  const Vector3d diagonal = Vector3d(1, 1, 1).normalized();
  int checked = 0;
  for (const double along : {0.1, 0.4, 0.9, 1.4}) {
    for (const double degrees : {10.0, 33.0, 60.0, 90.0}) {
      SCOPED_TRACE(testing::Message() << "along " << along << " degrees " << degrees);
      const Pose pose = turned(along * diagonal, diagonal, degrees * std::numbers::pi / 180.0);
      const Separation s = distance(cube(), Pose(), cube(), pose);
      // One of three, unless it is the diagonal's own direction.
      if (s.distance > -1e-3 || std::abs(s.normal.dot(diagonal)) > 0.999) continue;
      ++checked;
      expect_flags(cube(), Pose(), cube(), pose, kNone);
    }
  }
  EXPECT_GT(checked, 8);
}

TEST(DerivativeFlags, CornersThatTouchHaveNone) {
  expect_flags(cube(), Pose(), cube(), at(2.0, 2.0, 2.0), kNone);
  expect_flags(Shape(Cone(0.5, 0.5)), Pose(), Shape(Cone(0.5, 0.5)),
               turned({0.0, 0.0, 1.0}, Vector3d::UnitX(), std::numbers::pi), kNone);
}

TEST(DerivativeFlags, TheNormalOfAHalfSpaceIsAlwaysSmooth) {
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  expect_flags(ground, Pose(), cube(), at(0.0, 0.0, 1.5), kNormalOnly);
  expect_flags(ground, Pose(), Shape(Capsule(0.2, 1.0)), turned({0, 0, 1.0}, Vector3d::UnitX(), std::numbers::pi / 2),
               kNormalOnly);
  expect_flags(ground, Pose(), Shape(Sphere(0.5)), at(0.0, 0.0, 0.4), kAll);
  expect_flags(ground, Pose(), cube(), turned({0.0, 0.0, 1.0}, Vector3d(1, 2, 0), 0.3), kAll);
}

TEST(DerivativeFlags, TheHalfSpaceAloneTurnsTheNormalOfABodyThatStandsFlatOnIt) {
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  const std::vector<Shape> bodies = {Cylinder(0.5, 0.5), Cone(0.5, 0.5), cube(), Shape(Cylinder(0.5, 0.5), 0.1)};
  for (const Shape& body : bodies) {
    for (const double height : {0.3, 0.6, 1.0, 1.5}) {
      SCOPED_TRACE(testing::Message() << body.type_name() << " at " << height);
      const Pose pose = at(0.3, 0.2, height);
      const auto expect_turns = [](const PoseDerivatives& by_ground, const PoseDerivatives& by_body,
                                   const Vector3d& n) {
        for (int axis = 0; axis < 3; ++axis) {
          EXPECT_LT((by_ground.normal.col(3 + axis) - Vector3d::Unit(axis).cross(n)).norm(), 1e-12);
          EXPECT_LT(by_ground.normal.col(axis).norm(), 1e-12);
        }
        EXPECT_LT(by_body.normal.norm(), 1e-12);
      };
      const Separation on = distance(body, pose, ground, Pose());
      const SeparationDerivatives found = derivatives(body, pose, ground, Pose(), on);
      EXPECT_TRUE(found.is_normal_smooth);
      expect_turns(found.by_b, found.by_a, on.normal);
      const Separation under = distance(ground, Pose(), body, pose);
      const SeparationDerivatives exchanged = derivatives(ground, Pose(), body, pose, under);
      EXPECT_TRUE(exchanged.is_normal_smooth);
      expect_turns(exchanged.by_a, exchanged.by_b, under.normal);
    }
  }
}

TEST(DerivativeFlags, ExponentsBelowOneAreFlatInTheMiddleOfTheirFaces) {
  const Shape cushion = Superquadric(Vector3d(1, 1, 1), {0.5, 0.5});
  const Shape ball = Sphere(0.5);
  const Separation middle = distance(cushion, Pose(), ball, at(0.0, 0.0, 3.0));
  const SeparationDerivatives found = derivatives(cushion, Pose(), ball, at(0.0, 0.0, 3.0), middle);
  EXPECT_FALSE(found.are_points_smooth || found.is_normal_smooth);
  EXPECT_NEAR(found.by_b.distance[2], 1.0, 1e-12);
  expect_flags(cushion, Pose(), ball, at(0.3, 0.4, 3.0), kAll);
  // Against what is flat there too the least tilt moves the points across the face.
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  const Shape box = Box(Vector3d(0.8, 0.6, 0.2));
  const Shape column = Cylinder(0.5, 0.2);
  for (const double tilt : {0.0, 1e-9}) {
    const Vector3d axis(1.0, 2.0, 0.0);
    expect_flags(cushion, turned({0.0, 0.0, 1.5}, axis, tilt), ground, Pose(), kNormalOnly);
    for (const double height : {1.1, 1.3}) {
      expect_flags(cushion, Pose(), box, turned({0.1, 0.2, height}, axis, tilt), kNone);
      expect_flags(cushion, Pose(), column, turned({0.1, 0.2, height}, axis, tilt), kNone);
    }
  }
  expect_flags(cushion, turned({0.0, 0.0, 1.5}, Vector3d(1.0, 2.0, 0.0), 1e-3), ground, Pose(), kAll);
}

// The rim of a flat end has no curvature radius where the normal is the axis: 1e12 times that of the side.
TEST(DerivativeFlags, DerivativesAreFiniteWhereCornersTouchRims) {
  const Vector3d origin = Vector3d::Zero();
  const Shape point = ConvexHull::from_points({&origin, 1});
  const Shape tip = Cone(0.3, 0.4);
  samples::Random random(61);
  for (int i = 0; i < (samples::kIsInstrumented ? 300 : 3000); ++i) {
    SCOPED_TRACE(i);
    const double radius = random.uniform(0.1, 2.0);
    const double half = random.uniform(0.0, 1.0);
    const double angle = random.uniform(0.0, 6.3);
    const double inside = random.chance(0.5) ? 0.0 : random.uniform(0.0, 1e-5);
    const Vector3d rim((radius - inside) * std::cos(angle), (radius - inside) * std::sin(angle), half);
    const Shape body = random.chance(0.5) ? Shape(Cylinder(radius, half)) : Shape(Cone(radius, half));
    const Pose upside_down = turned({0.0, 0.0, 0.0}, Vector3d::UnitX(), std::numbers::pi);
    const Pose pose = body.get_if<Cone>() != nullptr ? upside_down : Pose();
    const auto expect_finite = [&](const Shape& other, const Pose& other_pose) {
      const Separation s = distance(body, pose, other, other_pose);
      const SeparationDerivatives found = derivatives(body, pose, other, other_pose, s);
      for (const PoseDerivatives* by : {&found.by_a, &found.by_b}) {
        ASSERT_TRUE(by->distance.allFinite() && by->normal.allFinite());
        ASSERT_TRUE(by->point_a.allFinite() && by->point_b.allFinite());
      }
    };
    expect_finite(point, Pose(rim));
    expect_finite(tip, Pose(rim + Vector3d(0.0, 0.0, 0.4)) * upside_down);
  }
}

TEST(DerivativeFlags, EllipsoidalMeridiansOverAPointedSectionHaveNoCurvatureAtThePole) {
  const Shape pointed = Superquadric(Vector3d(1, 1, 1), {1.0, 1.7});
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  expect_flags(pointed, at(0.0, 0.0, 1.5), ground, Pose(), {true, false, true});
  expect_flags(pointed, turned({0.0, 0.0, 1.5}, Vector3d(1, 2, 0), 1e-3), ground, Pose(), kAll);
  expect_flags(pointed, Pose(), Shape(Sphere(0.5)), at(0.0, 0.0, 2.0), kDistanceOnly);
  expect_flags(Shape(Superquadric(Vector3d(1, 1, 1), {1.0, 1.0})), at(0.0, 0.0, 1.5), ground, Pose(), kAll);
  expect_flags(Shape(Superquadric(Vector3d(1, 1, 1), {1.2, 1.7})), at(0.0, 0.0, 1.5), ground, Pose(), kAll);
}

TEST(DerivativeFlags, AnswersThatHaveNotConvergedHaveNone) {
  const Shape ball = Sphere(0.5);
  const Pose away = at(3.0, 1.0, 0.0);
  Separation s = distance(cube(), Pose(), ball, away);
  s.status = SolveStatus::iteration_limit;
  const SeparationDerivatives limited = derivatives(cube(), Pose(), ball, away, s);
  EXPECT_FALSE(limited.is_distance_smooth || limited.are_points_smooth || limited.is_normal_smooth);
  EXPECT_GT(limited.by_b.distance.norm(), 0.5);
  DistanceOptions near;
  near.max_distance = 0.1;
  const Separation beyond = distance(cube(), Pose(), cube(), at(5, 1, 1), near);
  if (beyond.status == SolveStatus::beyond_limit) {
    EXPECT_EQ(derivatives(cube(), Pose(), cube(), at(5, 1, 1), beyond).by_b.distance.norm(), 0.0);
  }
}

TEST(DerivativeFlags, HostileSeparationsGiveFiniteNumbersWithoutFlags) {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(i);
    const Shape a = random_shape(static_cast<samples::ShapeKind>(i % 12), 1.0, random);
    const Shape b = random_shape(static_cast<samples::ShapeKind>(i / 12 % 12), 1.0, random);
    const Pose pose_b = random.pose(2.0);
    Separation wrong;
    wrong.point_a = random.vector(-1.0, 1.0);
    wrong.point_b = random.vector(-1.0, 1.0);
    wrong.normal = random.direction();
    wrong.distance = random.uniform(-1.0, 1.0);
    const SeparationDerivatives found = derivatives(a, Pose(), b, pose_b, wrong);
    for (const PoseDerivatives* by : {&found.by_a, &found.by_b}) {
      EXPECT_TRUE(by->distance.allFinite() && by->point_a.allFinite() && by->point_b.allFinite() &&
                  by->normal.allFinite());
    }
  }
}

// What is given at a kink lies between the derivatives on its two sides.
TEST(DerivativeFlags, ASubgradientLiesBetweenTheSides) {
  const Separation level = distance(cube(), Pose(), cube(), at(0.3, 0.2, 3.0));
  const SeparationDerivatives found = derivatives(cube(), Pose(), cube(), at(0.3, 0.2, 3.0), level);
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (const double angle : {1e-3, -1e-3}) {
    const Pose tilted = turned({0.3, 0.2, 3.0}, Vector3d::UnitY(), angle);
    const Separation s = distance(cube(), Pose(), cube(), tilted);
    const double slope = derivatives(cube(), Pose(), cube(), tilted, s).by_b.distance[4];
    lowest = std::min(lowest, slope);
    highest = std::max(highest, slope);
  }
  EXPECT_LT(lowest, highest - 1.0);
  EXPECT_GE(found.by_b.distance[4], lowest - 2e-3);
  EXPECT_LE(found.by_b.distance[4], highest + 2e-3);
}

}  // namespace
}  // namespace abut

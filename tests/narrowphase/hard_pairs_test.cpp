// Pairs that solvers of this kind are known to fail on: kissing and nearly aligned boxes, sheets, needles, slivers,
// points exactly on a hull, tips, sizes and lengths far apart. Every answer must prove itself, forwards and swapped,
// with every solver, and the yes or no must agree with it.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <support/poses.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::at;
using samples::box_hull;
using samples::certificate_violation;
using samples::Placed;
using samples::Random;
using samples::random_hull;
using samples::random_shape;
using samples::ShapeKind;

constexpr std::array kSolvers = {Solver::automatic, Solver::gjk, Solver::polyak, Solver::nesterov,
                                 Solver::nesterov_unnormalised};

Pose turned_about(double angle, const Vector3d& axis) {
  return Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(angle, axis.normalized())));
}

Shape point_shape(const Vector3d& point) {
  return ConvexHull::from_points(std::vector<Vector3d>{point});
}

// The answers of all solvers, both ways round, lie within `tolerance` metres of `expected`, and prove themselves.
void expect_everywhere(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b, double expected,
                       double tolerance) {
  for (const Solver solver : kSolvers) {
    SCOPED_TRACE(testing::Message() << a.type_name() << " and " << b.type_name() << ", solver "
                                    << static_cast<int>(solver));
    DistanceOptions options;
    options.solver = solver;
    const Separation s = distance(a, pose_a, b, pose_b, options);
    const Separation swapped = distance(b, pose_b, a, pose_a, options);
    EXPECT_NEAR(s.distance, expected, tolerance);
    EXPECT_NEAR(swapped.distance, expected, tolerance);
    EXPECT_LE(std::abs(s.distance - expected), s.distance_error + tolerance);
    EXPECT_EQ(certificate_violation(a, pose_a, b, pose_b, s, tolerance), "");
    EXPECT_EQ(certificate_violation(b, pose_b, a, pose_a, swapped, tolerance), "");
    if (expected > tolerance) {
      EXPECT_FALSE(collides(a, pose_a, b, pose_b, 0.0, options));
    }
    if (expected < -tolerance) {
      EXPECT_TRUE(collides(a, pose_a, b, pose_b, 0.0, options));
    }
    EXPECT_TRUE(collides(a, pose_a, b, pose_b, std::max(0.0, expected) + 2.0 * tolerance, options));
    if (expected > 4.0 * tolerance) {
      EXPECT_FALSE(collides(a, pose_a, b, pose_b, 0.5 * expected, options));
    }
  }
}

TEST(HardPairs, CubesKissInEveryOrientationAsBoxesAndAsHulls) {
  for (const double side : {0.01, 0.1, 1.0, 10.0, 1000.0}) {
    const Shape box(Box(Vector3d::Constant(0.5 * side)));
    const Shape hull(box_hull(Vector3d::Constant(0.5 * side)));
    for (const double angle : {0.0, 1e-8, 0.1, 0.7, std::numbers::pi / 4, 2.0}) {
      for (const double shift : {0.0, 1e-16, -1e-16}) {
        SCOPED_TRACE(testing::Message() << "side " << side << " angle " << angle << " shift " << shift);
        const Pose world = turned_about(angle, {0.3, -0.5, 0.8});
        const Pose pose_a = world * at(-side, 0.5 * side, 2.0 * side);
        const Pose pose_b = pose_a * at(0.0, 0.0, side * (1.0 + shift));
        const double tolerance = 2e-14 * side;
        expect_everywhere(box, pose_a, box, pose_b, 0.0, tolerance);
        expect_everywhere(box, pose_a, hull, pose_b, 0.0, tolerance);
        expect_everywhere(hull, pose_a, hull, pose_b, 0.0, tolerance);
        EXPECT_NEAR(distance(hull, pose_a, hull, pose_b).normal.dot(world.rotate(Vector3d::UnitZ())), 1.0, 1e-9);
        EXPECT_NEAR(distance(box, pose_a, box, pose_b).normal.dot(world.rotate(Vector3d::UnitZ())), 1.0, 1e-9);
      }
    }
  }
}

TEST(HardPairs, NearlyAlignedBoxesTouchFaceToFaceAndEdgeToFace) {
  const Vector3d half(0.5, 0.3, 0.2);
  const Shape box((Box(half)));
  const Shape hull(box_hull(half));
  Random random(31);
  for (const double noise : {1e-8, 1e-10, 1e-12, 1e-14}) {
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(testing::Message() << "noise " << noise << " round " << i);
      const Pose jitter = turned_about(noise, random.direction());
      // A tilt by the noise lowers a corner by less than this.
      const double tolerance = 2.0 * noise + 1e-14;
      const Pose on_face = at(random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2), 0.4) * jitter;
      const double height = 0.2 + std::sqrt(0.5) * (0.3 + 0.2);
      const Pose on_edge = at(0.1, 0.05, height) * turned_about(std::numbers::pi / 4, Vector3d::UnitX()) * jitter;
      for (const Pose& pose : {on_face, on_edge}) {
        expect_everywhere(box, Pose(), box, pose, 0.0, tolerance);
        expect_everywhere(hull, Pose(), hull, pose, 0.0, tolerance);
        expect_everywhere(box, Pose(), hull, pose, 0.0, tolerance);
      }
    }
  }
}

TEST(HardPairs, SheetsLessThanTheToleranceApartAreToldApart) {
  // 2 m wide, 0.2 mm thick; the default tolerance of witness points is some micrometres here.
  const double half_thickness = 1e-4;
  const Vector3d half(1.0, 1.0, half_thickness);
  const std::array<Vector3d, 3> corners = {Vector3d(-1, -1, 0), Vector3d(1, -1, 0), Vector3d(0, 1, 0)};
  const std::vector<Shape> sheets = {Box(half), box_hull(half), Shape(Triangle(corners), half_thickness),
                                     Cylinder(1.0, half_thickness)};
  const Pose world(Vector3d(0.3, -0.2, 0.5), Quaterniond(0.8, 0.3, -0.4, 0.2));
  for (const Shape& a : sheets) {
    for (const Shape& b : sheets) {
      for (const double gap : {1e-6, 1e-8, 1e-10, 1e-12, -1e-12, -1e-10, -1e-8, -1e-6}) {
        SCOPED_TRACE(testing::Message() << "gap " << gap);
        const Pose above = world * at(0.1, -0.2, 2.0 * half_thickness + gap) * turned_about(0.4, Vector3d::UnitZ());
        expect_everywhere(a, world, b, above, gap, 2e-14);
      }
    }
  }
}

TEST(HardPairs, APointAboveANeedleOfATriangleHasItsDistance) {
  const Shape point = point_shape(Vector3d::Zero());
  for (int power = 1; power <= 15; ++power) {
    const double width = std::pow(10.0, -power);
    SCOPED_TRACE(testing::Message() << "width " << width);
    const Vector3d p(-1, 0, 0);
    const Vector3d q(1, 0, 0);
    const Vector3d r(0.3, width, 0);
    const Shape triangle(Triangle({p, q, r}));
    const Shape hull(ConvexHull::from_points(std::vector<Vector3d>{p, q, r}));
    for (const double height : {0.5, 1e-3, 1e-6}) {
      const Pose above = at(0.2, 0.3 * width, height);
      // Below a width of 1e-9 the edges stand for the triangle: off by less than the width.
      const double tolerance = 2e-14 + (width < 1e-8 ? width : 0.0);
      expect_everywhere(triangle, Pose(), point, above, height, tolerance);
      expect_everywhere(hull, Pose(), point, above, height, tolerance);
    }
  }
}

TEST(HardPairs, IdenticalAndConcentricShapesOfEveryKindHaveADepthAndAnyUnitNormal) {
  for (std::uint32_t kind = 0; kind < 12; ++kind) {
    Random random(500 + kind);
    for (int i = 0; i < 20; ++i) {
      const Shape shape = random_shape(static_cast<ShapeKind>(kind), 1.0, random);
      const Pose pose = random.pose(1.0);
      SCOPED_TRACE(testing::Message() << shape.type_name() << ", round " << i);
      const std::array<Shape, 2> partners = {shape, random_shape(static_cast<ShapeKind>(kind), 0.1, random)};
      for (const Shape& b : partners) {
        for (const Solver solver : kSolvers) {
          DistanceOptions options;
          options.solver = solver;
          const Separation s = distance(shape, pose, b, pose, options);
          EXPECT_EQ(certificate_violation(shape, pose, b, pose, s, 1e-11), "");
          const bool is_centred = kind != static_cast<std::uint32_t>(ShapeKind::triangle);
          if (!is_centred && &b != partners.data()) continue;
          EXPECT_LE(s.distance, 1e-15);
          EXPECT_TRUE(collides(shape, pose, b, pose, 0.0, options));
        }
      }
    }
  }
}

TEST(HardPairs, ACapsuleOf150MetresThroughABoxOf3IsRightInEveryOrientation) {
  const Shape capsule(Capsule(0.1, 75.0));
  Random random(32);
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Pose world = random.pose(10.0);
    // Along an axis of the box and off its centre: out through the nearest face, 0.5 m and the radius away.
    const Pose through = world * at(1.0, 0.2, random.uniform(-60.0, 60.0));
    expect_everywhere(Box({1.5, 1.5, 1.5}), world, capsule, through, -0.6, 1e-12);
    expect_everywhere(box_hull({1.5, 1.5, 1.5}), world, capsule, through, -0.6, 1e-12);
  }
}

TEST(HardPairs, ATriangleOfACentimetreNearAHullOf900Metres) {
  Random random(33);
  const Shape hull(box_hull({450.0, 300.0, 450.0}));
  const Shape triangle(Triangle({Vector3d(0, 0, 0), Vector3d(0.01, 0, 0), Vector3d(0, 0.01, 0)}));
  for (int i = 0; i < 50; ++i) {
    const double gap = std::pow(10.0, random.uniform(-6.0, 0.0));
    SCOPED_TRACE(testing::Message() << "round " << i << " gap " << gap);
    const Pose world = random.pose(100.0);
    const Pose above = world * at(random.uniform(-400, 400), random.uniform(-250, 250), 450.0 + gap) *
                       turned_about(random.uniform(0.0, 0.2), Vector3d::UnitX());
    // Its first corner is nearest, turned as it is; 450 m round to 1e-13.
    expect_everywhere(hull, world, triangle, above, gap, 1e-11);
  }
}

TEST(HardPairs, ConesTipToTipAreApartByTheGapAndOverlapSideways) {
  const double radius = 0.4;
  const double half_length = 0.5;
  const Shape cone(Cone(radius, half_length));
  const double sin_half_angle = radius / std::hypot(radius, 2.0 * half_length);
  const Pose world(Vector3d(0.1, 0.2, 0.3), Quaterniond(0.9, 0.1, 0.2, 0.3));
  for (const double gap : {0.1, 1e-3, 1e-6, 1e-9, 1e-12, 0.0, -1e-12, -1e-9, -1e-6, -1e-3, -0.1}) {
    SCOPED_TRACE(testing::Message() << "gap " << gap);
    const Pose upside_down =
        world * at(0, 0, 2.0 * half_length + gap) * turned_about(std::numbers::pi, Vector3d::UnitX());
    // Overlapping, the shortest way out is across a side; every side of the round tip is as good.
    expect_everywhere(cone, world, cone, upside_down, gap > 0.0 ? gap : gap * sin_half_angle, 5e-11);
  }
}

TEST(HardPairs, NeedlesOfEllipsoidsConvergeThoughTheyTakeManyIterations) {
  DistanceOptions plain;
  plain.solver = Solver::gjk;
  int longest = 0;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Shape a(Ellipsoid({2.0, 0.02, 0.5}));
    const Shape b(Ellipsoid({0.5, 2.0, 0.03}));
    const Pose pose_b(2.5 * random.direction(), random.rotation());
    for (const DistanceOptions& options : {plain, DistanceOptions{}}) {
      const Separation s = distance(a, Pose(), b, pose_b, options);
      EXPECT_EQ(certificate_violation(a, Pose(), b, pose_b, s, 1e-11), "");
      if (!(s.distance > 0.0)) continue;
      EXPECT_EQ(s.status, SolveStatus::converged);
      longest = std::max(longest, s.iterations);
    }
  }
  EXPECT_GE(longest, 30) << "the pairs were easy";
}

TEST(HardPairs, AMarginOf100MetresOnAUnitSphereOnlyShiftsTheDistance) {
  Random random(34);
  for (std::uint32_t kind = 0; kind < 12; ++kind) {
    for (int i = 0; i < 5; ++i) {
      const Shape other = random_shape(static_cast<ShapeKind>(kind), 1.0, random);
      SCOPED_TRACE(testing::Message() << other.type_name() << ", round " << i);
      const Pose pose(Vector3d(3.0, 0.5, -1.0), random.rotation());
      const Separation thin = distance(Sphere(1.0), Pose(), other, pose);
      ASSERT_GT(thin.distance, 0.0);
      const Shape thick(Sphere(1.0), 100.0);
      const Separation grown = distance(thick, Pose(), other, pose);
      EXPECT_NEAR(grown.distance, thin.distance - 100.0, 1e-8) << "the tolerance grows with the size";
      EXPECT_NEAR(grown.distance, thin.distance - 100.0, grown.distance_error + thin.distance_error + 1e-12);
      EXPECT_EQ(certificate_violation(thick, Pose(), other, pose, grown, 1e-8), "");
      EXPECT_TRUE(collides(thick, Pose(), other, pose));
    }
  }
}

TEST(HardPairs, APointExactlyOnAFaceEdgeOrVertexOfAHullTouchesIt) {
  const Shape point = point_shape(Vector3d::Zero());
  int checked = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const ConvexHull hull = random_hull(50, 1.0, random);
    const Shape shape(hull);
    const Pose world_from_hull(Vector3d::Zero(), random.rotation());
    const auto vertices = hull.vertices();
    for (const auto& t : hull.triangles()) {
      const double u = random.uniform(0.0, 0.5);
      const double v = random.uniform(0.0, 0.5);
      const std::array<Vector3d, 3> places = {(1.0 - u - v) * vertices[t[0]] + u * vertices[t[1]] + v * vertices[t[2]],
                                              (1.0 - u) * vertices[t[0]] + u * vertices[t[1]], vertices[t[2]]};
      for (const Vector3d& place : places) {
        const Pose on_surface(world_from_hull * place);
        for (const Solver solver : kSolvers) {
          SCOPED_TRACE(testing::Message() << "seed " << seed << " solver " << static_cast<int>(solver));
          DistanceOptions options;
          options.solver = solver;
          const Separation s = distance(shape, world_from_hull, point, on_surface, options);
          ASSERT_NEAR(s.distance, 0.0, 1e-14);
          ASSERT_LE(s.distance_error, 1e-9);
          ASSERT_NEAR(s.normal.norm(), 1.0, 1e-14);
          ASSERT_NEAR((s.point_a - on_surface.translation()).norm(), 0.0, 1e-9);
          ASSERT_EQ(s.status, SolveStatus::converged);
          ++checked;
        }
      }
    }
  }
  EXPECT_GT(checked, 20000);
}

TEST(HardPairs, MomentumNeverStopsAtAPlaneThatSeparatesByRounding) {
  // Two pentagons that share a corner; the first plane has the origin on its far side by 1e-17 m.
  const auto pentagon = [] {
    std::vector<Eigen::Vector2d> corners;
    for (int i = 0; i < 5; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / 5;
      corners.emplace_back(0.99 * std::cos(angle), 0.71 * std::sin(angle));
    }
    return PaddedPolygon(corners, 0.0);
  }();
  const Shape shape(pentagon);
  for (int seed = 0; seed < 2000; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Pose pose_a = random.pose(1.0);
    const Quaterniond rotation = random.rotation();
    const Vector3d corner_a = pose_a * support(shape, pose_a.unrotate(random.direction()));
    const Vector3d corner_b = rotation * support(shape, rotation.conjugate() * random.direction());
    const Pose pose_b(corner_a - corner_b, rotation);
    for (const Solver solver : kSolvers) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " solver " << static_cast<int>(solver));
      DistanceOptions options;
      options.solver = solver;
      const Separation s = distance(shape, pose_a, shape, pose_b, options);
      ASSERT_LE(s.distance, 1e-14);
      ASSERT_LE(s.distance_error, 1e-9);
      ASSERT_TRUE(collides(shape, pose_a, shape, pose_b, 1e-6, options));
    }
  }
}

TEST(HardPairs, ATinyPaddedTriangleJustClearOfALargeBoxDoesNotCollideWithIt) {
  // Gaps of up to a fiftieth of the triangle, which is millions of times smaller than the box: a search with momentum
  // stops short there.
  int asked = 0;
  for (int seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Shape box(Box(Vector3d(random.uniform(200.0, 1000.0), random.uniform(200.0, 1000.0), 500.0)));
    const auto corner = [&random] { return Vector3d(1e-4 * random.direction()); };
    const Shape triangle(Triangle({corner(), corner(), corner()}), 1e-4);
    const Quaterniond turn = random.rotation();
    Vector3d outwards = random.direction();
    if (seed % 2 == 1) outwards = Vector3d(outwards.x(), 0.0, outwards.z()).normalized();
    Vector3d place = support(box, outwards);
    if (seed % 2 == 1) place.y() *= random.uniform(-1.0, 1.0);
    const Pose away(place + outwards, turn);
    const Separation before = distance(box, Pose(), triangle, away);
    const double gap = random.uniform(0.0, 2e-6);
    const Pose near(away.translation() - (before.distance - gap) * before.normal, turn);
    const Separation s = distance(box, Pose(), triangle, near);
    if (s.distance - s.distance_error > 1e-10) {
      ++asked;
      EXPECT_FALSE(collides(box, Pose(), triangle, near)) << "at " << s.distance;
    }
    const Separation swapped = distance(triangle, near, box, Pose());
    if (swapped.distance - swapped.distance_error > 1e-10) {
      EXPECT_FALSE(collides(triangle, near, box, Pose())) << "at " << swapped.distance;
    }
  }
  EXPECT_GT(asked, 3000);
}

TEST(HardPairs, NeedlesAlongTheAxisOfACapsuleAreAsDeepAsItsRadius) {
  Random random(33);
  for (const double width : {1e-15, 1e-14, 3e-14, 1e-13, 1e-12, 1e-9}) {
    for (const double offset : {0.0, 3e-14, 1e-12, 1e-9}) {
      const Shape needles[] = {Cylinder(width, 0.3), Box({width, width, 0.3}), Cone(width, 0.0135),
                               ConvexHull::from_points(std::vector<Vector3d>{
                                   {0, 0, -0.3}, {width, 0, 0.3}, {0, width, 0.3}, {-width, -width, 0.3}})};
      for (const Shape& needle : needles) {
        for (int i = 0; i < 20; ++i) {
          const Pose pose(offset * random.direction(),
                          Quaterniond(Eigen::AngleAxisd(random.chance(0.5) ? offset : 0.0, random.direction())));
          const Separation s = distance(Capsule(0.45, 0.75), Pose(), needle, pose);
          EXPECT_NEAR(s.distance, -0.45, 1e-7 + s.distance_error)
              << needle.type_name() << ' ' << width << ' ' << offset;
          EXPECT_LT(s.distance_error, 1e-3);
        }
      }
    }
  }
}

TEST(HardPairs, NoDirectionAcrossTwoNeedlesIsBetterThanTheErrorOfTheirDepth) {
  for (const double width : {1e-8, 1e-10, 1e-11, 1e-12, 1e-13}) {
    Random random(34);
    for (int i = 0; i < 400; ++i) {
      const Vector3d axis = random.direction();
      std::vector<Vector3d> points;
      for (std::uint32_t j = 4 + random.below(5); j > 0; --j) {
        points.push_back(random.uniform(-1.0, 1.0) * axis + width * random.vector(-1.0, 1.0));
      }
      const Shape hull = ConvexHull::from_points(points);
      const Shape capsule = Capsule(0.4, 0.5);
      const Pose pose(random.uniform(-0.3, 0.3) * axis, Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis));
      const Separation s = distance(hull, Pose(), capsule, pose);
      double best = -std::numeric_limits<double>::infinity();
      const Vector3d u = axis.unitOrthogonal();
      const Vector3d v = axis.cross(u);
      for (int k = 0; k < 64; ++k) {
        const double angle = k * std::numbers::pi / 32.0;
        const Vector3d normal = std::cos(angle) * u + std::sin(angle) * v;
        double highest = -std::numeric_limits<double>::infinity();
        for (const Vector3d& point : points) highest = std::max(highest, normal.dot(point));
        const double lowest =
            normal.dot(pose.translation()) - 0.5 * std::abs(normal.dot(pose.rotate(Vector3d::UnitZ())));
        best = std::max(best, lowest - 0.4 - highest);
      }
      EXPECT_LE(best, s.distance + s.distance_error + 1e-12) << width << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace abut

// Contact manifolds of boxes, hulls, triangles and padded polygons: faces, edges and corners.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/reduction.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/poses.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <vector>

#include "manifold_checks.h"

namespace abut {
namespace {

using samples::at;
using samples::box_hull;
using samples::checked_manifold;
using samples::has_point_a;
using samples::ids_of;
using samples::ManifoldTolerance;
using samples::Random;
using samples::support_area;
using samples::turn_between;
using samples::turned;
using std::numbers::pi;

const Shape kCube = Box({0.5, 0.5, 0.5});

TEST(ManifoldFaces, ABoxOnABoxTouchesInTheCornersOfTheirCommonRectangle) {
  for (const double gap : {0.0, 1e-3, -1e-3, -0.1}) {
    SCOPED_TRACE(testing::Message() << "gap " << gap);
    const ContactManifold manifold = checked_manifold(kCube, Pose(), kCube, at(0.3, 0.2, 1.0 + gap));
    ASSERT_EQ(manifold.points().size(), 4u);
    for (const double x : {-0.2, 0.5}) {
      for (const double y : {-0.3, 0.5}) EXPECT_TRUE(has_point_a(manifold, {x, y, 0.5})) << x << " " << y;
    }
    for (const ContactPoint& point : manifold.points()) EXPECT_NEAR(point.distance, gap, 1e-12);
  }
}

TEST(ManifoldFaces, BoxesOfOneSizeExactlyAboveEachOtherTouchInTheirCorners) {
  const ContactManifold manifold = checked_manifold(kCube, Pose(), kCube, at(0, 0, 1), {.max_points = 16});
  ASSERT_EQ(manifold.points().size(), 4u);  // corners of a, corners of b and crossings at one place count once
  EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 1.0, 1e-9);
}

TEST(ManifoldFaces, ASmallBoxOnALargeOneTouchesInItsOwnCorners) {
  const Shape small = Box({0.01, 0.02, 0.01});
  const Shape large = Box({500, 500, 1});
  const ContactManifold manifold = checked_manifold(large, Pose(), small, at(3, 4, 1.01));
  ASSERT_EQ(manifold.points().size(), 4u);
  for (const double x : {-0.01, 0.01}) {
    for (const double y : {-0.02, 0.02}) EXPECT_TRUE(has_point_a(manifold, {3 + x, 4 + y, 1}));
  }
}

TEST(ManifoldFaces, BoxesTurnedByAnEighthShareAnOctagon) {
  const Pose turned_box(Vector3d(0, 0, 1), turned(pi / 4, Vector3d::UnitZ()));
  const ContactManifold all = checked_manifold(kCube, Pose(), kCube, turned_box, {.max_points = 16});
  EXPECT_EQ(all.points().size(), 8u);
  const double octagon = support_area(all, Vector3d::UnitZ());
  EXPECT_NEAR(octagon, 2.0 * (std::sqrt(2.0) - 1.0), 1e-9);
  const ContactManifold eight = checked_manifold(kCube, Pose(), kCube, turned_box, {.max_points = 8});
  EXPECT_EQ(ids_of(eight), ids_of(all));
  const ContactManifold four = checked_manifold(kCube, Pose(), kCube, turned_box);
  ASSERT_EQ(four.points().size(), 4u);
  EXPECT_GT(support_area(four, Vector3d::UnitZ()), 0.7 * octagon);  // a square of every other corner: 1/√2 of it
  for (int count = 1; count <= 8; ++count) {
    EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, turned_box, {.max_points = count}).points().size(),
              static_cast<std::size_t>(count));
  }
}

TEST(ManifoldFaces, OnePointIsTheWitnessPairAsItIs) {
  const Pose turned_box(Vector3d(0, 0, 0.98), turned(pi / 4, Vector3d::UnitZ()));
  const Separation separation = distance(kCube, Pose(), kCube, turned_box);
  const ContactManifold one = contact_manifold(kCube, Pose(), kCube, turned_box, separation, {.max_points = 1});
  ASSERT_EQ(one.points().size(), 1u);
  const ContactPoint& point = one.points()[0];
  EXPECT_EQ(point.point_a, separation.point_a);
  EXPECT_EQ(point.point_b, separation.point_b);
  EXPECT_EQ(point.normal, separation.normal);
  EXPECT_EQ(point.distance, separation.distance);
  EXPECT_EQ(point.feature_id, 0u);
}

TEST(ManifoldFaces, ABoxOnItsEdgeTouchesInTheEndsOfTheEdge) {
  const Pose on_edge(Vector3d(0.2, 0, 0.5 + std::sqrt(0.5)), turned(pi / 4, Vector3d::UnitX()));
  const ContactManifold manifold = checked_manifold(kCube, Pose(), kCube, on_edge, {}, {.surface = 1e-6});
  ASSERT_EQ(manifold.points().size(), 2u);
  EXPECT_TRUE(has_point_a(manifold, {0.5, 0, 0.5}, 1e-6));  // cut off by the face
  EXPECT_TRUE(has_point_a(manifold, {-0.3, 0, 0.5}, 1e-6));
}

TEST(ManifoldFaces, ABoxOnItsCornerTouchesInThatCorner) {
  const Quaterniond rotation = turn_between(Vector3d(1, 1, 1), -Vector3d::UnitZ());
  for (const double gap : {0.01, -0.01}) {
    const ContactManifold manifold =
        checked_manifold(kCube, Pose(), kCube, Pose(Vector3d(0.1, 0.2, 0.5 + std::sqrt(0.75) + gap), rotation));
    ASSERT_EQ(manifold.points().size(), 1u);
    EXPECT_TRUE(has_point_a(manifold, {0.1, 0.2, 0.5}, 1e-8));
  }
}

TEST(ManifoldFaces, CrossingEdgesTouchInOnePoint) {
  const Pose lower(Vector3d::Zero(), turned(pi / 4, Vector3d::UnitX()));
  const Quaterniond turn = turned(pi / 2, Vector3d::UnitZ()) * turned(pi / 4, Vector3d::UnitX());
  for (const double gap : {0.01, -0.01}) {
    const Pose upper(Vector3d(0.1, -0.2, std::sqrt(2.0) + gap), turn);
    const ContactManifold manifold = checked_manifold(kCube, lower, kCube, upper);
    ASSERT_EQ(manifold.points().size(), 1u);
    EXPECT_TRUE(has_point_a(manifold, {0.1, 0.0, std::sqrt(0.5)}, 1e-6));
  }
}

TEST(ManifoldFaces, ParallelEdgesTouchAlongTheirCommonPart) {
  const Pose lower(Vector3d::Zero(), turned(pi / 4, Vector3d::UnitX()));
  const Pose upper(Vector3d(0.3, 0, std::sqrt(2.0) + 0.01), turned(pi / 4, Vector3d::UnitX()));
  const ContactManifold manifold = checked_manifold(kCube, lower, kCube, upper);
  ASSERT_EQ(manifold.points().size(), 2u);
  EXPECT_TRUE(has_point_a(manifold, {0.5, 0.0, std::sqrt(0.5)}));
  EXPECT_TRUE(has_point_a(manifold, {-0.2, 0.0, std::sqrt(0.5)}));
}

TEST(ManifoldFaces, ASlightTiltKeepsAllFourPoints) {
  for (const double tilt : {1e-12, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2}) {
    for (const double gap : {1e-3, -1e-3}) {
      SCOPED_TRACE(testing::Message() << "tilt " << tilt << ", gap " << gap);
      const Pose tilted(Vector3d(0.2, 0.1, 1.0 + gap), turned(tilt, Vector3d(3, 4, 0)));
      const ContactManifold manifold =
          checked_manifold(kCube, Pose(), kCube, tilted, {}, {.surface = 2e-6, .sideways = 1e-6, .depth = 2e-6});
      ASSERT_EQ(manifold.points().size(), 4u);
      EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.8 * 0.9, 2.0 * tilt + 1e-6);
    }
  }
}

TEST(ManifoldFaces, PointsBeyondTheMaximalDistanceAreLeftOut) {
  const double tilt = 0.01;  // the far edge lies 1 cm higher than the near one
  const Pose tilted(Vector3d(0, 0, 1.0), turned(tilt, Vector3d::UnitY()));
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, tilted, {.max_distance = 0.0}).points().size(), 2u);
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, tilted, {.max_distance = 0.004}).points().size(), 2u);
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, tilted, {.max_distance = 0.006}).points().size(), 4u);
  // As far apart as the nearest points, all of them stay, whatever the limit.
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, at(0, 0, 1.1), {.max_distance = 0.0}).points().size(), 4u);
}

TEST(ManifoldFaces, AFaceTiltedBeyondTheMaximumIsAnEdge) {
  const Pose tilted(Vector3d(0, 0, 1.0), turned(0.05, Vector3d::UnitY()));
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, tilted, {.max_tilt = 0.06}).points().size(), 4u);
  EXPECT_EQ(checked_manifold(kCube, Pose(), kCube, tilted, {.max_tilt = 0.04}).points().size(), 2u);
}

TEST(ManifoldFaces, TheDeepestPointIsKeptAndFirst) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    samples::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      const Pose tilted(random.vector(-0.4, 0.4) + Vector3d(0, 0, 1.0),
                        turned(random.uniform(0.001, 0.09), random.vector(-1, 1).cwiseProduct(Vector3d(1, 1, 0.01))));
      const Separation s = distance(kCube, Pose(), kCube, tilted);
      for (int count = 1; count <= 5; ++count) {
        const ContactManifold manifold = contact_manifold(kCube, Pose(), kCube, tilted, s, {.max_points = count});
        ASSERT_NEAR(manifold.points()[0].distance, s.distance, 2e-6) << "seed " << seed << ", pair " << i;
      }
    }
  }
}

TEST(ManifoldFaces, NoPointIsDeeperThanTheFirstHoweverLittleTheFacesAreTilted) {
  int patches = 0;
  for (const Shape& below : {kCube, Shape(HalfSpace({0, 0, 1}, 0.5)), Shape(box_hull({0.7, 0.4, 0.5}))}) {
    samples::Random random(4);
    for (int i = 0; i < 300; ++i) {
      const double angle = std::pow(10.0, random.uniform(-13.0, -1.5));
      const Pose tilted(random.vector(-0.4, 0.4).cwiseProduct(Vector3d(1, 1, 0.1)) + Vector3d(0, 0, 1.0),
                        turned(angle, random.vector(-1, 1).cwiseProduct(Vector3d(1, 1, 0.01))));
      const Separation s = distance(below, Pose(), kCube, tilted);
      for (int count = 2; count <= 8; ++count) {
        const ContactManifold manifold = contact_manifold(below, Pose(), kCube, tilted, s, {.max_points = count});
        for (const ContactPoint& point : manifold.points()) {
          // To a billionth of the smaller face, whose diagonal is 1.42 m.
          ASSERT_GE(point.distance, manifold.points()[0].distance - 1.5e-9) << "pair " << i << ", angle " << angle;
        }
        patches += manifold.points().size() > 2 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(patches, 3000);
}

TEST(ManifoldFaces, AHullOfTrianglesTouchesLikeTheBoxItIs) {
  const Shape hull = box_hull({0.5, 0.5, 0.5});
  for (const double gap : {1e-3, -1e-2}) {
    const ContactManifold manifold = checked_manifold(hull, Pose(), hull, at(0.3, 0.2, 1.0 + gap), {.max_points = 16});
    ASSERT_EQ(manifold.points().size(), 4u);
    EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.7 * 0.8, 1e-9);
  }
  const Pose on_edge(Vector3d(0, 0, 0.5 + std::sqrt(0.5)), turned(pi / 4, Vector3d::UnitX()));
  EXPECT_EQ(checked_manifold(kCube, Pose(), hull, on_edge, {}, {.surface = 1e-6}).points().size(), 2u);
}

TEST(ManifoldFaces, ADodecahedronTouchesInPentagons) {
  const double phi = std::numbers::phi;
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 4; ++i) {
      Vector3d point = Vector3d::Zero();
      point[(k + 1) % 3] = (i & 1 ? 1 : -1) / phi;
      point[(k + 2) % 3] = (i & 2 ? 1 : -1) * phi;
      points.push_back(point);
    }
  }
  const ConvexHull hull = ConvexHull::from_points(points);
  ASSERT_EQ(hull.faces().size(), 12u);
  for (std::uint32_t face = 0; face < 12; ++face) {
    ASSERT_EQ(hull.faces().corners(face).size(), 5u);
    const Vector3d& normal = hull.faces().normal(face);
    const double height = normal.dot(hull.vertices()[hull.faces().corners(face)[0]]);
    // The face on a face of its mirror image, of which every edge lies on an edge.
    const Pose mirrored((2.0 * height + 1e-3) * normal);
    const ContactManifold manifold = checked_manifold(hull, Pose(), hull, mirrored, {.max_points = 16});
    EXPECT_EQ(manifold.points().size(), 10u);  // two pentagons turned by a tenth against each other share a decagon
    for (const ContactPoint& point : manifold.points()) EXPECT_NEAR(point.distance, 1e-3, 1e-9);
  }
}

TEST(ManifoldFaces, VerticesNextToANearlyFlatFaceCount) {
  // A plate whose lower side is an uneven fan: eight rim vertices, not in one plane.
  std::vector<Vector3d> points = {{0, 0, -0.002}};
  for (int i = 0; i < 8; ++i) {
    const double angle = 2.0 * pi * i / 8;
    points.emplace_back(std::cos(angle), std::sin(angle), 0.001 * (i % 2));
    points.emplace_back(std::cos(angle), std::sin(angle), 0.3);
  }
  const Shape plate = ConvexHull::from_points(points);
  const Shape table = Box({3, 3, 1});
  for (const double tilt : {0.1, 0.11}) {  // from lists of the hull, and by a walk
    const ContactManifold manifold =
        checked_manifold(table, at(0, 0, -1.002), plate, Pose(), {.max_points = 16, .max_tilt = tilt});
    EXPECT_EQ(manifold.points().size(), 9u);
    EXPECT_NEAR(manifold.points()[0].distance, 0.0, 1e-9);
  }
  EXPECT_NEAR(support_area(checked_manifold(table, at(0, 0, -1.002), plate, Pose()), Vector3d::UnitZ()), 1.0, 0.5);
}

// A larger tilt makes other points level only if there are such.
TEST(ManifoldFaces, ListedNearlyLevelVerticesAreThoseThatAWalkFinds) {
  Random random(7);
  const Shape table = Box({3, 3, 1});
  std::size_t beside = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<Vector3d> points = {{0, 0, 0.3}};
    for (int k = 0; k < 13; ++k) {
      const Vector3d away = random.vector(-1, 1);
      points.emplace_back(away.x(), away.y(), 0.002 * away.head<2>().squaredNorm());  // slopes of 0.006 at most
    }
    for (const double margin : {0.0, 0.01}) {
      const Shape plate(ConvexHull::from_points(points), margin);
      const Pose above(Vector3d(0.1, 0, margin), turned(random.uniform(-0.01, 0.01), random.direction()));
      const Separation separation = distance(table, at(0, 0, -1), plate, above);
      const auto manifold = [&](double tilt) {
        return contact_manifold(table, at(0, 0, -1), plate, above, separation, {.max_points = 16, .max_tilt = tilt});
      };
      const ContactManifold listed = manifold(0.1);
      const ContactManifold walked = manifold(0.11);
      EXPECT_EQ(ids_of(listed), ids_of(walked)) << "plate " << i;
      for (const ContactPoint& point : listed.points()) beside += point.distance > separation.distance + 1e-7 ? 1 : 0;
    }
  }
  EXPECT_GT(beside, 400u);
}

// A face of more vertices than its corners, as scans and simulation meshes have them, with coordinates in float.
TEST(ManifoldFaces, APlateOfManyVerticesInFloatStandsOnItsFourCorners) {
  const Vector3d half(0.3, 0.2, 0.02);
  samples::Random random(23);
  for (int i = 0; i < (samples::kIsInstrumented ? 60 : 400); ++i) {
    SCOPED_TRACE(i);
    const Pose file_from_plate(random.vector(-0.2, 0.2), random.rotation());
    const int cells = 1 << (i % 5);
    std::vector<Vector3d> points;
    for (int k = 0; k < 2 * (cells + 1) * (cells + 1); ++k) {
      const int row = k / 2 / (cells + 1);
      const int column = k / 2 % (cells + 1);
      const Vector3d place(2.0 * row / cells - 1.0, 2.0 * column / cells - 1.0, k % 2 == 0 ? -1.0 : 1.0);
      const Vector3d exact = file_from_plate * half.cwiseProduct(place);
      points.push_back(exact.cast<float>().cast<double>());
    }
    const Shape plate = ConvexHull::from_points(points);
    const Pose pose = Pose(Vector3d(0.1, 0.05, half.z() - 1e-4)) * file_from_plate.inverse();
    for (const Shape& ground : {Shape(HalfSpace({0, 0, 1}, 0.0)), Shape(Box({2, 2, 1}))}) {
      const Pose below = ground.is_bounded() ? at(0, 0, -1) : Pose();
      const ContactManifold manifold = checked_manifold(ground, below, plate, pose, {}, {.depth = 2e-7});
      ASSERT_EQ(manifold.points().size(), 4u);
      EXPECT_GE(samples::support_area(manifold, Vector3d::UnitZ()), 0.999 * 4.0 * half.x() * half.y());
    }
  }
}

// Speculative points carry nothing: where they came first, bodies of many vertices never came to rest.
TEST(ManifoldFaces, PointsThatTouchComeBeforeThoseThatDoNot) {
  samples::Random random(29);
  int full = 0;
  int in_part = 0;
  int missed = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 60 : 400); ++i) {
    SCOPED_TRACE(i);
    std::vector<Vector3d> cloud(static_cast<std::size_t>(200 + random.below(600)));
    for (Vector3d& point : cloud) point = random.direction().cwiseProduct(Vector3d(0.1, 0.08, 0.06));
    const ConvexHull hull = ConvexHull::from_points(cloud);
    const Quaterniond turn = random.rotation();
    double low = 1.0;
    for (const Vector3d& vertex : hull.vertices()) low = std::min(low, (turn * vertex).z());
    const double depth = random.uniform(2e-4, 8e-4);
    const Pose pose(Vector3d(0.0, 0.0, -low - depth), turn);
    std::size_t touching = 0;
    for (const Vector3d& vertex : hull.vertices()) touching += (pose * vertex).z() < -1e-5 ? 1 : 0;
    for (const Shape& ground : {Shape(HalfSpace({0, 0, 1}, 0.0)), Shape(Box({2, 2, 1}))}) {
      const Pose below = ground.is_bounded() ? at(0, 0, -1) : Pose();
      const ContactManifold manifold =
          checked_manifold(ground, below, Shape(hull), pose, {.max_distance = 2e-3, .max_tilt = 0.3}, {.depth = 1e-7});
      std::size_t found = 0;
      for (const ContactPoint& point : manifold.points()) found += point.distance < -1e-5 ? 1 : 0;
      missed += found < std::min<std::size_t>(touching, 3) ? 1 : 0;  // of three nearly on a line two may be
      (touching >= 4 ? full : in_part) += 1;
    }
  }
  EXPECT_GT(full, samples::kIsInstrumented ? 10 : 60);
  EXPECT_GT(in_part, samples::kIsInstrumented ? 10 : 60);
  EXPECT_LE(missed, samples::kIsInstrumented ? 2 : 8);
}

// The face that is turned most to the table is the hip beside the end of the ridge; the ridge's other end counts too,
// whichever of its ends is the highest by a rounding.
TEST(ManifoldFaces, BothEndsOfARidgeCountBesideItsHip) {
  const std::vector<Vector3d> points = {{-1, 0, 0},  {1, 0, 0},    {2, 0.04, -0.08}, {2, -0.04, -0.08},
                                        {-1, 1, -2}, {-1, -1, -2}, {1, 1, -2},       {1, -1, -2}};
  const Shape roof = ConvexHull::from_points(points);
  const Shape table = Box({5, 5, 1});
  for (const double angle : {0.0, 1e-11, -1e-11}) {
    for (const double tilt : {0.1, 0.11}) {
      const Pose tipped(Vector3d::Zero(), turned(angle, Vector3d::UnitY()));
      const ContactManifold manifold =
          checked_manifold(roof, tipped, table, at(0, 0, 1.001), {.max_points = 16, .max_tilt = tilt});
      EXPECT_TRUE(has_point_a(manifold, {-1, 0, 0}, 1e-9)) << angle << ", " << tilt;
      EXPECT_TRUE(has_point_a(manifold, {1, 0, 0}, 1e-9)) << angle << ", " << tilt;
    }
  }
}

TEST(ManifoldFaces, ATriangleLiesOnABoxWithItsThreeCorners) {
  const Shape triangle = Triangle({Vector3d(0, 0, 0), Vector3d(0.4, 0, 0), Vector3d(0, 0.3, 0)});
  for (const double angle : {0.0, pi}) {  // either side
    const Pose pose(Vector3d(-0.1, -0.1, 0.501), turned(angle, Vector3d::UnitX()));
    const ContactManifold manifold = checked_manifold(kCube, Pose(), triangle, pose);
    ASSERT_EQ(manifold.points().size(), 3u);
    EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.06, 1e-9);
  }
  const Pose standing(Vector3d(-0.1, -0.1, 0.501), turned(pi / 2, Vector3d::UnitX()));
  EXPECT_EQ(checked_manifold(kCube, Pose(), triangle, standing).points().size(), 2u);
}

TEST(ManifoldFaces, APaddedPolygonLiesOnItsFaceAndOnItsSides) {
  const std::vector<Eigen::Vector2d> corners = {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}};
  const Shape plate(PaddedPolygon(corners, 0.05), 0.01);
  const ContactManifold flat = checked_manifold(kCube, Pose(), plate, at(0, 0, 0.5 + 0.06 - 0.001));
  ASSERT_EQ(flat.points().size(), 4u);
  EXPECT_NEAR(support_area(flat, Vector3d::UnitZ()), 0.08, 1e-9);
  const Pose standing(Vector3d(0, 0, 0.5 + 0.06 + 0.1), turned(pi / 2, Vector3d::UnitX()));
  const ContactManifold on_side = checked_manifold(kCube, Pose(), plate, standing, {}, {.surface = 1e-6});
  ASSERT_EQ(on_side.points().size(), 2u);
  EXPECT_NEAR(on_side.points()[0].distance, 0.0, 1e-9);
}

TEST(ManifoldFaces, MarginsMoveThePointsOutwards) {
  const Shape padded(Box({0.5, 0.5, 0.5}), 0.1);
  const Shape hull = Shape(box_hull({0.5, 0.5, 0.5}), 0.1);
  const Shape triangle(Triangle({Vector3d(0, 0, 0), Vector3d(0.4, 0, 0), Vector3d(0, 0.3, 0)}), 0.1);
  for (const Shape* lower : {&padded, &hull}) {
    for (const Shape* upper : {&padded, &hull}) {
      const ContactManifold manifold = checked_manifold(*lower, Pose(), *upper, at(0.3, 0.2, 1.2 - 0.01));
      ASSERT_EQ(manifold.points().size(), 4u);
      EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.7 * 0.8, 1e-9);
    }
    EXPECT_EQ(checked_manifold(*lower, Pose(), triangle, at(0, 0, 0.71)).points().size(), 3u);
    // A tilted face is moved along its own normal.
    const Pose tilted(Vector3d(0.3, 0.2, 1.2), turned(0.05, Vector3d(1, 2, 0)));
    EXPECT_EQ(checked_manifold(*lower, Pose(), padded, tilted).points().size(), 4u);
    EXPECT_EQ(checked_manifold(*lower, Pose(), hull, tilted).points().size(), 4u);
  }
}

// A plate of 2 m whose one corner is rounded by a hundred corners keeps the three others.
TEST(ManifoldFaces, SharpCornersOfAFaceStayBesideAFinelyRoundedOne) {
  std::vector<Eigen::Vector2d> outline;
  for (int i = 0; i < 100; ++i) {
    const double angle = 0.5 * pi * i / 99;
    outline.emplace_back(0.9 + 0.1 * std::cos(angle), 0.9 + 0.1 * std::sin(angle));
  }
  for (const Eigen::Vector2d& corner : {Eigen::Vector2d(-1, 1), {-1, -1}, {1, -1}}) outline.push_back(corner);
  std::vector<Vector3d> points;
  for (const Eigen::Vector2d& corner : outline) {
    for (const double z : {-0.05, 0.05}) points.emplace_back(corner.x(), corner.y(), z);
  }
  const Shape table = Box({5, 5, 0.5});
  const Shape small = Box({0.1, 0.1, 0.1});
  for (const Shape& plate : {Shape(PaddedPolygon(outline, 0.05)), Shape(ConvexHull::from_points(points))}) {
    for (const double angle : {0.0, pi}) {  // on either side
      const Pose above(Vector3d(0, 0, 0.55), turned(angle, Vector3d::UnitX()));
      for (const int count : {4, 16}) {
        const ContactManifold manifold = checked_manifold(table, Pose(), plate, above, {.max_points = count});
        for (const Vector3d& corner : {Vector3d(-1, 1, 0), Vector3d(-1, -1, 0), Vector3d(1, -1, 0)}) {
          EXPECT_TRUE(has_point_a(manifold, above * corner - Vector3d(0, 0, 0.05))) << corner.transpose();
        }
      }
    }
    for (const Eigen::Vector2d& place : {Eigen::Vector2d(-0.9, -0.9), {0.9, -0.9}, {-0.9, 0.9}, {0, -0.8}}) {
      const ContactManifold manifold = checked_manifold(plate, Pose(), small, at(place.x(), place.y(), 0.15));
      EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.04, 1e-9) << place.transpose();
    }
  }
}

// The way from the lower side of a thin plate to the upper one slopes little, but the upper side does not look down.
TEST(ManifoldFaces, VerticesOfTheFarSideOfAThinHullDoNotCount) {
  const Shape table = Box({5, 5, 0.5});
  const Shape box = Box({1, 0.8, 0.02});
  const Shape hull = box_hull({1, 0.8, 0.02});
  for (const double angle : {0.0, 1e-3, 0.01, 0.05}) {
    for (const double tilt : {0.1, 0.11}) {  // from lists of the hull, and by a walk
      SCOPED_TRACE(testing::Message() << "angle " << angle << ", tilt " << tilt);
      const Quaterniond turn = turned(angle, Vector3d(0.3, 1, 0));
      const double low = -(turn * Vector3d(angle > 0.0 ? 1 : -1, -0.8, -0.02)).z();
      const Pose above(Vector3d(0, 0, 0.5 + low), turn);
      const ManifoldOptions options = {.max_points = 16, .max_tilt = tilt};
      const ManifoldTolerance tolerance = {.surface = 2e-6, .sideways = 1e-6, .depth = 2e-6};
      const ContactManifold of_box = checked_manifold(table, Pose(), box, above, options, tolerance);
      const ContactManifold of_hull = checked_manifold(table, Pose(), hull, above, options, tolerance);
      ASSERT_EQ(of_box.points().size(), 4u);
      ASSERT_EQ(of_hull.points().size(), 4u);
      for (const ContactPoint& point : of_box.points()) EXPECT_TRUE(has_point_a(of_hull, point.point_a, 1e-6));
    }
  }
}

TEST(ManifoldFaces, ATrayStandsOnItsFloorAndNotOnItsFlaredRim) {
  const Shape table = Box({5, 5, 0.5});
  for (const double flare : {0.02, 0.1, 0.2}) {
    std::vector<Vector3d> points;
    for (int i = 0; i < 4; ++i) {
      const Vector3d corner(i & 1 ? 1 : -1, i & 2 ? 1 : -1, 0);
      points.push_back(2.0 * corner);
      points.push_back((2.0 + flare) * corner + Vector3d(0, 0, 0.1));
    }
    const Shape tray = ConvexHull::from_points(points);
    const ContactManifold manifold = checked_manifold(table, Pose(), tray, at(0, 0, 0.5));
    ASSERT_EQ(manifold.points().size(), 4u);
    for (const ContactPoint& point : manifold.points()) EXPECT_NEAR(point.distance, 0.0, 1e-12) << "flare " << flare;
  }
}

// A box of 2 x 2 x 0.2 m whose corners are off by noise: its faces are bent.
Shape noisy_slab(const Vector3d& half, double noise, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i) {
    const Vector3d corner(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(), i & 4 ? half.z() : -half.z());
    points.emplace_back(corner + Vector3d(0, 0, random.uniform(-noise, noise)));
  }
  return ConvexHull::from_points(points);
}

TEST(ManifoldFaces, AFaceWithASlightBendIsOneFace) {
  Random random(11);
  const Shape box = Box({0.2, 0.2, 0.1});
  // A millionth of the diameter is flat to a hull, and to a side of an outline.
  const ManifoldTolerance tolerance = {.surface = 4.1e-6, .sideways = 1e-9, .depth = 4.1e-6};
  for (const double noise : {1e-6, 1e-5, 1e-4}) {
    SCOPED_TRACE(testing::Message() << "noise " << noise);
    for (int i = 0; i < 40; ++i) {
      SCOPED_TRACE(testing::Message() << "slab " << i);
      const Shape slab = noisy_slab({1, 1, 0.1}, noise, random);
      const Quaterniond turn = turned(random.uniform(0, 6), Vector3d::UnitZ());
      const Pose above(random.vector(-0.7, 0.7).cwiseProduct(Vector3d(1, 1, 0)) + Vector3d(0, 0, 0.21), turn);
      const ContactManifold on_slab = checked_manifold(slab, Pose(), box, above, {.max_points = 16}, tolerance);
      const ContactManifold under_box = checked_manifold(box, above, slab, Pose(), {.max_points = 16}, tolerance);
      const Shape beam = noisy_slab({2, 0.3, 0.1}, noise, random);
      const Shape across = noisy_slab({0.3, 2, 0.1}, noise, random);
      const ContactManifold crossing =
          checked_manifold(beam, Pose(), across, at(0, 0, 0.21), {.max_points = 16}, tolerance);
      for (int k = 0; k < 4; ++k) {
        const Vector3d corner(k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0);
        EXPECT_TRUE(has_point_a(on_slab, above * (0.2 * corner - Vector3d(0, 0, 0.11)), 4.0 * noise + 1e-5)) << k;
        EXPECT_TRUE(has_point_a(under_box, above * (0.2 * corner - Vector3d(0, 0, 0.1)), 4.0 * noise + 1e-5)) << k;
        EXPECT_TRUE(has_point_a(crossing, 0.3 * corner + Vector3d(0, 0, 0.1), 4.0 * noise + 1e-5)) << k;
      }
    }
  }
}

TEST(ManifoldFaces, ABoxThatRocksOverABendKeepsItsIds) {
  const double raised = 1e-5;
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 0.1 : -0.1);
  points[7].z() += raised;
  const Shape slab = ConvexHull::from_points(points);
  const Shape box = Box({0.2, 0.2, 0.1});
  Random random(12);
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 50; ++i) {
    const Pose above(Vector3d(0.1, 0.05, 0.21), turned(1e-5, random.direction()));
    ids.merge(
        ids_of(checked_manifold(slab, Pose(), box, above, {}, {.surface = 2.9e-6, .sideways = 1e-9, .depth = 2.9e-6})));
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST(ManifoldFaces, AFineMeshOfASlightBulgeTouchesWithItsWholeUnderside) {
  const Shape table = Box({1, 1, 0.5});
  const double half = 0.1;
  for (const double sag : {1e-7, 1e-6, 1e-5}) {
    for (const int cells : {8, 16}) {
      for (const double margin : {0.0, 0.01}) {
        SCOPED_TRACE(testing::Message() << "sag " << sag << ", " << cells << " cells, margin " << margin);
        std::vector<Vector3d> points;
        for (int i = 0; i <= cells; ++i) {
          for (int j = 0; j <= cells; ++j) {
            const double x = half * (2.0 * i / cells - 1.0);
            const double y = half * (2.0 * j / cells - 1.0);
            points.emplace_back(x, y, sag * (x * x + y * y) / (2.0 * half * half));
          }
        }
        for (int k = 0; k < 4; ++k) points.emplace_back(k & 1 ? half : -half, k & 2 ? half : -half, 0.02);
        const Shape bulge(ConvexHull::from_points(points), margin);
        const Pose above(Vector3d(0.003, 0.002, 0.5 + margin), turned(0.3, Vector3d::UnitZ()));
        const ManifoldTolerance tolerance = {.surface = 3e-7, .sideways = 1e-9, .depth = 1e-7};
        const ContactManifold all =
            checked_manifold(table, Pose(), bulge, above, {.max_points = 16, .max_distance = 2e-3}, tolerance);
        for (int k = 0; k < 4; ++k) {
          const Vector3d corner(k & 1 ? half : -half, k & 2 ? half : -half, 0);
          EXPECT_TRUE(has_point_a(all, above * corner - Vector3d(0, 0, margin), 3e-6)) << k;
        }
        // A small box under one of its quarters.
        const Shape small = Box({0.02, 0.02, 0.02});
        const Vector3d below = above * Vector3d(0.05, 0.04, -0.03 - margin);
        const ContactManifold part = checked_manifold(small, Pose(below), bulge, above, {.max_points = 16}, tolerance);
        for (int k = 0; k < 4; ++k) {
          EXPECT_TRUE(has_point_a(part, below + Vector3d(k & 1 ? 0.02 : -0.02, k & 2 ? 0.02 : -0.02, 0.02))) << k;
        }
      }
    }
  }
}

TEST(ManifoldFaces, ACollinearTriangleTouchesAlongItsWholeLength) {
  const Shape table = Box({5, 5, 0.5});
  for (const double middle : {-0.4, 0.0}) {
    for (const double drop : {0.0, 1e-13}) {  // of the corner between, by rounding
      for (int first = 0; first < 3; ++first) {
        std::array<Vector3d, 3> corners = {Vector3d(-1, 0, 0), Vector3d(1, 0, 0), Vector3d(middle, 0, -drop)};
        std::rotate(corners.begin(), corners.begin() + first, corners.end());
        const ContactManifold manifold = checked_manifold(table, Pose(), Triangle(corners), at(0, 0, 0.5 + drop));
        ASSERT_EQ(manifold.points().size(), 2u) << middle << ", drop " << drop << ", first " << first;
        for (const double x : {-1, 1}) EXPECT_TRUE(has_point_a(manifold, {x, 0, 0.5})) << x << ", drop " << drop;
      }
    }
  }
}

TEST(ManifoldFaces, OptionsOutOfRangeAreNamed) {
  const Separation s = distance(kCube, Pose(), kCube, at(0, 0, 1));
  const auto message = [&](const ManifoldOptions& options) -> std::string {
    try {
      (void)contact_manifold(kCube, Pose(), kCube, at(0, 0, 1), s, options);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({.max_points = 0}), "max_points: must be 1 ... 16, got 0");
  EXPECT_EQ(message({.max_points = 17}), "max_points: must be 1 ... 16, got 17");
  EXPECT_EQ(message({.max_distance = std::nan("")}), "max_distance: must be a number, got nan");
  EXPECT_EQ(message({.max_tilt = -0.1}), "max_tilt: must be 0 ... 0.5 radians, got -0.1");
  EXPECT_EQ(message({.max_tilt = 0.6}), "max_tilt: must be 0 ... 0.5 radians, got 0.6");
}

TEST(ManifoldFaces, CrossingsBesideTheTipOfAWedgeAreKept) {
  // Wedges of one metre on each other, shifted and turned by so little that their sides are crossed in another order
  // than the same sides moved by the slack.
  struct Case {
    double angle;  // of the tip
    double x;
    double y;
    double spin;
  };
  for (const Case& laid : {Case{1.0, -2.4127560948955395e-05, -1.7828651173166264e-05, 2.4822261810692897e-05},
                           Case{0.3, -5.7972231987554677e-06, -8.1481410876230813e-06, 9.8873133167262797e-06},
                           Case{0.3, -9.4108407387721106e-05, 3.3817268650006604e-05, -4.8055980954015798e-05},
                           Case{0.05, -5.5424099556400989e-05, 8.323562451476023e-05, -8.5575397480830822e-05}}) {
    const double half = std::tan(0.5 * laid.angle);
    std::vector<Vector3d> corners;
    for (const double z : {-0.05, 0.05}) {
      corners.insert(corners.end(), {{0.0, 0.0, z}, {1.0, half, z}, {1.0, -half, z}});
    }
    const Shape wedge = ConvexHull::from_points(corners);
    const Pose pose(Vector3d(laid.x, laid.y, 0.1), turned(laid.spin, Vector3d::UnitZ()));
    SCOPED_TRACE(testing::Message() << "angle " << laid.angle << " shift " << laid.x << " " << laid.y);
    // All but less than a shift along each side.
    const double least = half - 1e-3;
    EXPECT_GT(support_area(checked_manifold(wedge, Pose(), wedge, pose), Vector3d::UnitZ()), least);
    EXPECT_GT(support_area(checked_manifold(wedge, pose, wedge, Pose()), Vector3d::UnitZ()), least);
  }
}

TEST(ManifoldFaces, ALineKeepsBothItsEndsWhereverTheDeepestPointLies) {
  std::vector<detail::PatchPoint> points;
  for (const double x : {-1.0, 0.0, 0.3, 1.5}) {
    const Vector3d place(x, 2.0, 0.0);
    points.push_back({place, place, 0.0, points.size()});
  }
  for (const double first : {-1.0, -0.2, 0.3, 1.5}) {
    SCOPED_TRACE(testing::Message() << "first at " << first);
    std::array<std::size_t, 3> chosen{};
    const std::size_t count = detail::choose_spread(points, Vector3d(first, 2.0, 0.0), 0.0, 1e-6, chosen);
    double low = first;
    double high = first;
    for (std::size_t i = 0; i < count; ++i) {
      low = std::min(low, points[chosen[i]].point_a.x());
      high = std::max(high, points[chosen[i]].point_a.x());
    }
    EXPECT_EQ(low, -1.0);
    EXPECT_EQ(high, 1.5);
    EXPECT_EQ(count, first == -1.0 || first == 1.5 ? 1u : 2u);
  }
}

}  // namespace
}  // namespace abut

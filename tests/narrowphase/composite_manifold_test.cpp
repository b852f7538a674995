// Manifolds of meshes, height fields and compounds: one normal on flat ground, several in grooves, patches as of convex
// bodies, ids that last.
#include <abut/core/infinity.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include "composite_manifold_checks.h"
#include "manifold_checks.h"

namespace abut {
namespace {

using samples::box_mesh;
using samples::composite_manifold;
using samples::flat_mesh;
using samples::grid_mesh;
using samples::ids_of;
using samples::normals_of;
using samples::Random;
using samples::support_area;
using samples::turned;

const ManifoldOptions kNear{.max_distance = 0.01};
constexpr double kPi = std::numbers::pi;

/// Flat ground of three kinds, its surface at z = 0 about the origin.
struct Ground {
  const char* name;
  Shape shape;
  Pose pose;
};

std::vector<Ground> flat_grounds(Random& random) {
  const Eigen::MatrixXd level = Eigen::MatrixXd::Zero(21, 25);
  return {{"even grid", flat_mesh(20, 0.25, 0.0, random), Pose()},
          {"irregular grid", flat_mesh(24, 0.21, 0.24, random), Pose()},
          {"fine grid", flat_mesh(60, 0.07, 0.24, random), Pose()},
          {"height field", HeightField(level, {0.2, 0.23}, -1.0), Pose(Vector3d(-2.4, -2.3, 0.0))}};
}

void expect_one_normal(const ContactManifold& manifold, const Vector3d& normal) {
  const std::vector<Vector3d> normals = normals_of(manifold);
  ASSERT_EQ(normals.size(), 1u) << "also " << normals.back().transpose();
  EXPECT_LT((normals[0] - normal).norm(), 1e-9) << normals[0].transpose();
}

/// Turned, with its lowest point so deep below z = 0, metres.
Pose sunk(const Shape& body, const Quaterniond& turn, double x, double y, double depth) {
  const Pose at_origin(Vector3d::Zero(), turn);
  const double low = at_origin.rotate(support(body, at_origin.unrotate(-Vector3d::UnitZ()))).z();
  return Pose(Vector3d(x, y, -low - depth), turn);
}

TEST(CompositeManifold, ABoxThatSlidesOverFlatGroundSeesOneNormalAndItsWholeFace) {
  Random random(1);
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (const Ground& ground : flat_grounds(random)) {
    for (const double gap : {1e-3, 0.0, -1e-3, -0.03}) {
      for (int step = 0; step < 100; step += samples::kIsInstrumented ? 5 : 1) {
        SCOPED_TRACE(testing::Message() << ground.name << ", gap " << gap << ", step " << step);
        const Pose pose(Vector3d(-1.0 + 0.02 * step, 0.7 - 0.013 * step, 0.1 + gap),
                        turned(0.05 * step, Vector3d::UnitZ()));
        const ContactManifold manifold = composite_manifold(ground.shape, ground.pose, box, pose, kNear);
        expect_one_normal(manifold, Vector3d::UnitZ());
        ASSERT_EQ(manifold.points().size(), 4u);
        ASSERT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.24, 1e-4);
        for (const ContactPoint& point : manifold.points()) ASSERT_NEAR(point.distance, gap, 1e-9);
      }
    }
  }
}

TEST(CompositeManifold, ATiltedBoxOnFlatGroundSeesOneNormal) {
  Random random(2);
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (const Ground& ground : flat_grounds(random)) {
    for (int step = 0; step < 150; ++step) {
      const double tilt = step % 3 == 0 ? random.uniform(-0.01, 0.01) : random.uniform(-0.4, 0.4);
      const Quaterniond turn = turned(tilt, random.direction()) * turned(random.uniform(0, 6), Vector3d::UnitZ());
      Pose pose(Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), 0.0), turn);
      const double low = aabb(box, pose).lower.z();
      const double gap = random.uniform(-0.02, 0.005);
      pose = Pose(Vector3d(0, 0, gap - low)) * pose;
      SCOPED_TRACE(testing::Message() << ground.name << ", step " << step << ", tilt " << tilt << ", gap " << gap);
      const ContactManifold manifold = composite_manifold(ground.shape, ground.pose, box, pose, kNear);
      expect_one_normal(manifold, Vector3d::UnitZ());
      ASSERT_NEAR(manifold.points().front().distance, gap, 1e-9);
    }
  }
}

TEST(CompositeManifold, IdsStayWhileTheSameFeaturesOfTheSameLeavesTouch) {
  Random random(3);
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (const Ground& ground : flat_grounds(random)) {
    for (int place = 0; place < 20; ++place) {
      const Quaterniond turn = turned(random.uniform(0, 6), Vector3d::UnitZ());
      const Vector3d at(random.uniform(-1, 1), random.uniform(-1, 1), 0.1);
      const std::set<std::uint64_t> first =
          ids_of(composite_manifold(ground.shape, ground.pose, box, Pose(at, turn), kNear));
      ASSERT_EQ(first.size(), 4u);
      for (int shake = 0; shake < 20; ++shake) {
        const Pose pose(at + 1e-6 * random.vector(-1, 1), turned(1e-6, random.direction()) * turn);
        ASSERT_EQ(ids_of(composite_manifold(ground.shape, ground.pose, box, pose, kNear)), first) << ground.name;
      }
    }
  }
}

TEST(CompositeManifold, ABoxInAGrooveSeesBothItsSides) {
  Random random(4);
  const Shape groove(grid_mesh(24, 0.15, 0.0, random, [](double x, double) { return std::abs(x); }));
  const Shape box(Box({0.3, 0.5, 0.3}));
  const Vector3d left = Vector3d(1, 0, 1).normalized();
  const Vector3d right = Vector3d(-1, 0, 1).normalized();
  for (const double gap : {1e-3, -1e-3, -0.02}) {
    for (int step = 0; step < 50; ++step) {
      SCOPED_TRACE(testing::Message() << "gap " << gap << ", step " << step);
      const Pose pose(Vector3d(0.0, 0.02 * step - 0.5, std::sqrt(2.0) * (0.3 + gap)),
                      turned(0.25 * kPi, Vector3d::UnitY()));
      const ContactManifold manifold = composite_manifold(groove, Pose(), box, pose, kNear);
      const std::vector<Vector3d> normals = normals_of(manifold);
      ASSERT_EQ(normals.size(), 2u);
      for (const Vector3d& n : normals) EXPECT_LT(std::min((n - left).norm(), (n - right).norm()), 1e-9);
      EXPECT_EQ(manifold.points().size(), 8u);
      for (const ContactPoint& point : manifold.points()) EXPECT_NEAR(point.distance, gap, 1e-9);
    }
  }
}

TEST(CompositeManifold, ABodyInAShallowBendHasAPointAsDeepAsTheContact) {
  // The deepest leaf may let it out sideways, little before the face would.
  Random random(19);
  const Shape ground(grid_mesh(14, 0.15, 0.3, random, [](double x, double) { return 0.0174 * std::abs(x); }));
  for (int trial = 0; trial < 3000; ++trial) {
    const bool is_hull = trial % 2 != 0;
    const Shape body = is_hull ? Shape(samples::random_hull(12, 0.2, random)) : Shape(Box({0.1, 0.15, 0.05}));
    const Quaterniond turn = is_hull ? random.rotation() : turned(random.uniform(0.0, 6.0), Vector3d::UnitZ());
    const double low = (turn * support(body, turn.conjugate() * Vector3d(0, 0, -1))).z();
    const Pose pose(Vector3d(random.uniform(-0.1, 0.1), random.uniform(-0.3, 0.3), -low - random.uniform(0.0, 0.008)),
                    turn);
    const Separation s = distance(ground, Pose(), body, pose);
    if (s.distance > 0.0) continue;
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", distance " << s.distance);
    const ContactManifold manifold = contact_manifold(ground, Pose(), body, pose, s, {.max_distance = 0.0});
    EXPECT_LE(manifold.points()[0].distance, s.distance + 1e-9);
    for (const ContactPoint& point : manifold.points()) EXPECT_GT(point.normal.z(), 0.9995);
  }
}

TEST(CompositeManifold, ABoxOnARidgeTouchesAlongIt) {
  Random random(5);
  const Shape roof(grid_mesh(24, 0.15, 0.0, random, [](double x, double) { return -0.6 * std::abs(x); }));
  const Shape box(Box({0.2, 0.3, 0.1}));
  for (const double gap : {1e-3, 0.0, -1e-3, -5e-3}) {
    for (const double tilt : {0.0, 0.2, -0.3}) {
      SCOPED_TRACE(testing::Message() << "gap " << gap << ", tilt " << tilt);
      const Vector3d up = turned(tilt, Vector3d::UnitY()) * Vector3d::UnitZ();
      const Pose pose((0.1 + gap) * up, turned(tilt, Vector3d::UnitY()));
      const ContactManifold manifold = composite_manifold(roof, Pose(), box, pose, kNear);
      ASSERT_EQ(manifold.points().size(), 2u);
      expect_one_normal(manifold, up);
      for (const ContactPoint& point : manifold.points()) {
        EXPECT_NEAR(point.distance, gap, 1e-9);
        EXPECT_NEAR(std::abs(point.point_a.y()), 0.3, 1e-6);
      }
    }
  }
}

TEST(CompositeManifold, RoundBodiesNearInnerEdgesAndCornersSeeTheFace) {
  Random random(6);
  for (const Ground& ground : flat_grounds(random)) {
    for (int i = 0; i < 200; ++i) {
      // Above a corner, above an edge, anywhere.
      Vector3d at(random.uniform(-1, 1), random.uniform(-1, 1), 0.0);
      if (const auto* mesh = ground.shape.get_if<TriangleMesh>(); mesh != nullptr && i % 3 != 0) {
        const auto corners = mesh->corners(random.below(static_cast<std::uint32_t>(mesh->triangles().size())));
        const Vector3d on = i % 3 == 1 ? corners[0] : Vector3d(0.3 * corners[1] + 0.7 * corners[2]);
        if (on.cwiseAbs().maxCoeff() < 1.2) at = on;
      }
      const double gap = random.uniform(-0.02, 0.005);
      SCOPED_TRACE(testing::Message() << ground.name << ", " << i << ", at " << at.transpose() << ", gap " << gap);
      const ContactManifold ball =
          composite_manifold(ground.shape, ground.pose, Sphere(0.1), Pose(at + Vector3d(0, 0, 0.1 + gap)), kNear);
      expect_one_normal(ball, Vector3d::UnitZ());
      ASSERT_EQ(ball.points().size(), 1u);
      ASSERT_NEAR(ball.points()[0].distance, gap, 1e-9);
      const Pose lying(at + Vector3d(0, 0, 0.1 + gap),
                       turned(random.uniform(0, 6), Vector3d::UnitZ()) * turned(0.5 * kPi, Vector3d::UnitX()));
      // The crossing of two edges that are nearly parallel may lie beside both, and then is a point of its own; a
      // crossing that is this near to an end is as good as the end.
      constexpr double kBeside = 1e-4;
      const ContactManifold capsule =
          composite_manifold(ground.shape, ground.pose, Capsule(0.1, 0.3), lying, kNear, kBeside);
      expect_one_normal(capsule, Vector3d::UnitZ());
      ASSERT_GE(capsule.points().size(), 2u);
      const Vector3d axis = lying.rotation().col(2);
      double low = kInfinity;
      double high = -kInfinity;
      for (const ContactPoint& point : capsule.points()) {
        const Vector3d from = point.point_b - lying.translation();
        low = std::min(low, from.dot(axis));
        high = std::max(high, from.dot(axis));
        ASSERT_LE((from - from.dot(axis) * axis).head<2>().norm(), kBeside);
      }
      ASSERT_NEAR(low, -0.3, kBeside);
      ASSERT_NEAR(high, 0.3, kBeside);
    }
  }
}

TEST(CompositeManifold, PointedBodiesBesideInnerEdgesSeeTheFaceThatTheirTipIsUnder) {
  // Deeper than its tip is far from an edge, such a body parts from each triangle by itself sideways or downwards.
  Random random(17);
  const Shape ground(TriangleMesh({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}));
  for (int trial = 0; trial < 3000; ++trial) {
    const Shape body = trial % 3 == 0   ? Shape(Cone(0.1, 0.1))
                       : trial % 3 == 1 ? Shape(samples::random_hull(5, 0.3, random))
                                        : Shape(samples::random_hull(12, 0.3, random));
    const Quaterniond turn = random.rotation();
    const double depth = random.uniform(2e-4, 3e-3);
    const Vector3d tip = turn * support(body, turn.conjugate() * Vector3d(0, 0, -1));
    const double beside = random.uniform(-5.0, 5.0) * depth;
    const double along = random.uniform(-0.4, 0.4);
    const Pose pose(Vector3d(along + beside, along, -depth) - tip, turn);
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const double tolerance = trial % 3 == 0 ? kRelativeTolerance : 1e-9;  // of the solver of smooth bodies
    const ContactManifold manifold = composite_manifold(ground, Pose(), body, pose, {.max_distance = 0.003}, tolerance);
    expect_one_normal(manifold, Vector3d::UnitZ());
    ASSERT_NEAR(manifold.points()[0].distance, -depth, 1e-7);
    // Not beside the tip but for a rim or an edge that is nearly level.
    ASSERT_NEAR(manifold.points()[0].point_b.z(), -depth, 1e-7);
  }
}

// Depth, normal and area of a patch as those of the same pair of convex boxes.
void expect_patch_of_boxes(const Shape& a, const Pose& pose_a, const Vector3d& half_a, const Shape& b,
                           const Pose& pose_b, const Vector3d& half_b) {
  const Shape box_a{Box(half_a)};
  const Shape box_b{Box(half_b)};
  const Separation s = distance(box_a, pose_a, box_b, pose_b);
  const ContactManifold expected = contact_manifold(box_a, pose_a, box_b, pose_b, s, {.max_points = 8});
  const ContactManifold found = composite_manifold(a, pose_a, b, pose_b, {.max_points = 8, .max_distance = 0.01});
  expect_one_normal(found, s.normal);
  EXPECT_NEAR(support_area(found, s.normal), support_area(expected, s.normal),
              1e-3 * std::abs(support_area(expected, s.normal)));
  EXPECT_NEAR(found.points().front().distance, s.distance, 1e-9);
}

TEST(CompositeManifold, BoxesAsMeshesTouchLikeBoxes) {
  const Vector3d large(0.5, 0.4, 0.3);
  const Vector3d small(0.2, 0.3, 0.1);
  for (const int cells : {1, 3}) {
    const Shape mesh_large(box_mesh(large, cells));
    const Shape mesh_small(box_mesh(small, cells));
    for (const double gap : {1e-3, 0.0, -1e-3, -8e-3}) {
      for (const double yaw : {0.0, 0.3, 1.1}) {
        for (const Vector3d& at : {Vector3d(0, 0, 0), Vector3d(0.1, -0.05, 0), Vector3d(0.45, 0.2, 0)}) {
          SCOPED_TRACE(testing::Message()
                       << cells << " cells, gap " << gap << ", yaw " << yaw << ", at " << at.transpose());
          const Pose above(at + Vector3d(0, 0, 0.4 + gap), turned(yaw, Vector3d::UnitZ()));
          {
            SCOPED_TRACE("mesh on mesh");
            expect_patch_of_boxes(mesh_large, Pose(), large, mesh_small, above, small);
          }
          {
            SCOPED_TRACE("box on mesh");
            expect_patch_of_boxes(mesh_large, Pose(), large, Box(small), above, small);
          }
          {
            SCOPED_TRACE("mesh on box");
            expect_patch_of_boxes(Box(large), Pose(), large, mesh_small, above, small);
          }
        }
      }
    }
  }
}

TEST(CompositeManifold, EqualBoxesAsMeshesStackLikeBoxes) {
  const Vector3d half(0.5, 0.4, 0.3);
  const Shape mesh(box_mesh(half));
  for (const double gap : {1e-3, -1e-3, -5e-3}) {
    SCOPED_TRACE(testing::Message() << "gap " << gap);
    expect_patch_of_boxes(mesh, Pose(), half, mesh, Pose(Vector3d(0, 0, 0.6 + gap)), half);
    expect_patch_of_boxes(mesh, Pose(), half, Box(half), Pose(Vector3d(0, 0, 0.6 + gap)), half);
  }
}

TEST(CompositeManifold, ABodyThatComesFromBehindIsPushedBackThere) {
  Random random(7);
  const Shape ground(flat_mesh(24, 0.21, 0.24, random));
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (const double gap : {1e-3, -1e-3, -0.03}) {
    for (int step = 0; step < 50; ++step) {
      const Pose pose(Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), -0.1 - gap),
                      turned(0.1 * step, Vector3d::UnitZ()));
      const ContactManifold manifold = composite_manifold(ground, Pose(), box, pose, kNear);
      expect_one_normal(manifold, -Vector3d::UnitZ());
      ASSERT_EQ(manifold.points().size(), 4u);
      ASSERT_NEAR(manifold.points()[0].distance, gap, 1e-9);
    }
  }
  // In a room, whose faces look outwards.
  const Shape room(box_mesh({1, 1, 1}, 4));
  const ContactManifold corner = composite_manifold(room, Pose(), box, Pose(Vector3d(0.7001, 0.7999, -0.8999)), kNear);
  const std::vector<Vector3d> normals = normals_of(corner);
  ASSERT_EQ(normals.size(), 3u);
  for (const Vector3d& n : normals) EXPECT_LT(n.dot(Vector3d(1, 1, -1)), -0.999);
}

TEST(CompositeManifold, TheSideOfAPlateIsThatOfItsDeepestPairHoweverItIsRounded) {
  // All triangles have open borders, and a box presses into the back deeper than a ball into the front.
  Random random(18);
  for (int trial = 0; trial < 60; ++trial) {
    const Quaterniond turn = random.rotation();
    std::vector<Vector3d> vertices;
    for (const Vector3d& corner : {Vector3d(-1, -1, 0), {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}) {
      vertices.push_back(turn * corner);
    }
    const Shape plate(TriangleMesh(vertices, {{0, 1, 2}, {0, 2, 3}}));
    const Shape body(Compound(
        {{Box({0.2, 0.2, 0.2}), Pose(Vector3d(0.4, -0.3, -0.12))}, {Sphere(0.2), Pose(Vector3d(-0.4, 0.2, 0.17))}}));
    const Pose world_from_plate = random.pose(0.5);
    const Pose world_from_body = world_from_plate * Pose(Vector3d::Zero(), turn);
    std::set<std::uint64_t> first;
    for (int frame = 0; frame < 20; ++frame) {
      const Pose pose(world_from_body.translation() + 1e-13 * random.direction(), world_from_body.quaternion());
      const ContactManifold manifold = composite_manifold(plate, world_from_plate, body, pose, kNear);
      if (frame == 0) first = ids_of(manifold);
      EXPECT_EQ(ids_of(manifold), first) << "trial " << trial << ", frame " << frame;
      for (const ContactPoint& point : manifold.points()) EXPECT_EQ(point.leaf_b, 0u) << "the ball is behind";
    }
  }
}

TEST(CompositeManifold, ADeepBoxIsPushedUp) {
  Random random(8);
  const Shape plate(Box({0.3, 0.02, 0.2}));  // it leaves every small triangle sooner sideways than upwards
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (const Ground& ground : flat_grounds(random)) {
    for (int step = 0; step < 40; ++step) {
      SCOPED_TRACE(testing::Message() << ground.name << ", step " << step);
      const Vector3d at(random.uniform(-1, 1), random.uniform(-1, 1), 0.0);
      const Quaterniond turn = turned(0.1 * step, Vector3d::UnitZ());
      const ContactManifold deep =
          composite_manifold(ground.shape, ground.pose, box, Pose(at + Vector3d(0, 0, 0.02), turn), kNear);
      expect_one_normal(deep, Vector3d::UnitZ());
      ASSERT_NEAR(deep.points()[0].distance, -0.08, 1e-9);
      ASSERT_EQ(deep.points().size(), 4u);
      const ContactManifold thin =
          composite_manifold(ground.shape, ground.pose, plate, Pose(at + Vector3d(0, 0, 0.15), turn), kNear);
      expect_one_normal(thin, Vector3d::UnitZ());
      ASSERT_NEAR(thin.points()[0].distance, -0.05, 1e-9);
      ASSERT_EQ(thin.points().size(), 4u);
    }
  }
}

TEST(CompositeManifold, OpenBordersAndFinsHaveNormalsOfTheirOwn) {
  Random random(9);
  const Shape plate(flat_mesh(8, 0.25, 0.24, random));
  const Shape box(Box({0.1, 0.1, 0.1}));
  const ContactManifold border = composite_manifold(plate, Pose(), box, Pose(Vector3d(1.101, 0.03, 0.01)), kNear);
  expect_one_normal(border, Vector3d::UnitX());
  EXPECT_NEAR(border.points()[0].distance, 1e-3, 1e-9);
  const ContactManifold diagonal =
      composite_manifold(plate, Pose(), Sphere(0.1), Pose(Vector3d(1.0, 0.03, 0.0) + Vector3d(0.08, 0, 0.08)));
  expect_one_normal(diagonal, Vector3d(1, 0, 1).normalized());
  // Three triangles at one edge.
  const Shape fins(
      TriangleMesh({{0, 0, 0}, {0, 1, 0}, {1, 0.5, 0}, {-1, 0.5, 0}, {0, 0.5, 1}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}));
  const ContactManifold above =
      composite_manifold(fins, Pose(), box, Pose(Vector3d(0.101, 0.5, 0.101)), {.max_distance = 0.0012});
  EXPECT_EQ(normals_of(above).size(), 2u);
  for (const Vector3d& n : normals_of(above))
    EXPECT_LT(std::min((n - Vector3d::UnitX()).norm(), (n - Vector3d::UnitZ()).norm()), 1e-9);
}

TEST(CompositeManifold, RigidMotionsAndScalesMoveTheManifoldAlong) {
  Random random(10);
  for (int i = 0; i < 60; ++i) {
    const TriangleMesh ground = grid_mesh(
        16, 0.2, 0.24, random, [](double x, double y) { return 0.1 * std::sin(3.0 * x) * std::cos(2.0 * y); });
    const Shape hull(samples::random_hull(12, 0.3, random));
    const Pose start(Vector3d(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), 1.0), random.rotation());
    const Separation above = distance(ground, Pose(), hull, start);
    const Pose pose = Pose(-(above.distance + random.uniform(-0.002, 0.02)) * Vector3d::UnitZ()) * start;
    const ContactManifold before = composite_manifold(ground, Pose(), hull, pose, {.max_distance = 0.004});
    const Pose motion(random.vector(-3, 3), random.rotation());
    const ContactManifold after =
        composite_manifold(ground, motion, hull, motion * pose, {.max_distance = 0.004}, 1e-8);
    ASSERT_EQ(before.points().size(), after.points().size()) << i;
    for (std::size_t k = 0; k < before.points().size(); ++k) {
      ASSERT_EQ(before.points()[k].feature_id, after.points()[k].feature_id) << i;
      ASSERT_EQ(before.points()[k].leaf_a, after.points()[k].leaf_a);
      ASSERT_NEAR(before.points()[k].distance, after.points()[k].distance, 1e-9);
      ASSERT_LT((motion.rotate(before.points()[k].normal) - after.points()[k].normal).norm(), 1e-7);
    }
  }
}

TEST(CompositeManifold, ScalesFromMicrometresToThousandsOfKilometres) {
  for (const double scale : {1e-6, 1e-3, 1e3, 1e6}) {
    SCOPED_TRACE(scale);
    Random random(11);
    const Shape ground(flat_mesh(16, 0.2 * scale, 0.24, random));
    const Shape box(Box(scale * Vector3d(0.3, 0.2, 0.1)));
    for (int i = 0; i < 20; ++i) {
      const Pose pose(scale * Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), 0.099),
                      turned(random.uniform(0, 6), Vector3d::UnitZ()));
      const ContactManifold manifold =
          composite_manifold(ground, Pose(), box, pose, {.max_distance = 0.01 * scale}, 1e-9 * scale);
      expect_one_normal(manifold, Vector3d::UnitZ());
      ASSERT_EQ(manifold.points().size(), 4u);
      ASSERT_NEAR(manifold.points()[0].distance, -1e-3 * scale, 1e-9 * scale);
    }
  }
}

TEST(CompositeManifold, SliversInFlatGroundGiveNoNormalsOfTheirOwn) {
  // Two squares whose shared side has a corner on it, filled with a sliver; segments and points on top.
  const TriangleMesh ground({{-2, -2, 0}, {0, -2, 0}, {2, -2, 0}, {-2, 2, 0}, {0, 2, 0}, {2, 2, 0}, {0, 0.3, 0}},
                            {{0, 1, 4}, {0, 4, 3}, {1, 6, 4}, {1, 2, 6}, {2, 5, 6}, {5, 4, 6}, {1, 1, 6}, {6, 6, 6}});
  const Shape box(Box({0.3, 0.2, 0.1}));
  Random random(12);
  for (int i = 0; i < 100; ++i) {
    const Pose pose(Vector3d(random.uniform(-0.4, 0.4), random.uniform(-0.5, 0.5), 0.1 - 0.01 * (i % 3)),
                    turned(random.uniform(0, 6), Vector3d::UnitZ()));
    const ContactManifold manifold = composite_manifold(ground, Pose(), box, pose, kNear);
    expect_one_normal(manifold, Vector3d::UnitZ());
    ASSERT_EQ(manifold.points().size(), 4u);
  }
}

TEST(CompositeManifold, ANarrowStripInFlatGroundGivesNoNormalsOfItsOwn) {
  // Two plates that a strip joins, whose corners on the one side lie between those on the other.
  const Shape box(Box({0.1, 0.1, 0.1}));
  for (const double width : {1e-2, 1e-3, 1e-5, 1e-8}) {
    const TriangleMesh ground({{0, -0.9, 0},
                               {0, -0.3, 0},
                               {0, 0.3, 0},
                               {0, 0.9, 0},
                               {width, -0.6, 0},
                               {width, 0, 0},
                               {width, 0.6, 0},
                               {-1, -0.9, 0},
                               {-1, 0.9, 0},
                               {1, -0.9, 0},
                               {1, 0.9, 0}},
                              {{0, 4, 1},
                               {4, 5, 1},
                               {1, 5, 2},
                               {5, 6, 2},
                               {2, 6, 3},
                               {7, 0, 1},
                               {7, 1, 8},
                               {8, 1, 2},
                               {8, 2, 3},
                               {9, 5, 4},
                               {9, 10, 5},
                               {10, 6, 5},
                               {0, 9, 4},
                               {3, 6, 10}});
    for (const double tilt : {0.0, 1e-3, 1e-2, -1e-2}) {
      for (int step = 0; step < 100; ++step) {
        SCOPED_TRACE(testing::Message() << "width " << width << ", tilt " << tilt << ", step " << step);
        const Pose pose = sunk(box, turned(tilt, Vector3d::UnitY()), -0.2 + 0.004 * step + 3e-5, 0.0123, 1e-4);
        const ContactManifold manifold = composite_manifold(ground, Pose(), box, pose, kNear);
        expect_one_normal(manifold, Vector3d::UnitZ());
        ASSERT_NEAR(manifold.points()[0].distance, -1e-4, 1e-9);
      }
    }
  }
}

TEST(CompositeManifold, ATipThatLeansOverAnInnerEdgeIsAsDeepAsItIs) {
  // Its lowest corner is not below its own cross-section: over the edge, the triangle below it is beside the body.
  Random random(13);
  const TriangleMesh ground = flat_mesh(20, 0.1, 0.0, random);
  for (const double slope : {0.2, 0.5, 1.0, 2.0, 5.0}) {
    std::vector<Vector3d> corners{Vector3d::Zero()};
    for (const double y : {-0.03, 0.03}) {
      corners.emplace_back(-0.1, y, 0.05 * slope);
      corners.emplace_back(-0.1, y, 0.1 * slope);
    }
    const Shape tip(ConvexHull::from_points(corners));
    for (const double depth : {1e-4, 1e-3, 5e-3}) {
      for (const double reach : {0.0, 1e-3}) {
        for (int step = 0; step < 60; ++step) {
          SCOPED_TRACE(testing::Message() << "slope " << slope << ", depth " << depth << ", step " << step);
          const Pose pose(Vector3d(0.099 + 3e-4 * step, 0.0237, -depth));
          const ContactManifold manifold = composite_manifold(ground, Pose(), tip, pose, {.max_distance = reach});
          expect_one_normal(manifold, Vector3d::UnitZ());
          ASSERT_NEAR(manifold.points()[0].distance, -depth, 1e-9);
        }
      }
    }
  }
}

// Over its last triangle the thin end is out of the floor soonest downwards, or has left it there.
TEST(CompositeManifold, ATaperingBodyThatLiesInTheGroundHasAPointAtItsTip) {
  Random random(21);
  constexpr double kHalfLength = 0.7;
  for (int i = 0; i < (samples::kIsInstrumented ? 100 : 1000); ++i) {
    SCOPED_TRACE(i);
    const double radius = log_uniform(0.02, 0.2, random);
    const Vector3d tip(0.0, 0.0, kHalfLength);
    std::vector<Vector3d> corners{tip};
    for (int k = 0; k < 6; ++k) {
      const double angle = 2.0 * std::numbers::pi * (k + 0.5) / 6.0;
      corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), -kHalfLength);
    }
    const double spacing = random.uniform(0.05, 0.3);
    const TriangleMesh ground = flat_mesh(static_cast<int>(4.0 / spacing), spacing, 0.0, random);
    for (const Shape& body : {Shape(Cone(radius, kHalfLength)), Shape(ConvexHull::from_points(corners))}) {
      // On its side, which is level.
      const double inner = body.get_if<Cone>() != nullptr ? radius : radius * std::cos(std::numbers::pi / 6.0);
      const Quaterniond level =
          turned(0.5 * std::numbers::pi + std::atan(0.5 * inner / kHalfLength), Vector3d::UnitY());
      const Quaterniond turn = turned(random.uniform(0.0, 6.28), Vector3d::UnitZ()) * level;
      const double depth = radius * log_uniform(1e-5, 0.15, random);
      const Pose pose = sunk(body, turn, random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), depth);
      const ContactManifold manifold = composite_manifold(ground, Pose(), body, pose, {.max_distance = 1e-3});
      expect_one_normal(manifold, Vector3d::UnitZ());
      double nearest = 10.0;
      for (const ContactPoint& point : manifold.points()) {
        nearest = std::min(nearest, (point.point_b - pose * tip).norm());
      }
      EXPECT_LT(nearest, 0.2 * kHalfLength) << body.type_name() << ", radius " << radius << ", depth " << depth;
    }
  }
}

TEST(CompositeManifold, TheLowestPointOfARoundedBoxIsAmongThePoints) {
  Random random(5);
  const TriangleMesh ground({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, {{0, 1, 2}, {0, 2, 3}});
  constexpr int kRounds = samples::kIsInstrumented ? 500 : 5000;
  int level = 0;
  for (int i = 0; i < kRounds; ++i) {
    SCOPED_TRACE(i);
    const Shape box(Box(random.vector(0.2, 1.0)), random.uniform(0.02, 0.3));
    const Quaterniond turn = random.rotation();
    const double depth = random.uniform(0.02, 0.12);
    // Its tip about the border of the two triangles.
    const Vector3d tip = turn * support(box, turn.inverse() * -Vector3d::UnitZ());
    const double along = random.uniform(-2.0, 2.0);
    const double across = depth * random.uniform(-2.0, 2.0);
    const Pose pose(Vector3d(along + across, along - across, -depth) - tip, turn);
    const ContactManifold manifold =
        composite_manifold(ground, Pose(), box, pose, {.max_distance = 0.02, .max_tilt = 0.5});
    const ContactPoint& deepest = manifold.points()[0];
    if (deepest.normal.z() < 1.0 - 1e-12) continue;  // a deep tip may leave the two triangles over their border
    ++level;
    ASSERT_NEAR(deepest.distance, -depth, 1e-5);
  }
  EXPECT_GT(level, kRounds / 2);
}

TEST(CompositeManifold, WhereASurfaceHasPassedThroughFlatGroundTheGroundHasTheNormal) {
  Random random(22);
  const TriangleMesh ground = flat_mesh(8, 1.0, 0.0, random);
  const TriangleMesh surface = samples::box_mesh(Vector3d(0.6, 0.6, 0.6));
  const Compound box({{surface, Pose()}});
  const ManifoldOptions options{.max_distance = 0.0065};
  for (const double tilt : {0.066, 0.08, 0.095}) {
    SCOPED_TRACE(tilt);
    const Quaterniond turn = turned(tilt, Vector3d(0.8660254, -0.5, 0.0));
    Vector3d low(0.0, 0.0, 1.0);
    for (const Vector3d& vertex : surface.vertices()) {
      const Vector3d at = turn * vertex;
      if (at.z() < low.z()) low = at;
    }
    // In the middle of the ground, beside an edge between two of its triangles.
    const Pose pose(Vector3d(0.3, -0.016, -0.0024) - low, turn);
    for (const auto& [manifold, sign] : {std::pair(composite_manifold(ground, Pose(), box, pose, options), 1.0),
                                         std::pair(composite_manifold(box, pose, ground, Pose(), options), -1.0)}) {
      const ContactPoint& deepest = manifold.points()[0];
      EXPECT_LT((deepest.normal - sign * Vector3d::UnitZ()).norm(), 1e-9) << deepest.normal.transpose();
      EXPECT_NEAR(deepest.distance, -0.0024, 1e-9);
    }
  }
}

/// A mesh turned, its lowest vertex over (x, y), so deep below z = 0.
Pose sunk_mesh(const TriangleMesh& mesh, const Quaterniond& turn, double x, double y, double depth) {
  Vector3d low(0.0, 0.0, kInfinity);
  for (const Vector3d& vertex : mesh.vertices()) {
    const Vector3d at = turn * vertex;
    if (at.z() < low.z()) low = at;
  }
  return Pose(Vector3d(x, y, -depth) - low, turn);
}

/// Flat ground of triangles 10 m long, each of which touches the border.
TriangleMesh strip_of_ground() {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  constexpr std::uint32_t kColumns = 16;
  for (std::uint32_t j = 0; j <= 2; ++j) {
    for (std::uint32_t i = 0; i <= kColumns; ++i) vertices.emplace_back(i - 8.0, 10.0 * (j - 1.0), 0.0);
  }
  for (std::uint32_t j = 0; j < 2; ++j) {
    for (std::uint32_t i = 0; i < kColumns; ++i) {
      const std::uint32_t first = j * (kColumns + 1) + i;
      const std::uint32_t across = first + kColumns + 2;
      triangles.push_back({first, first + 1, across});
      triangles.push_back({first, across, across - 1});
    }
  }
  return TriangleMesh(vertices, triangles);
}

// The normals that a border has are those of its triangles there, not of all that they reach.
TEST(CompositeManifold, MetresFromABorderGroundHasNoneOfItsNormals) {
  const TriangleMesh ground = strip_of_ground();
  const TriangleMesh box = samples::box_mesh(Vector3d(0.5, 0.5, 0.5));
  const Pose pose =
      sunk_mesh(box, turned(0.0995, Vector3d(std::cos(1.528), std::sin(1.528), 0.0)), 0.0338, 2.15, 0.0089);
  for (const auto& [manifold, sign] : {std::pair(composite_manifold(ground, Pose(), box, pose, kNear), 1.0),
                                       std::pair(composite_manifold(box, pose, ground, Pose(), kNear), -1.0)}) {
    expect_one_normal(manifold, sign * Vector3d::UnitZ());
    EXPECT_NEAR(manifold.points()[0].distance, -0.0089, 1e-9);
  }
}

// Both triangles beside the edge let it out sideways, each over the edge.
TEST(CompositeManifold, ACornerBesideAnInnerEdgeIsAsDeepAsItIs) {
  const TriangleMesh ground = strip_of_ground();
  const TriangleMesh box = samples::box_mesh(Vector3d(0.5, 0.5, 0.5));
  Random random(24);
  for (int round = 0; round < 300; ++round) {
    const double axis = random.uniform(0.0, 2.0 * kPi);
    const Quaterniond turn = turned(random.uniform(0.05, 0.3), Vector3d(std::cos(axis), std::sin(axis), 0.0));
    const double depth = random.uniform(0.001, 0.009);
    const Pose pose = sunk_mesh(box, turn, random.uniform(0.3, 0.7), depth * random.uniform(-0.7, 0.7), depth);
    const ContactManifold manifold = composite_manifold(ground, Pose(), box, pose, kNear);
    ASSERT_NEAR(manifold.points()[0].distance, -depth, 1e-9) << round;
    expect_one_normal(manifold, Vector3d::UnitZ());
  }
}

// Of points that are as far apart as the margin allows too, whose leaves have other normals by themselves.
TEST(CompositeManifold, ClosedMeshesOnFlatGroundSeeOneNormal) {
  Random random(25);
  for (const Ground& ground : flat_grounds(random)) {
    SCOPED_TRACE(ground.name);
    for (int round = 0; round < (samples::kIsInstrumented ? 25 : 200); ++round) {
      const TriangleMesh box =
          samples::box_mesh(Vector3d(random.uniform(0.2, 0.6), random.uniform(0.2, 0.6), random.uniform(0.2, 0.6)));
      const double axis = random.uniform(0.0, 2.0 * kPi);
      const Quaterniond turn =
          turned(samples::log_uniform(1e-3, 0.5, random), Vector3d(std::cos(axis), std::sin(axis), 0.0));
      const double depth = random.uniform(-0.002, 0.002);
      const Pose pose = sunk_mesh(box, turn, random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), depth);
      const ManifoldOptions options{.max_distance = 0.05};
      const ContactManifold manifold = composite_manifold(ground.shape, ground.pose, box, pose, options);
      ASSERT_NEAR(manifold.points()[0].distance, -depth, kRelativeTolerance) << round;  // bodies of a metre
      // Directions that differ by 2e-4 radians are one.
      for (const ContactPoint& point : manifold.points()) ASSERT_GT(point.normal.z(), 1.0 - 2e-8) << round;
    }
  }
}

// Deeper than cells are wide: the walls of a field's prisms are nearer than its surface.
TEST(CompositeManifold, AClosedMeshDeepInAFieldIsPushedUpAsFarAsItIsDeep) {
  const Shape field(HeightField(Eigen::MatrixXd::Zero(41, 41), {0.05, 0.05}, -1.0));
  const TriangleMesh box = samples::box_mesh(Vector3d(0.2, 0.15, 0.1));
  Random random(26);
  const ManifoldOptions options{.max_distance = 0.002};
  for (const double depth : {0.0005, 0.003, 0.01, 0.04}) {
    for (int round = 0; round < 60; ++round) {
      const double x = 1.0 + random.uniform(-0.1, 0.1);
      const double y = 1.0 + random.uniform(-0.1, 0.1);
      const Pose pose = sunk_mesh(box, random.rotation(), x, y, depth);
      for (const auto& [manifold, sign] : {std::pair(composite_manifold(field, Pose(), box, pose, options), 1.0),
                                           std::pair(composite_manifold(box, pose, field, Pose(), options), -1.0)}) {
        ASSERT_NEAR(manifold.points()[0].distance, -depth, 1e-9) << round;
        for (const ContactPoint& point : manifold.points()) ASSERT_GT(sign * point.normal.z(), 1.0 - 2e-8) << round;
      }
    }
  }
}

TEST(CompositeManifold, ATipInAValleyOfAFieldIsLedToOneOfItsSlopes) {
  constexpr double kSlope = 0.05;
  Eigen::MatrixXd heights(9, 9);
  for (int j = 0; j < 9; ++j) heights.col(j).setConstant(kSlope * 0.25 * std::abs(j - 4));
  const Shape field(HeightField(heights, {0.25, 0.25}, -1.0));
  const Shape box(Box({0.1, 0.1, 0.1}));
  Random random(27);
  for (int round = 0; round < 200; ++round) {
    const Quaterniond turn = random.rotation();
    const Vector3d tip = turn * support(box, turn.inverse() * -Vector3d::UnitZ());
    const double beside = random.uniform(-5e-5, 5e-5);
    const Pose pose(Vector3d(1.0 + beside, 1.1, kSlope * std::abs(beside) - 0.002) - tip, turn);
    const ContactManifold manifold = composite_manifold(field, Pose(), box, pose, {.max_distance = 0.0});
    const Vector3d slope = Vector3d(-kSlope, 0.0, 1.0).normalized();
    const Vector3d normal = manifold.points()[0].normal;
    const Vector3d mirrored(-std::abs(normal.x()), normal.y(), normal.z());
    ASSERT_LT((mirrored - slope).norm(), 0.01) << round << ": " << normal.transpose();
  }
}

// Squares of areas overflow or lose digits far from metres.
TEST(CompositeManifold, NormalsAreUnitVectorsAtAnySize) {
  Random random(41);
  for (const double size : {1e-99, 1e-90, 1e-82, 1e-81, 1e-80, 1e-79, 1e-78, 1e-70, 1.0, 1e70, 1e78, 1e85, 1e98}) {
    SCOPED_TRACE(size);
    Eigen::MatrixXd heights(4, 4);
    for (double& height : heights.reshaped()) height = size * random.uniform(0.0, 0.5);
    const Shape field(HeightField(heights, {size, size}, -size));
    const Shape mesh(box_mesh(size * Vector3d(1.0, 0.7, 0.9), 2));
    const std::vector<Vector3d> corners = {size * Vector3d(0.5, 0.0, 0.1), size * Vector3d(-0.3, 0.4, 0.0),
                                           size * Vector3d(0.0, -0.5, 0.0), size * Vector3d(0.1, 0.1, 0.6)};
    const Shape hull(ConvexHull::from_points(corners));
    int points = 0;
    for (int i = 0; i < 60; ++i) {
      const Shape& surface = random.chance(0.5) ? field : mesh;
      const Shape& body = random.chance(0.5) ? hull : Shape(Sphere(size));
      const Pose pose(size * random.vector(-2.0, 2.0), random.rotation());
      const Separation s = distance(surface, Pose(), body, pose);
      const ContactManifold manifold = contact_manifold(surface, Pose(), body, pose, s, {.max_distance = size});
      for (const ContactPoint& point : manifold.points()) {
        ASSERT_NEAR(point.normal.norm(), 1.0, 1e-14);
        ++points;
      }
    }
    EXPECT_GT(points, 40);
  }
}

// A triangle whose own normal is a little off that of the ground.
TEST(CompositeManifold, ThePointsOfABallLieAlongTheNormalOfTheGround) {
  const TriangleMesh ground({{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}}, {{0, 1, 2}, {0, 2, 3}});
  for (const double across : {1e-6, 2e-5, 1e-4}) {
    for (const double sign : {-1.0, 1.0}) {
      const Pose pose(Vector3d(0.1 + sign * across, 0.1 - sign * across, 0.7));
      const ContactManifold manifold = composite_manifold(ground, Pose(), Shape(Sphere(1.0)), pose, {.max_points = 16});
      expect_one_normal(manifold, Vector3d::UnitZ());
    }
  }
}

TEST(CompositeManifold, TheLowestPointOfATiltedRimIsAmongThePoints) {
  Random random(14);
  const TriangleMesh ground = flat_mesh(40, 0.02, 0.2, random);
  for (const Shape& body : {Shape(Cone(0.09, 0.1)), Shape(Cylinder(0.09, 0.1))}) {
    for (int i = 0; i < (samples::kIsInstrumented ? 200 : 2000); ++i) {
      SCOPED_TRACE(i);
      const double heading = random.uniform(0.0, 6.28);
      const Vector3d axis(std::cos(heading), std::sin(heading), 0.0);
      const Quaterniond turn = turned(random.uniform(0.0, 0.05), axis);
      const double x = random.uniform(-0.2, 0.2);
      const Pose pose = sunk(body, turn, x, random.uniform(-0.2, 0.2), 1e-3);
      const ContactManifold manifold = composite_manifold(ground, Pose(), body, pose, {.max_distance = 1e-3});
      expect_one_normal(manifold, Vector3d::UnitZ());
      ASSERT_NEAR(manifold.points()[0].distance, -1e-3, 1e-6);
    }
  }
}

TEST(CompositeManifold, TrianglesWithCornersOfTheirOwnAreOneSurface) {
  Random random(13);
  const TriangleMesh shared = flat_mesh(16, 0.2, 0.24, random);
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t t = 0; t < shared.triangles().size(); ++t) {
    const auto corners = shared.corners(t);
    triangles.push_back({3 * t, 3 * t + 2, 3 * t + 1});
    if (t % 2 != 0) std::swap(triangles.back()[0], triangles.back()[1]);  // windings either way
    vertices.insert(vertices.end(), corners.begin(), corners.end());
  }
  const Shape soup(TriangleMesh(vertices, triangles));
  const Shape box(Box({0.3, 0.2, 0.1}));
  for (int i = 0; i < 100; ++i) {
    const Pose pose(Vector3d(random.uniform(-0.4, 0.4), random.uniform(-0.5, 0.5), 0.1 - 0.02 * (i % 2)),
                    turned(random.uniform(0, 6), Vector3d::UnitZ()));
    const ContactManifold manifold = composite_manifold(soup, Pose(), box, pose, kNear);
    expect_one_normal(manifold, Vector3d::UnitZ());
    ASSERT_EQ(manifold.points().size(), 4u);
  }
}

// As programs write them for materials that are seen from both sides, and as merged files hold them.
TEST(CompositeManifold, GroundOfTwoSidesOrWithCopiesOfItsTrianglesIsGround) {
  Random random(19);
  const TriangleMesh flat = flat_mesh(16, 0.2, 0.24, random);
  const Shape box(Box({0.3, 0.2, 0.1}));
  const Shape ball(Sphere(0.1));
  for (const bool are_backs : {false, true}) {
    for (const std::size_t step : {1u, 3u}) {
      for (const bool is_soup : {false, true}) {
        std::vector<Vector3d> vertices(flat.vertices().begin(), flat.vertices().end());
        std::vector<TriangleMesh::Indices> triangles(flat.triangles().begin(), flat.triangles().end());
        for (std::size_t t = 0; t < flat.triangles().size(); t += step) {
          TriangleMesh::Indices copy = flat.triangles()[t];
          if (are_backs) std::swap(copy[0], copy[1]);
          triangles.push_back(copy);
        }
        if (is_soup) {
          std::vector<Vector3d> apart;
          for (TriangleMesh::Indices& t : triangles) {
            for (std::uint32_t& corner : t) {
              apart.push_back(vertices[corner]);
              corner = static_cast<std::uint32_t>(apart.size() - 1);
            }
          }
          vertices = std::move(apart);
        }
        const Shape ground(TriangleMesh(std::move(vertices), std::move(triangles)));
        for (int i = 0; i < (samples::kIsInstrumented ? 20 : 100); ++i) {
          SCOPED_TRACE(testing::Message() << are_backs << " " << step << " " << is_soup << " " << i);
          const double x = random.uniform(-0.4, 0.4);
          const double y = random.uniform(-0.5, 0.5);
          const double gap = random.uniform(-2e-3, 2e-3);
          const Pose pose(Vector3d(x, y, 0.1 + gap), turned(random.uniform(0, 6), Vector3d::UnitZ()));
          const ContactManifold of_box = composite_manifold(ground, Pose(), box, pose, kNear);
          expect_one_normal(of_box, Vector3d::UnitZ());
          ASSERT_EQ(of_box.points().size(), 4u);
          ASSERT_NEAR(support_area(of_box, Vector3d::UnitZ()), 0.24, 1e-4);
          const ContactManifold of_ball = composite_manifold(ground, Pose(), ball, pose, kNear);
          expect_one_normal(of_ball, Vector3d::UnitZ());
          ASSERT_NEAR(of_ball.points().front().distance, gap, 1e-9);
        }
      }
    }
  }
}

// In time that grows with their number.
TEST(CompositeManifold, ThousandsOfCopiesOfATriangleAreOneTriangle) {
  std::vector<TriangleMesh::Indices> triangles;
  for (int i = 0; i < (samples::kIsInstrumented ? 2000 : 20000); ++i) {
    triangles.push_back(i % 3 == 0 ? TriangleMesh::Indices{0, 2, 1} : TriangleMesh::Indices{0, 1, 2});
  }
  const Shape ground(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, std::move(triangles)));
  const ContactManifold manifold =
      composite_manifold(ground, Pose(), Box({0.1, 0.1, 0.1}), Pose(Vector3d(0.3, 0.3, 0.099)), kNear);
  expect_one_normal(manifold, Vector3d::UnitZ());
  ASSERT_EQ(manifold.points().size(), 4u);
  EXPECT_NEAR(support_area(manifold, Vector3d::UnitZ()), 0.04, 1e-9);
}

// Gravel and grass, in one mesh with the ground below them; in time that grows with the number of pieces, not its
// square.
TEST(CompositeManifold, ABoxLiesOnThousandsOfPiecesOfSurface) {
  Random random(23);
  const Shape box(Box({0.5, 0.4, 0.1}));
  const Shape box_of_triangles(box_mesh({0.5, 0.4, 0.1}));
  const int count = samples::kIsInstrumented ? 600 : 6000;
  for (const bool is_grass : {false, true}) {
    std::vector<Vector3d> vertices = {{-1, -1, -0.05}, {1, -1, -0.05}, {0, 2, -0.05}};
    std::vector<TriangleMesh::Indices> triangles = {{0, 1, 2}};
    for (int i = 0; i < count; ++i) {
      const Vector3d middle(random.uniform(-0.45, 0.45), random.uniform(-0.35, 0.35), 0.0);
      const double angle = random.uniform(0.0, 2.0 * kPi);
      const Vector3d along = 0.01 * Vector3d(std::cos(angle), std::sin(angle), 0.0);
      const Vector3d up(0.0, 0.0, 0.03);
      const auto first = static_cast<std::uint32_t>(vertices.size());
      vertices.push_back(middle - along - (is_grass ? up : Vector3d::Zero()));
      vertices.push_back(middle + along - (is_grass ? up : Vector3d::Zero()));
      vertices.push_back(is_grass ? middle : middle + Vector3d(-along.y(), along.x(), 0.0));
      triangles.push_back({first, first + 1, first + 2});
      if (is_grass) triangles.push_back({first, first + 2, first + 1});
    }
    const Shape ground(TriangleMesh(std::move(vertices), std::move(triangles)));
    // Flat pieces that lie wholly inside a box of triangles are apart from it.
    for (const Shape& body : is_grass ? std::vector{box, box_of_triangles} : std::vector{box}) {
      const Pose pose(Vector3d(0.0, 0.0, 0.0999));
      const ContactManifold manifold = composite_manifold(ground, Pose(), body, pose, kNear);
      expect_one_normal(manifold, Vector3d::UnitZ());
      ASSERT_EQ(manifold.points().size(), 4u);
      EXPECT_GT(support_area(manifold, Vector3d::UnitZ()), 0.5) << (is_grass ? "grass" : "gravel");
      for (const ContactPoint& point : manifold.points()) EXPECT_NEAR(point.distance, -1e-4, 1e-9);
    }
  }
}

/// A square of 2 m in level z = 0, each triangle with corners of its own, in cells of 0.2 m: `halved`, every second of
/// them in four; corners moved by up to `noise`, metres.
TriangleMesh patched_ground(bool halved, double noise, Random& random) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  const auto add_square = [&](double x, double y, double side) {
    const std::array<Vector3d, 4> corners = {Vector3d(x, y, 0), Vector3d(x + side, y, 0),
                                             Vector3d(x + side, y + side, 0), Vector3d(x, y + side, 0)};
    for (const auto& three : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
      const auto first = static_cast<std::uint32_t>(vertices.size());
      for (const int k : three) {
        vertices.push_back(corners[static_cast<std::size_t>(k)] + noise * random.vector(-1.0, 1.0));
      }
      triangles.push_back({first, first + 1, first + 2});
    }
  };
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) {
      const double x = 0.2 * j - 1.0;
      const double y = 0.2 * i - 1.0;
      const int parts = halved && (i + j) % 2 == 0 ? 2 : 1;
      for (int k = 0; k < parts * parts; ++k) add_square(x + 0.1 * (k % 2), y + 0.1 * (k / 2), 0.2 / parts);
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

// Parts of other resolution beside each other, and files whose corners are rounded triangle by triangle.
TEST(CompositeManifold, CornersWithinEdgesAndCracksInFlatGroundGiveNoNormals) {
  Random random(21);
  const Shape box(Box({0.3, 0.2, 0.1}));
  const Shape ball(Sphere(0.1));
  const Shape pill(Capsule(0.1, 0.2));
  for (const bool halved : {false, true}) {
    for (const double noise : {0.0, 1e-12, 1e-9, 1e-7}) {
      const Shape ground(patched_ground(halved, noise, random));
      for (int i = 0; i < (samples::kIsInstrumented ? 20 : 200); ++i) {
        SCOPED_TRACE(testing::Message() << halved << " " << noise << " " << i);
        const double x = random.uniform(-0.5, 0.5);
        const double y = random.uniform(-0.5, 0.5);
        const double gap = random.uniform(-2e-3, 2e-3);
        const Quaterniond yaw = turned(random.uniform(0, 6), Vector3d::UnitZ());
        const Quaterniond lying = yaw * turned(0.5 * std::numbers::pi, Vector3d::UnitX());
        for (const auto& [body, turn] : {std::pair(&box, yaw), std::pair(&ball, yaw), std::pair(&pill, lying)}) {
          const ContactManifold manifold = composite_manifold(
              ground, Pose(), *body, Pose(Vector3d(x, y, 0.1 + gap), turn), kNear, 1e-9 + 10.0 * noise);
          for (const ContactPoint& point : manifold.points()) ASSERT_GT(point.normal.z(), 1.0 - 1e-9);
          ASSERT_NEAR(manifold.points().front().distance, gap, 1e-9 + 10.0 * noise);
          if (body == &box) {
            ASSERT_GE(support_area(manifold, Vector3d::UnitZ()), 0.239);
          }
        }
      }
    }
  }
}

// Each triangle once each way round, front and back with three corners of their own.
TEST(CompositeManifold, SeamsInTwoSidedGroundGiveNoNormals) {
  Random random(23);
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) corners.emplace_back(k & 1 ? 0.3 : -0.3, k & 2 ? 0.2 : -0.2, k & 4 ? 0.1 : -0.1);
  const Shape mesh_box(TriangleMesh(corners, samples::box_triangles()));
  const Shape box(Box({0.3, 0.2, 0.1}));
  const Shape ball(Sphere(0.1));
  for (const bool halved : {false, true}) {
    const Shape ground(samples::two_sided(patched_ground(halved, 0.0, random), random));
    for (int i = 0; i < (samples::kIsInstrumented ? 40 : 400); ++i) {
      const double x = random.uniform(-0.5, 0.5);
      const double y = random.uniform(-0.5, 0.5);
      const double gap = random.uniform(-2e-3, 2e-3);
      const Pose pose(Vector3d(x, y, 0.1 + gap), turned(random.uniform(0, 6), Vector3d::UnitZ()));
      for (const Shape* body : {&box, &ball, &mesh_box}) {
        SCOPED_TRACE(testing::Message() << halved << " " << i << " " << body->type_name());
        const ContactManifold manifold = composite_manifold(ground, Pose(), *body, pose, kNear);
        for (const ContactPoint& point : manifold.points()) ASSERT_GT(point.normal.z(), 1.0 - 1e-9);
        ASSERT_NEAR(manifold.points().front().distance, gap, 1e-9);
        if (body != &ball) {
          ASSERT_GE(support_area(manifold, Vector3d::UnitZ()), 0.239);
        }
      }
    }
  }
}

// The border of the strip ahead is seen from the side before the body is on it.
TEST(CompositeManifold, ClosedMeshesSlideOverSeamsBetweenStripsOfOtherResolution) {
  Random random(22);
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (const auto& [start, rows] : {std::pair(-0.4, 10u), std::pair(0.0, 7u)}) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    for (std::uint32_t i = 0; i <= rows; ++i) {
      for (int j = 0; j <= 4; ++j) vertices.emplace_back(start + 0.1 * j, -0.5 + i * 1.0 / rows, 0.0);
    }
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t j = 0; j < 4; ++j) {
        const std::uint32_t at = base + 5 * i + j;
        triangles.push_back({at, at + 1, at + 6});
        triangles.push_back({at, at + 6, at + 5});
      }
    }
  }
  const Shape ground(TriangleMesh(std::move(vertices), std::move(triangles)));
  std::vector<Vector3d> corners;
  for (int k = 0; k < 8; ++k) corners.emplace_back(k & 1 ? 0.1 : -0.1, k & 2 ? 0.07 : -0.07, k & 4 ? 0.05 : -0.05);
  const Shape body(TriangleMesh(corners, samples::box_triangles()));
  for (int i = 0; i < (samples::kIsInstrumented ? 100 : 1000); ++i) {
    SCOPED_TRACE(i);
    const Quaterniond yaw = turned(random.uniform(-3.0, 3.0), Vector3d::UnitZ());
    const Quaterniond turn = turned(random.chance(0.5) ? 1e-17 : 1e-16, random.direction()) * yaw;
    double foremost = 0.0;
    for (const Vector3d& corner : corners) foremost = std::max(foremost, (turn * corner).x());
    const double before = random.uniform(0.0, 2e-3);
    const Pose pose(Vector3d(-before - foremost, random.uniform(-0.3, 0.3), 0.05), turn);
    const ContactManifold manifold = composite_manifold(ground, Pose(), body, pose, {.max_distance = 2e-3});
    for (const ContactPoint& point : manifold.points()) ASSERT_GT(point.normal.z(), 1.0 - 1e-9);
  }
}

TEST(CompositeManifold, ASurfaceThatDeformsIsBentWhereItIsBentNow) {
  Random random(14);
  const TriangleMesh flat = flat_mesh(8, 0.25, 0.0, random);
  std::vector<Vector3d> vertices(flat.vertices().begin(), flat.vertices().end());
  for (Vector3d& vertex : vertices) vertex.z() = -0.6 * std::abs(vertex.x());
  const Shape roof(flat.with_vertices(vertices));
  const ContactManifold ridge =
      composite_manifold(roof, Pose(), Box({0.2, 0.3, 0.1}), Pose(Vector3d(0, 0, 0.099)), kNear);
  expect_one_normal(ridge, Vector3d::UnitZ());
  EXPECT_EQ(ridge.points().size(), 2u);
}

TEST(CompositeManifold, LeavesAreNamedAlsoOfABodyThatIsAPoint) {
  Random random(28);
  const Shape point(TriangleMesh({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}}));
  const TriangleMesh hills =
      grid_mesh(8, 1.0, 0.2, random, [](double x, double y) { return 0.3 * std::sin(1.7 * x + y); });
  for (int round = 0; round < 100; ++round) {
    const Pose world_from_hills(random.vector(-1e3, 1e3), random.rotation());
    const Vector3d above(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), 1.5);
    const ContactManifold manifold =
        composite_manifold(hills, world_from_hills, point, Pose(world_from_hills * above), {.max_distance = 0.0});
    ASSERT_FALSE(manifold.points().empty());
    const Triangle nearest(hills.corners(manifold.points()[0].leaf_a));
    const double distance = abut::distance(nearest, Pose(), Sphere(0.1), Pose(above)).distance;
    ASSERT_NEAR(distance + 0.1, manifold.points()[0].distance, 1e-12);
  }
}

TEST(CompositeManifold, ChildrenOfCompoundsAreNamed) {
  Random random(15);
  const Shape ground(flat_mesh(8, 0.5, 0.24, random));
  const Shape table(Compound({{Box({0.05, 0.05, 0.5}), Pose(Vector3d(-0.4, -0.4, 0.5))},
                              {Box({0.05, 0.05, 0.5}), Pose(Vector3d(0.4, -0.4, 0.5))},
                              {Box({0.05, 0.05, 0.5}), Pose(Vector3d(-0.4, 0.4, 0.5))},
                              {Box({0.05, 0.05, 0.5}), Pose(Vector3d(0.4, 0.4, 0.5))},
                              {Box({0.5, 0.5, 0.05}), Pose(Vector3d(0, 0, 1.0))}}));
  const ContactManifold standing = composite_manifold(ground, Pose(), table, Pose(Vector3d(0, 0, -1e-3)), kNear);
  expect_one_normal(standing, Vector3d::UnitZ());
  ASSERT_EQ(standing.points().size(), 4u);
  std::set<std::uint32_t> legs;
  for (const ContactPoint& point : standing.points()) {
    legs.insert(point.leaf_b);
    const auto corners = ground.get_if<TriangleMesh>()->corners(point.leaf_a);
    Aabb box;
    for (const Vector3d& corner : corners) box.merge(corner);
    EXPECT_TRUE((point.point_a.array() >= box.lower.array() - 1e-6).all() &&
                (point.point_a.array() <= box.upper.array() + 1e-6).all());
  }
  EXPECT_EQ(legs, (std::set<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_NEAR(support_area(standing, Vector3d::UnitZ()), 0.81, 1e-4);

  // The same ground as a child of a child: its index stands for its triangles, and it is as flat as before.
  const Shape nested(Compound({{Sphere(0.1), Pose(Vector3d(0, 0, -5))},
                               {Compound({{ground, Pose(Vector3d(0, 0, 0.5))}}), Pose(Vector3d(0, 0, -0.5))}}));
  const ContactManifold on_nested = composite_manifold(nested, Pose(), table, Pose(Vector3d(0, 0, -1e-3)), kNear);
  expect_one_normal(on_nested, Vector3d::UnitZ());
  ASSERT_EQ(on_nested.points().size(), 4u);
  for (const ContactPoint& point : on_nested.points()) EXPECT_EQ(point.leaf_a, 1u);
  EXPECT_NEAR(support_area(on_nested, Vector3d::UnitZ()), 0.81, 1e-4);
}

TEST(CompositeManifold, MeshesLieOnHalfSpacesAndFields) {
  const Shape box(box_mesh({0.5, 0.4, 0.3}, 3));
  const ContactManifold on_plane =
      composite_manifold(HalfSpace(Vector3d::UnitZ(), 0.0), Pose(), box, Pose(Vector3d(0, 0, 0.299)), kNear);
  expect_one_normal(on_plane, Vector3d::UnitZ());
  EXPECT_EQ(on_plane.points().size(), 4u);
  EXPECT_NEAR(support_area(on_plane, Vector3d::UnitZ()), 0.8, 1e-9);
  const Shape field(HeightField(Eigen::MatrixXd::Zero(9, 9), {0.3, 0.3}, -1.0));
  for (const double gap : {1e-3, -1e-3, -0.02}) {
    const ContactManifold on_field = composite_manifold(
        field, Pose(), box, Pose(Vector3d(1.21, 1.17, 0.3 + gap), turned(0.4, Vector3d::UnitZ())), kNear);
    SCOPED_TRACE(gap);
    expect_one_normal(on_field, Vector3d::UnitZ());
    EXPECT_NEAR(on_field.points()[0].distance, gap, 1e-9);
    EXPECT_NEAR(support_area(on_field, Vector3d::UnitZ()), 0.8, 1e-4);
  }
}

TEST(CompositeManifold, FieldsHaveWallsAndABase) {
  const Shape field(HeightField(Eigen::MatrixXd::Zero(9, 9), {0.3, 0.3}, -1.0));
  const Shape box(Box({0.2, 0.1, 0.1}));
  const ContactManifold wall = composite_manifold(field, Pose(), box, Pose(Vector3d(2.599, 1.1, -0.5)), kNear);
  expect_one_normal(wall, Vector3d::UnitX());
  EXPECT_EQ(wall.points().size(), 4u);
  const ContactManifold below = composite_manifold(field, Pose(), box, Pose(Vector3d(1.1, 1.15, -1.099)), kNear);
  expect_one_normal(below, -Vector3d::UnitZ());
  EXPECT_EQ(below.points().size(), 4u);
}

TEST(CompositeManifold, ExchangingTheBodiesTurnsTheNormals) {
  Random random(16);
  for (int i = 0; i < 60; ++i) {
    const Shape ground(grid_mesh(12, 0.2, 0.24, random, [](double x, double y) { return 0.1 * std::sin(4 * x + y); }));
    const Shape box(Box({0.3, 0.2, 0.1}));
    const Pose start(Vector3d(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 1.0), random.rotation());
    const double gap = distance(ground, Pose(), box, start).distance;
    const Pose pose = Pose(Vector3d(0, 0, -gap + random.uniform(-0.03, 0.002))) * start;
    const ContactManifold one = composite_manifold(ground, Pose(), box, pose, kNear);
    const ContactManifold other = composite_manifold(box, pose, ground, Pose(), kNear);
    ASSERT_EQ(one.points().size(), other.points().size()) << i;
    EXPECT_NEAR(one.points()[0].distance, other.points()[0].distance, 1e-9) << i;
    EXPECT_LT((one.points()[0].normal + other.points()[0].normal).norm(), 1e-6) << i;
  }
}

TEST(CompositeManifold, SoupsGiveSoundPointsWhateverTheyMeet) {
  Random random(17);
  for (int i = 0; i < 300; ++i) {
    const double scale = std::pow(10.0, random.uniform(-6.0, 6.0));
    const Shape soup(samples::triangle_soup(30, scale, random));
    const Shape others[] = {Shape(samples::triangle_soup(20, scale, random)),
                            Shape(samples::random_hull(12, 0.5 * scale, random)), Shape(Sphere(0.3 * scale)),
                            Shape(Box(scale * Vector3d(0.5, 0.2, 0.1))), Shape(HalfSpace(Vector3d::UnitZ(), 0.0))};
    for (const Shape& other : others) {
      const Pose pose(scale * random.vector(-1.5, 1.5), random.rotation());
      const Separation s = distance(soup, Pose(), other, pose);
      const double max_distance = random.chance(0.3) ? std::numeric_limits<double>::infinity() : 0.02 * scale;
      const ContactManifold manifold = contact_manifold(soup, Pose(), other, pose, s, {.max_distance = max_distance});
      const double largest = std::max(max_distance, s.distance + 1e-5 * scale);
      ASSERT_EQ(samples::composite_violation(manifold, largest, 1e-3 * scale), "") << i << " " << other.type_name();
    }
  }
}

TEST(CompositeManifold, TheFirstPointOfBodiesThatAreApartIsTheirDistance) {
  Random random(18);
  for (int i = 0; i < 200; ++i) {
    const Shape ball(samples::bumpy_ball(8, 1.0, random));
    const Shape others[] = {Shape(samples::bumpy_ball(6, 0.8, random)), Shape(samples::random_hull(12, 0.5, random)),
                            Shape(Box({0.5, 0.2, 0.1})), Shape(Cylinder(0.3, 0.2))};
    for (const Shape& other : others) {
      const Vector3d direction = random.direction();
      const Quaterniond turn = random.rotation();
      Pose pose(3.0 * direction, turn);
      const Separation far = distance(ball, Pose(), other, pose);
      pose = Pose(-(far.distance - 1e-3) * far.normal) * pose;
      const Separation s = distance(ball, Pose(), other, pose);
      const ContactManifold manifold = composite_manifold(ball, Pose(), other, pose, {.max_distance = 0.01}, 1e-3);
      ASSERT_GT(s.distance, 0.0);
      EXPECT_NEAR(manifold.points()[0].distance, s.distance, 2e-6) << i << " " << other.type_name();
      EXPECT_LT((manifold.points()[0].normal - s.normal).norm(), 2e-4) << i << " " << other.type_name();
    }
  }
}

}  // namespace
}  // namespace abut

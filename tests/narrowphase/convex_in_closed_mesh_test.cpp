// Convex bodies that reach into closed meshes. The reference is the same mesh as a convex hull.
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "composite_manifold_checks.h"

namespace abut {
namespace {

using samples::composite_manifold;
using samples::Random;

const ManifoldOptions kWithinTwoMillimetres{.max_distance = 0.002};

/// About the z axis, closed by fans about the middles of both ends.
TriangleMesh frustum_mesh(double bottom, double top, double half_height, std::uint32_t around, bool is_inside_out) {
  std::vector<Vector3d> vertices = {{0.0, 0.0, -half_height}, {0.0, 0.0, half_height}};
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    vertices.emplace_back(bottom * std::cos(angle), bottom * std::sin(angle), -half_height);
    vertices.emplace_back(top * std::cos(angle), top * std::sin(angle), half_height);
    const std::uint32_t at = 2 + 2 * i;
    const std::uint32_t next = 2 + 2 * ((i + 1) % around);
    triangles.insert(triangles.end(),
                     {{0, next, at}, {1, at + 1, next + 1}, {at, next, next + 1}, {at, next + 1, at + 1}});
  }
  if (is_inside_out) {
    for (TriangleMesh::Indices& t : triangles) std::swap(t[1], t[2]);
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

struct Tally {
  int poses = 0;
  int wrong = 0;  // with a point that pushes into the mesh
};

/// Of poses that overlap by `depth`, the body's middle outside.
Tally pushed_inwards(const Shape& body, const TriangleMesh& mesh, double depth, int poses, bool is_mesh_first,
                     Random& random) {
  const Shape hull = ConvexHull::from_points(mesh.vertices());
  Tally tally;
  for (int i = 0; i < poses; ++i) {
    const Pose body_pose(Vector3d::Zero(), random.rotation());
    const Vector3d away = 0.5 * random.direction();
    const Quaterniond rotation = random.rotation();
    const Separation apart = distance(body, body_pose, hull, Pose(away, rotation));
    const Pose mesh_pose(away - apart.normal * (apart.distance + depth), rotation);
    const Separation sunk = distance(body, body_pose, hull, mesh_pose);
    // Where they have passed each other there is another way out.
    if (std::abs(sunk.distance + depth) > 0.3 * depth) continue;
    ++tally.poses;
    const auto points = [&](const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
      return contact_manifold(a, pose_a, b, pose_b, distance(a, pose_a, b, pose_b), kWithinTwoMillimetres);
    };
    const ContactManifold manifold =
        is_mesh_first ? points(mesh, mesh_pose, body, body_pose) : points(body, body_pose, mesh, mesh_pose);
    const Vector3d out = is_mesh_first ? Vector3d(-sunk.normal) : sunk.normal;
    const bool is_wrong = std::any_of(manifold.points().begin(), manifold.points().end(), [&](const ContactPoint& p) {
      return p.distance < -0.3 * depth && p.normal.dot(out) < -0.3;
    });
    tally.wrong += is_wrong ? 1 : 0;
  }
  return tally;
}

// Where every triangle that is met lets the body out sideways or downwards, and the deepest pair is seen from within.
TEST(ConvexInClosedMesh, TipsAndRimsThatReachInAreNotPushedOnInwards) {
  const int poses = samples::kIsInstrumented ? 150 : 1500;
  const Shape cone = Cone(0.06, 0.1);
  Random random(2);
  Tally all;
  for (const double top : {0.03, 0.08}) {
    for (const bool is_inside_out : {false, true}) {
      const TriangleMesh mesh = frustum_mesh(top == 0.03 ? 0.09 : 0.08, top, 0.05, 24, is_inside_out);
      ASSERT_TRUE(mesh.is_closed());
      for (const double depth : {0.002, 0.006, 0.015}) {
        const Tally tally = pushed_inwards(cone, mesh, depth, poses, is_inside_out, random);
        all.poses += tally.poses;
        all.wrong += tally.wrong;
      }
    }
  }
  ASSERT_GT(all.poses, 6 * poses);
  EXPECT_LE(all.wrong, all.poses / 400);
}

// A room: what is within is held in, however deep its wall is met.
TEST(ConvexInClosedMesh, BodiesWhoseMiddleIsWithinAreHeldWithin) {
  Random random(3);
  const double half_height = 0.3;
  const TriangleMesh room = frustum_mesh(0.6, 0.5, half_height, 12, /*is_inside_out=*/false);
  ASSERT_TRUE(room.is_closed());
  const std::vector<Shape> bodies = {Sphere(0.05), Box(Vector3d(0.05, 0.04, 0.06)), Cylinder(0.04, 0.05),
                                     Cone(0.05, 0.06)};
  for (const Shape& body : bodies) {
    for (int i = 0; i < (samples::kIsInstrumented ? 20 : 200); ++i) {
      const Quaterniond rotation = random.rotation();
      const double lowest = aabb(body, Pose(Vector3d::Zero(), rotation)).lower.z();
      const double x = random.uniform(-0.3, 0.3);
      const double y = random.uniform(-0.2, 0.2);
      const double depth = random.uniform(0.0005, 0.005);
      const Pose body_pose(Vector3d(x, y, -half_height - lowest - depth), rotation);
      const Pose world_from_room = random.pose(1.0);
      const ContactManifold manifold =
          composite_manifold(body, world_from_room * body_pose, room, world_from_room, kWithinTwoMillimetres);
      ASSERT_FALSE(manifold.points().empty());
      for (const ContactPoint& point : manifold.points()) {
        EXPECT_NEAR(world_from_room.unrotate(point.normal).z(), -1.0, 1e-9);
      }
      EXPECT_NEAR(manifold.points()[0].distance, -depth, 1e-9);
    }
  }
}

}  // namespace
}  // namespace abut

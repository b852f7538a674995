// Axis-aligned and oriented boxes of every shape: tight, and nothing sticks out.
#include <abut/core/infinity.h>
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

// Points of the shape in its frame that touch any box of it: corners where it has some, else support points.
std::vector<Vector3d> surface_points(const Shape& shape, const std::vector<Vector3d>& directions) {
  std::vector<Vector3d> points;
  if (const auto* mesh = shape.get_if<TriangleMesh>()) {
    points.assign(mesh->vertices().begin(), mesh->vertices().end());
  } else if (const auto* field = shape.get_if<HeightField>()) {
    for (std::uint32_t i = 0; i < field->prism_count(); ++i) {
      for (const Vector3d& corner : field->prism(i)) points.push_back(corner);
    }
  } else if (const auto* compound = shape.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) {
      std::vector<Vector3d> turned;
      for (const Vector3d& direction : directions) turned.push_back(child.pose.unrotate(direction));
      for (const Vector3d& point : surface_points(child.shape, turned)) points.push_back(child.pose * point);
    }
  } else {
    for (const Vector3d& direction : directions) points.push_back(support(shape, direction));
  }
  return points;
}

TEST(AabbOfAShape, TouchesItOnAllSixSides) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
      for (int i = 0; i < 20; ++i) {
        SCOPED_TRACE(testing::Message() << shape.type_name() << ", pose " << i);
        const Pose pose = i == 0 ? Pose() : random.pose(3.0);
        const Aabb box = aabb(shape, pose);
        std::vector<Vector3d> directions;
        for (int k = 0; k < 3; ++k) {
          directions.push_back(pose.unrotate(Vector3d::Unit(k)));
          directions.push_back(pose.unrotate(-Vector3d::Unit(k)));
        }
        for (int k = 0; k < 200; ++k) directions.push_back(random.direction());
        Aabb touched;
        for (const Vector3d& point : surface_points(shape, directions)) touched.merge(pose * point);
        EXPECT_LT((box.lower - touched.lower).cwiseAbs().maxCoeff(), 1e-14);
        EXPECT_LT((box.upper - touched.upper).cwiseAbs().maxCoeff(), 1e-14);
      }
    }
  }
}

TEST(AabbOfAShape, OfALargeMeshAgreesWithAllItsVertices) {
  Random random(4);
  const std::vector<Vector3d>::size_type side = 40;
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      vertices.emplace_back(0.1 * static_cast<double>(i), 0.1 * static_cast<double>(j), random.uniform(0.0, 1.0));
      if (i == 0 || j == 0) continue;
      const auto at = static_cast<std::uint32_t>(vertices.size() - 1);
      const auto left = at - static_cast<std::uint32_t>(side);
      triangles.push_back({at, left, at - 1});
      triangles.push_back({left, left - 1, at - 1});
    }
  }
  const Shape shape = TriangleMesh(vertices, triangles);
  for (int i = 0; i < 50; ++i) {
    const Pose pose = random.pose(2.0);
    Aabb expected;
    for (const Vector3d& vertex : vertices) expected.merge(pose * vertex);
    const Aabb box = aabb(shape, pose);
    EXPECT_LT((box.lower - expected.lower).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((box.upper - expected.upper).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(AabbOfAHalfSpace, IsBoundedOnlyAcrossACoordinateAxis) {
  const Pose raised(Vector3d(10, 20, 30));
  for (int axis = 0; axis < 3; ++axis) {
    const Aabb up = aabb(Shape(HalfSpace(Vector3d::Unit(axis), 1.0), 0.5), raised);
    const Aabb down = aabb(Shape(HalfSpace(-Vector3d::Unit(axis), 1.0), 0.5), raised);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(up.lower[k], -kInfinity);
      EXPECT_EQ(up.upper[k], k == axis ? 11.5 + 10.0 * axis : kInfinity);
      EXPECT_EQ(down.lower[k], k == axis ? 8.5 + 10.0 * axis : -kInfinity);
      EXPECT_EQ(down.upper[k], kInfinity);
    }
  }
  const Aabb tilted = aabb(HalfSpace(Vector3d(1, 1e-9, 0), 0.0), raised);
  EXPECT_EQ(tilted.lower, Vector3d::Constant(-kInfinity));
  EXPECT_EQ(tilted.upper, Vector3d::Constant(kInfinity));
}

TEST(ObbOfAShape, ContainsItWithItsMargin) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
      SCOPED_TRACE(shape.type_name());
      const Obb box = obb(shape);
      EXPECT_LT((box.axes.transpose() * box.axes - Matrix3d::Identity()).norm(), 1e-14);
      std::vector<Vector3d> directions;
      for (int k = 0; k < 3; ++k) {
        directions.emplace_back(box.axes.col(k));
        directions.emplace_back(-box.axes.col(k));
      }
      for (int k = 0; k < 500; ++k) directions.push_back(random.direction());
      for (const Vector3d& point : surface_points(shape, directions)) {
        const Vector3d local = box.axes.transpose() * (point - box.center);
        ASSERT_TRUE((local.cwiseAbs().array() <= box.half_extents.array() + 1e-14).all()) << local.transpose();
      }
    }
  }
}

TEST(ObbOfAShape, TouchesConvexShapesOnAllSixSides) {
  Random random(5);
  for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
    const Shape shape = samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
    if (!shape.is_convex()) continue;
    const Obb box = obb(shape);
    for (int k = 0; k < 3; ++k) {
      for (const double sign : {1.0, -1.0}) {
        const Vector3d axis = sign * box.axes.col(k);
        EXPECT_NEAR(axis.dot(support(shape, axis) - box.center), box.half_extents[k], 1e-14) << shape.type_name();
      }
    }
  }
}

TEST(ObbOfAShape, IsExactForSymmetricShapes) {
  const Obb box = obb(Shape(Box(Vector3d(1, 2, 3)), 0.5));
  EXPECT_EQ(box.center, Vector3d::Zero());
  EXPECT_EQ(box.axes, Matrix3d::Identity());
  EXPECT_EQ(box.half_extents, Vector3d(1.5, 2.5, 3.5));
  EXPECT_EQ(obb(Sphere(2.0)).half_extents, Vector3d::Constant(2.0));
  EXPECT_EQ(obb(Capsule(0.5, 2.0)).half_extents, Vector3d(0.5, 0.5, 2.5));
  EXPECT_EQ(obb(Cylinder(0.5, 2.0)).half_extents, Vector3d(0.5, 0.5, 2.0));
  EXPECT_EQ(obb(Cone(0.5, 2.0)).half_extents, Vector3d(0.5, 0.5, 2.0));
}

TEST(ObbOfAHalfSpace, IsUnboundedAroundAFinitePoint) {
  const Obb box = obb(HalfSpace(Vector3d(1, 2, 3), 4.0));
  EXPECT_TRUE(box.center.allFinite());
  EXPECT_EQ(box.half_extents, Vector3d::Constant(kInfinity));
}

}  // namespace
}  // namespace abut

// Shape: names, kinds, centres and cheap copies.
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <string_view>
#include <vector>

namespace abut {
namespace {

using samples::Random;

const std::vector<Eigen::Vector2d> kTriangle2 = {{0, 0}, {1, 0}, {0, 1}};

struct Kind {
  Shape shape;
  std::string_view name;
  bool is_convex;
  bool is_composite;
  bool is_bounded;
};

std::vector<Kind> all_kinds() {
  Random random(1);
  return {
      {Sphere(1.0), "sphere", true, false, true},
      {Ellipsoid(Vector3d(1, 2, 3)), "ellipsoid", true, false, true},
      {Box(Vector3d(1, 2, 3)), "box", true, false, true},
      {Capsule(1.0, 2.0), "capsule", true, false, true},
      {Cylinder(1.0, 2.0), "cylinder", true, false, true},
      {Cone(1.0, 2.0), "cone", true, false, true},
      {samples::random_hull(20, 1.0, random), "convex", true, false, true},
      {Triangle({Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ()}), "triangle", true, false, true},
      {PaddedPolygon(kTriangle2, 0.1), "padded_polygon", true, false, true},
      {Superquadric(Vector3d(1, 2, 3), {0.5, 1.5}), "superquadric", true, false, true},
      {SmoothHull({Vector3d::UnitX(), -Vector3d::UnitX()}, 8.0), "smooth_hull", true, false, true},
      {SmoothRevolution({{1.0, 1.0}, {1.0, -1.0}}, 8.0, 0.1), "smooth_revolution", true, false, true},
      {HalfSpace(Vector3d::UnitZ(), 1.0), "halfspace", false, false, false},
      {samples::l_mesh(1.0), "mesh", false, true, true},
      {samples::hills(2, 1.0, 1.0, random), "height_field", false, true, true},
      {Compound({{Sphere(1.0), Pose()}}), "compound", false, true, true},
  };
}

TEST(Shape, KnowsItsNameInTheFilesAndItsKind) {
  const std::vector<Kind> kinds = all_kinds();
  ASSERT_EQ(kinds.size(), std::variant_size_v<Geometry>);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Kind& kind = kinds[i];
    EXPECT_EQ(kind.shape.geometry().index(), i);
    EXPECT_EQ(kind.shape.type_name(), kind.name);
    EXPECT_EQ(kind.shape.is_convex(), kind.is_convex) << kind.name;
    EXPECT_EQ(kind.shape.is_composite(), kind.is_composite) << kind.name;
    EXPECT_EQ(kind.shape.is_bounded(), kind.is_bounded) << kind.name;
  }
}

TEST(Shape, GivesItsConcreteShape) {
  const Shape shape(Capsule(0.5, 2.0), 0.25);
  ASSERT_NE(shape.get_if<Capsule>(), nullptr);
  EXPECT_EQ(shape.get_if<Capsule>()->half_length(), 2.0);
  EXPECT_EQ(shape.get_if<Box>(), nullptr);
  EXPECT_EQ(shape.margin(), 0.25);
  EXPECT_EQ(Shape(Sphere(1.0)).margin(), 0.0);
}

TEST(Shape, CopiesShareHeavyGeometry) {
  const Shape mesh = samples::l_mesh(1.0);
  const Shape copy = mesh;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  EXPECT_EQ(mesh.get_if<TriangleMesh>()->vertices().data(), copy.get_if<TriangleMesh>()->vertices().data());
  Random random(2);
  const Shape hull = samples::random_hull(30, 1.0, random);
  const Shape hull_copy = hull;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(hull.get_if<ConvexHull>()->vertices().data(), hull_copy.get_if<ConvexHull>()->vertices().data());
}

TEST(Shape, CenterIsInTheMiddle) {
  EXPECT_EQ(center(Box(Vector3d(1, 2, 3))), Vector3d::Zero());
  EXPECT_EQ(center(Cone(1.0, 2.0)), Vector3d(0, 0, -1));
  EXPECT_LT((center(Triangle({Vector3d(3, 0, 0), Vector3d(0, 3, 0), Vector3d(0, 0, 3)})) - Vector3d::Ones()).norm(),
            1e-15);
  EXPECT_EQ(center(samples::l_mesh(1.0)), Vector3d::Zero());
  EXPECT_LT((center(HalfSpace(Vector3d(0, 0, 2), 3.0)) - Vector3d(0, 0, 1.5)).norm(), 1e-15);
  EXPECT_EQ(
      center(Compound({{Box(Vector3d::Ones()), Pose(Vector3d(2, 0, 0))}, {Sphere(1.0), Pose(Vector3d(4, 0, 0))}})),
      Vector3d(3, 0, 0));
}

TEST(Shape, CenterOfConvexShapesIsInside) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds; ++kind) {
      const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(kind), 1.0, random);
      if (!shape.is_convex()) continue;
      for (int i = 0; i < 200; ++i) {
        const Vector3d direction = random.direction();
        EXPECT_LE(center(shape).dot(direction), support(shape, direction).dot(direction) + 1e-14) << shape.type_name();
      }
    }
  }
}

TEST(HalfSpace, NormalisesItsNormalAndOffset) {
  for (const double length : {1e-200, 1e-3, 1.0, 1e3, 1e200}) {
    const HalfSpace plane(length * Vector3d(1, 2, 2), 6.0 * length);
    EXPECT_LT((plane.normal() - Vector3d(1, 2, 2) / 3.0).norm(), 1e-15);
    EXPECT_NEAR(plane.offset(), 2.0, 1e-14);
  }
}

TEST(HalfSpace, OfItsOwnNormalAndOffsetHasTheSameBits) {
  samples::Random random(6);
  for (int i = 0; i < 10000; ++i) {
    const HalfSpace plane(random.uniform(0.1, 10.0) * random.direction(), random.uniform(-5.0, 5.0));
    const HalfSpace again(plane.normal(), plane.offset());
    ASSERT_EQ(again.normal(), plane.normal());
    ASSERT_EQ(again.offset(), plane.offset());
  }
}

}  // namespace
}  // namespace abut

// Compound: its children, its tree and nesting.
#include <abut/core/infinity.h>
#include <abut/core/shape.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <vector>

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

TEST(Compound, TreeHoldsTheBoxesOfItsChildren) {
  Random random(1);
  std::vector<CompoundChild> children;
  for (std::uint32_t i = 0; i < samples::kShapeKinds; ++i) {
    children.push_back({samples::random_shape(static_cast<samples::ShapeKind>(i), 0.5, random), random.pose(2.0)});
  }
  const Compound compound(children);
  ASSERT_EQ(compound.children().size(), children.size());
  Aabb expected;
  for (const CompoundChild& child : children) expected.merge(aabb(child.shape, child.pose));
  EXPECT_EQ(compound.tree().bounds().lower, expected.lower);
  EXPECT_EQ(compound.tree().bounds().upper, expected.upper);
  std::vector<int> found(children.size(), 0);
  const Aabb small = aabb(children[3].shape, children[3].pose);
  compound.tree().visit([&](const Aabb& box) { return box.overlaps(small); },
                        [&](std::uint32_t item) { ++found[item]; });
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (aabb(children[i].shape, children[i].pose).overlaps(small)) {
      EXPECT_EQ(found[i], 1) << i;
    }
  }
}

TEST(Compound, NestsAndMovesItsChildren) {
  Random random(2);
  const Shape box = Box(Vector3d(1, 2, 3));
  const Pose inner = random.pose(1.0);
  const Pose outer = random.pose(1.0);
  const Pose world = random.pose(1.0);
  const Shape nested = Compound({{Compound({{box, inner}}), outer}});
  const Aabb expected = aabb(box, world * (outer * inner));
  EXPECT_LT((aabb(nested, world).lower - expected.lower).norm(), 1e-14);
  EXPECT_LT((aabb(nested, world).upper - expected.upper).norm(), 1e-14);
}

TEST(Compound, WithAHalfSpaceIsUnbounded) {
  const Shape bounded = Compound({{Sphere(1.0), Pose()}});
  const Shape unbounded = Compound({{Sphere(1.0), Pose()}, {HalfSpace(Vector3d(0, 0, 1), -1.0), Pose()}});
  const Shape nested = Compound({{unbounded, Pose(Vector3d(0, 0, 5))}});
  EXPECT_TRUE(bounded.is_bounded());
  EXPECT_FALSE(unbounded.is_bounded());
  EXPECT_FALSE(nested.is_bounded());
  EXPECT_EQ(aabb(unbounded, Pose()).upper, Vector3d(kInfinity, kInfinity, 1.0));
  EXPECT_EQ(aabb(nested, Pose()).upper, Vector3d(kInfinity, kInfinity, 6.0));
  EXPECT_EQ(aabb(nested, Pose()).lower, Vector3d::Constant(-kInfinity));
  EXPECT_TRUE(center(unbounded).allFinite());
  EXPECT_EQ(obb(nested).half_extents, Vector3d::Constant(kInfinity));
  EXPECT_TRUE(obb(nested).center.allFinite());
}

TEST(Compound, ObbFollowsATiltedRowOfChildren) {
  Random random(3);
  const Pose tilt(Vector3d::Zero(), random.rotation());
  std::vector<CompoundChild> children;
  for (int i = 0; i < 10; ++i) children.push_back({Box(Vector3d(0.5, 0.2, 0.1)), tilt * Pose(Vector3d(i, 0, 0))});
  const Obb box = obb(Compound(children));
  EXPECT_NEAR(box.half_extents.maxCoeff(), 5.0, 1e-9);
  EXPECT_NEAR(box.half_extents.minCoeff(), 0.1, 1e-9);
}

TEST(Compound, RefusesToBeNestedDeeperThanQueriesHaveStackFor) {
  Shape nested = Sphere(1.0);
  for (std::size_t i = 1; i <= Compound::kMaxDepth; ++i) {
    nested = Compound({{Sphere(1.0), Pose()}, {nested, Pose()}});
    EXPECT_EQ(nested.get_if<Compound>()->depth(), i);
  }
  EXPECT_EQ(error_text([&] { Compound({{nested, Pose()}}); }), "children: compounds are nested deeper than 16 levels");
}

TEST(Compound, RefusesATreeThatThereIsNot) {
  EXPECT_THROW(Compound({{Sphere(1.0), Pose()}}, static_cast<TreeKind>(9)), InvalidInput);
  EXPECT_THROW(TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, static_cast<TreeKind>(9)), InvalidInput);
}

TEST(Compound, RefusesNoChildren) {
  EXPECT_EQ(error_text([] { Compound(std::vector<CompoundChild>{}); }), "children: must have at least one child");
}

}  // namespace
}  // namespace abut

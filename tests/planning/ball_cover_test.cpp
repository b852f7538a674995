// Balls that bound a shape from both sides.
#include <abut/narrowphase/distance.h>
#include <abut/planning/cover/ball_cover.h>
#include <abut/planning/cover/convex_region.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <algorithm>

namespace abut::detail {
namespace {

bool holds(const CoverBall& ball, const Vector3d& point) {
  return (point - ball.center).norm() <= ball.outer;
}

/// Points of the shape's inside and surface.
std::vector<Vector3d> points_of(const Shape& shape, samples::Random& random) {
  std::vector<Vector3d> surface;
  for (int i = 0; i < 2000; ++i) surface.push_back(support(shape, random.direction()));
  std::vector<Vector3d> result = surface;
  for (int i = 0; i < 4000; ++i) {
    const Vector3d& p = surface[random.below(2000)];
    const Vector3d& q = surface[random.below(2000)];
    const Vector3d& r = surface[random.below(2000)];
    double a = random.uniform(0.0, 1.0);
    double b = random.uniform(0.0, 1.0);
    if (a + b > 1.0) {
      a = 1.0 - a;
      b = 1.0 - b;
    }
    result.push_back(p + a * (q - p) + b * (r - p));
  }
  return result;
}

std::vector<Shape> convex_samples(samples::Random& random) {
  return {Box(Vector3d(0.3, 0.05, 0.1)),
          Sphere(0.2),
          Capsule(0.05, 0.3),
          Cylinder(0.1, 0.02),
          Cone(0.2, 0.3),
          Ellipsoid(Vector3d(0.1, 0.3, 0.05)),
          Shape(Box(Vector3d(0.1, 0.1, 0.2)), 0.03),
          samples::random_hull(12, 0.2, random),
          samples::random_hull(400, 0.2, random)};
}

TEST(BallCover, HoldsTheWholeShape) {
  samples::Random random(1);
  for (const Shape& shape : convex_samples(random)) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{5}, std::size_t{16}}) {
      const BallCover cover = ball_cover(shape, count);
      ASSERT_LE(cover.parts.size(), count);
      for (const Vector3d& point : points_of(shape, random)) {
        ASSERT_TRUE(holds(cover.whole, point)) << shape.type_name();
        ASSERT_TRUE(std::any_of(cover.parts.begin(), cover.parts.end(),
                                [&point](const CoverBall& ball) { return holds(ball, point); }))
            << shape.type_name() << " " << count << " balls, " << point.transpose();
      }
    }
  }
}

TEST(BallCover, HoldsAShapeWithoutExtent) {
  samples::Random random(4);
  for (int i = 0; i < (samples::kIsInstrumented ? 4 : 20); ++i) {
    // The origin too.
    const Vector3d at = i == 0 ? Vector3d::Zero() : Vector3d(random.uniform(0.0, 10.0) * random.direction());
    const Vector3d other = at + random.direction();
    const Vector3d third = at + random.direction();
    const std::vector<Shape> shapes = {ConvexHull::from_points(std::vector<Vector3d>{at}),
                                       ConvexHull::from_points(std::vector<Vector3d>{at, other}),
                                       ConvexHull::from_points(std::vector<Vector3d>{at, other, third}),
                                       Triangle({at, at, at}),
                                       Triangle({at, at, other}),
                                       TriangleMesh({at, at, at}, {{0, 1, 2}})};
    for (const Shape& shape : shapes) {
      const BallCover cover = ball_cover(shape, 8);
      ASSERT_FALSE(cover.parts.empty());
      for (const Vector3d& n : {Vector3d(Vector3d::UnitX()), Vector3d(-Vector3d::UnitX()), random.direction()}) {
        const Vector3d point = shape.is_convex() ? support(shape, n) : at;
        EXPECT_TRUE(holds(cover.whole, point)) << shape.type_name() << " at " << at.transpose();
        EXPECT_TRUE(std::any_of(cover.parts.begin(), cover.parts.end(),
                                [&point](const CoverBall& ball) { return holds(ball, point); }))
            << shape.type_name() << " at " << at.transpose();
      }
      EXPECT_EQ(cover.whole.inner, 0.0);
    }
  }
}

TEST(BallCover, HasInnerBallsThatLieInTheShape) {
  samples::Random random(2);
  for (const Shape& shape : convex_samples(random)) {
    const BallCover cover = ball_cover(shape, 16);
    double largest = 0.0;
    for (const CoverBall& ball : cover.parts) {
      largest = std::max(largest, ball.inner);
      for (int i = 0; i < 200; ++i) {
        const Vector3d n = random.direction();
        EXPECT_LE(n.dot(ball.center) + ball.inner, n.dot(support(shape, n)) + 1e-12) << shape.type_name();
      }
    }
    EXPECT_GT(largest, 0.0) << shape.type_name();
  }
}

TEST(BallCover, FitsALongShapeMoreCloselyWithMoreBalls) {
  const Shape rod = Cylinder(0.05, 0.5);
  const auto largest = [&rod](std::size_t count) {
    double result = 0.0;
    for (const CoverBall& ball : ball_cover(rod, count).parts) result = std::max(result, ball.outer);
    return result;
  };
  EXPECT_GT(largest(1), 0.5);
  EXPECT_LT(largest(8), 0.1);
  EXPECT_LT(largest(16), largest(8));
}

TEST(BallCover, OfAMeshHoldsItsVertices) {
  const TriangleMesh mesh = samples::l_mesh(0.3);
  const BallCover cover = ball_cover(mesh, 16);
  for (const Vector3d& vertex : mesh.vertices()) {
    EXPECT_TRUE(std::any_of(cover.parts.begin(), cover.parts.end(),
                            [&vertex](const CoverBall& ball) { return holds(ball, vertex); }));
  }
  for (const CoverBall& ball : cover.parts) EXPECT_EQ(ball.inner, 0.0);
}

TEST(EnclosingBall, HoldsItsPointsAndIsNotMuchLargerThanItMustBe) {
  samples::Random random(3);
  std::vector<Vector3d> points;
  for (int i = 0; i < 500; ++i) points.push_back(Vector3d(1, 2, 3) + 0.5 * random.direction());
  const CoverBall ball = enclosing_ball(points);
  for (const Vector3d& point : points) EXPECT_LE((point - ball.center).norm(), ball.outer);
  EXPECT_LT(ball.outer, 0.5 * 1.05);
  EXPECT_EQ(enclosing_ball(std::vector<Vector3d>{Vector3d(1, 0, 0)}).outer, 0.0);
}

TEST(ConvexRegion, IsCutToTheHalfOfABox) {
  Aabb box{Vector3d(-1, -1, -1), Vector3d(1, 1, 1)};
  ConvexRegion region(box);
  region.cut(Vector3d(2, 0, 0), 0.5);
  for (const Vector3d& corner : region.corners()) EXPECT_LE(corner.x(), 0.25 + 1e-15);
  region.cut(Vector3d(1, 1, 0), -3.0);
  EXPECT_TRUE(region.is_empty());
}

TEST(ConvexRegion, KeepsTheVolumeOfAnOctahedronCutFromACube) {
  ConvexRegion region({Vector3d::Constant(-1), Vector3d::Constant(1)});
  for (int i = 0; i < 8; ++i) region.cut(Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), 1.0);
  double volume = 0.0;
  for (const std::vector<Vector3d>& face : region.faces()) {
    for (std::size_t k = 2; k < face.size(); ++k) volume += std::abs(face[0].dot(face[k - 1].cross(face[k]))) / 6.0;
  }
  EXPECT_NEAR(volume, 4.0 / 3.0, 1e-12);
}

}  // namespace
}  // namespace abut::detail

// A half-space against everything else.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

TEST(HalfSpace, MeetsEveryConvexShapeInBothOrders) {
  for (std::uint32_t kind = 0; kind < 12; ++kind) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(testing::Message() << "kind " << kind << " seed " << seed);
      Random random(seed);
      const Shape body = samples::random_shape(static_cast<ShapeKind>(kind), 1.0, random);
      const Shape plane(HalfSpace(random.direction(), random.uniform(-1, 1)), random.chance(0.5) ? 0.1 : 0.0);
      const Pose pose_body = random.pose(2.0);
      const Pose pose_plane = random.pose(2.0);
      const Separation s = distance(plane, pose_plane, body, pose_body);
      EXPECT_EQ(samples::certificate_violation(plane, pose_plane, body, pose_body, s, 1e-12), "");
      const Separation swapped = distance(body, pose_body, plane, pose_plane);
      EXPECT_EQ(samples::certificate_violation(body, pose_body, plane, pose_plane, swapped, 1e-12), "");
      EXPECT_NEAR(s.distance, swapped.distance, 1e-13);
      EXPECT_EQ(collides(plane, pose_plane, body, pose_body), s.distance <= 0.0);
    }
  }
}

TEST(HalfSpace, TheErrorOfTheDistanceIsWithinItsBoundAtEverySize) {
  using Real = long double;
  using Vector = Eigen::Matrix<Real, 3, 1>;
  using Matrix = Eigen::Matrix<Real, 3, 3>;
  Random random(23);
  double worst = 0.0;
  for (int i = 0; i < 4000; ++i) {
    const bool is_second = i % 2 == 0;
    const double size = std::pow(10.0, random.uniform(-6.0, 7.0));
    const Vector3d half = std::pow(10.0, random.uniform(-4.0, 4.0)) * random.vector(0.01, 1.0);
    const Vector3d normal = random.direction();
    const HalfSpace plane(normal, size * random.uniform(-1.0, 1.0));
    const Pose pose_box = is_second ? Pose(random.vector(-size, size)) : random.pose(size);
    const Pose pose_plane = is_second ? random.pose(size) : Pose(random.vector(-size, size));
    const Separation s =
        is_second ? distance(Box(half), pose_box, plane, pose_plane) : distance(plane, pose_plane, Box(half), pose_box);
    const Vector upward = Matrix(pose_plane.rotation().cast<Real>()) * plane.normal().cast<Real>();
    const Matrix turned = pose_box.rotation().cast<Real>();
    Real height = upward.dot(Vector(pose_box.translation().cast<Real>() - pose_plane.translation().cast<Real>())) -
                  static_cast<Real>(plane.offset());
    for (int axis = 0; axis < 3; ++axis) {
      height -= std::abs(upward.dot(turned.col(axis))) * static_cast<Real>(half[axis]);
    }
    const double error = static_cast<double>(std::abs(height - static_cast<Real>(s.distance)));
    ASSERT_LE(error, s.distance_error) << i;
    worst = std::max(worst, error / s.distance_error);
  }
  EXPECT_GT(worst, 0.01);  // and says something
}

TEST(HalfSpace, MeetsMeshesAtTheirDeepestVertex) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const TriangleMesh mesh = samples::l_mesh(1.0);
    const HalfSpace plane(random.direction(), random.uniform(-2, 2));
    const Pose pose = random.pose(1.0);
    double lowest = 1e300;
    for (const Vector3d& vertex : mesh.vertices()) {
      lowest = std::min(lowest, plane.normal().dot(pose * vertex) - plane.offset());
    }
    EXPECT_NEAR(distance(plane, Pose(), mesh, pose).distance, lowest, 1e-13);
    EXPECT_NEAR(distance(mesh, pose, plane, Pose()).distance, lowest, 1e-13);
  }
}

}  // namespace
}  // namespace abut

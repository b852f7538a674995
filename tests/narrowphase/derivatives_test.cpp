// Derivatives of separations against central differences, on both sides of contact.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <narrowphase/smooth_samples.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace abut {
namespace {

using samples::kSmoothKinds;
using samples::Random;
using samples::smooth_body;

using Vector10 = Eigen::Matrix<double, 10, 1>;

Vector10 numbers_of(const Separation& s) {
  Vector10 numbers;
  numbers << s.distance, s.point_a, s.point_b, s.normal;
  return numbers;
}

Eigen::Matrix<double, 10, 6> matrix_of(const PoseDerivatives& derivatives) {
  Eigen::Matrix<double, 10, 6> matrix;
  matrix << derivatives.distance, derivatives.point_a, derivatives.point_b, derivatives.normal;
  return matrix;
}

// A small motion of one coordinate, about the body's own origin and along the world's axes.
Pose moved(const Pose& pose, int coordinate, double by) {
  if (coordinate < 3) return Pose(by * Vector3d::Unit(coordinate)) * pose;
  const Quaterniond turn(Eigen::AngleAxisd(by, Vector3d::Unit(coordinate - 3)));
  return Pose(pose.translation(), turn * pose.quaternion());
}

TEST(Derivatives, AreThoseOfCentralDifferencesForEverySmoothPair) {
  int checked_apart = 0;
  int checked_overlapping = 0;
  for (std::uint32_t kind_a = 0; kind_a < kSmoothKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kSmoothKinds; ++kind_b) {
      Random random(100 * kind_a + kind_b);
      for (int i = 0; i < 8; ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i);
        const Shape a = smooth_body(kind_a, 1.0, random);
        const Shape b = smooth_body(kind_b, 1.0, random);
        const Pose pose_a = random.pose(1.0);
        Pose pose_b = Pose(2.0 * random.direction()) * pose_a * Pose(Vector3d::Zero(), random.rotation());
        // Deep overlap has directions of nearly equal depth, between which the answer jumps.
        const double target = i % 2 == 0 ? random.uniform(-0.1, -0.01) : random.uniform(0.01, 1.0);
        DistanceOptions options;
        options.solver = Solver::rtr;
        options.tolerance = 1e-10;
        const Separation start = distance(a, pose_a, b, pose_b, options);
        pose_b = Pose((target - start.distance) * start.normal) * pose_b;
        const Separation s = distance(a, pose_a, b, pose_b, options);
        const std::optional<SeparationDerivatives> found = derivatives(a, pose_a, b, pose_b, s);
        if (!found) continue;

        const auto check = [&](const PoseDerivatives& by, bool is_a) {
          const Eigen::Matrix<double, 10, 6> exact = matrix_of(by);
          for (int coordinate = 0; coordinate < 6; ++coordinate) {
            // Two steps: where their differences disagree, the curvature of the answer is too large for them.
            Vector10 differences[2];
            for (int step = 0; step < 2; ++step) {
              const double h = step == 0 ? 2e-5 : 1e-5;
              const auto at = [&](double by_how_much) {
                return numbers_of(distance(a, is_a ? moved(pose_a, coordinate, by_how_much) : pose_a, b,
                                           is_a ? pose_b : moved(pose_b, coordinate, by_how_much), options));
              };
              differences[step] = (at(h) - at(-h)) / (2.0 * h);
            }
            const Vector10 extrapolated = (4.0 * differences[1] - differences[0]) / 3.0;
            const double doubt = (differences[1] - differences[0]).lpNorm<Eigen::Infinity>();
            const double scale = 1.0 + exact.lpNorm<Eigen::Infinity>();
            EXPECT_LT((extrapolated - exact.col(coordinate)).lpNorm<Eigen::Infinity>(), 1e-6 * scale + 0.5 * doubt)
                << (is_a ? "by a, " : "by b, ") << "coordinate " << coordinate << ": " << extrapolated.transpose()
                << " instead of " << exact.col(coordinate).transpose();
          }
        };
        check(found->by_b, false);
        check(found->by_a, true);
        (s.distance > 0.0 ? checked_apart : checked_overlapping) += 1;
      }
    }
  }
  EXPECT_GT(checked_apart, 200);
  EXPECT_GT(checked_overlapping, 150);
}

TEST(Derivatives, OfAMotionOfBothBodiesAreThoseOfARigidMotion) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = smooth_body(seed, 1.0, random);
    const Shape b = smooth_body(seed + 3, 1.0, random);
    const Pose pose_a = random.pose(0.5);
    const Pose pose_b = random.pose(1.5);
    const Separation s = distance(a, pose_a, b, pose_b);
    const std::optional<SeparationDerivatives> found = derivatives(a, pose_a, b, pose_b, s);
    if (!found) continue;
    const auto translation = [](const auto& m) { return m.template leftCols<3>().eval(); };
    EXPECT_LT((translation(found->by_a.distance) + translation(found->by_b.distance)).norm(), 1e-12);
    EXPECT_LT((translation(found->by_a.normal) + translation(found->by_b.normal)).norm(), 1e-10);
    EXPECT_LT((translation(found->by_a.point_a) + translation(found->by_b.point_a) - Matrix3d::Identity()).norm(),
              1e-10);
    EXPECT_LT((translation(found->by_a.point_b) + translation(found->by_b.point_b) - Matrix3d::Identity()).norm(),
              1e-10);
    // The distance changes with the normal's direction, at rate one.
    EXPECT_LT((translation(found->by_b.distance).transpose() - s.normal).norm(), 1e-12);
  }
}

TEST(Derivatives, AreNothingWhereTheAnswerIsNotSmooth) {
  const Pose here;
  const Shape ball = Sphere(1.0);
  // Concentric balls: every direction is as good.
  const Separation concentric = distance(ball, here, ball, here);
  EXPECT_FALSE(derivatives(ball, here, ball, here, concentric).has_value());
  // Across a round body's axis: a whole circle is as good.
  const Shape rod = Ellipsoid(Vector3d(0.2, 0.2, 1.0));
  EXPECT_FALSE(derivatives(rod, here, ball, here, distance(rod, here, ball, here)).has_value());
  // Bodies with faces.
  const Shape box = Box(Vector3d(1, 1, 1));
  const Pose away(Vector3d(4, 0, 0));
  EXPECT_FALSE(derivatives(ball, here, box, away, distance(ball, here, box, away)).has_value());
  EXPECT_TRUE(derivatives(ball, here, rod, away, distance(ball, here, rod, away)).has_value());
}

}  // namespace
}  // namespace abut

// Clouds of points as obstacles.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/point_cloud.h>
#include <abut/planning/validity_checker.h>
#include <gtest/gtest.h>
#include <planning/checked_arm.h>
#include <support/error_text.h>
#include <support/instrumented.h>

#include <cmath>
#include <limits>

namespace abut {
namespace {

TEST(PointCloud, IsAsFarAsItsNearestBall) {
  samples::Random random(1);
  std::vector<Vector3d> points;
  for (int i = 0; i < 300; ++i) points.push_back(random.vector(-1.0, 1.0));
  const Shape cloud = point_cloud(points, 0.01);
  const Shape box = Box(Vector3d(0.02, 0.05, 0.03));
  for (int i = 0; i < 100; ++i) {
    const Pose pose(random.vector(-1.5, 1.5), random.rotation());
    double least = std::numeric_limits<double>::infinity();
    for (const Vector3d& point : points)
      least = std::min(least, distance(box, pose, Sphere(0.01), Pose(point)).distance);
    EXPECT_NEAR(distance(box, pose, cloud, Pose()).distance, least, 1e-9);
  }
}

TEST(PointCloud, IsAnObstacleLikeAnyOther) {
  const RobotModel robot = test::test_arm();
  samples::Random random(2);
  std::vector<Vector3d> points;
  for (int i = 0; i < 2000; ++i) points.push_back(0.7 * random.direction());
  ValidityOptions options = test::arm_options(robot);
  const ValidityChecker fast(robot, {{"cloud", point_cloud(points, 0.01), Pose()}}, options);
  options.fast_tier = false;
  const ValidityChecker exact(robot, {{"cloud", point_cloud(points, 0.01), Pose()}}, options);
  ValidityChecker::State fast_state(fast);
  ValidityChecker::State exact_state(exact);
  int valid = 0;
  const int count = samples::kIsInstrumented ? 50 : 1000;
  for (int i = 0; i < count; ++i) {
    const std::vector<double> configuration = test::random_configuration(fast, random);
    EXPECT_EQ(fast.is_valid(configuration, fast_state), exact.is_valid(configuration, exact_state));
    valid += fast.is_valid(configuration, fast_state) ? 1 : 0;
  }
  EXPECT_GT(valid, 0);
  EXPECT_LT(valid, count);
}

TEST(PointCloud, RefusesWhatIsNoCloud) {
  const std::vector<Vector3d> bad = {Vector3d::Zero(), Vector3d(0, std::nan(""), 0)};
  EXPECT_NE(samples::error_text([&] { static_cast<void>(point_cloud(bad, 0.1)); }).find("points[1]"),
            std::string::npos);
  EXPECT_NE(samples::error_text([&] { static_cast<void>(point_cloud({}, 0.1)); }).find("points"), std::string::npos);
  EXPECT_NE(samples::error_text([&] {
              static_cast<void>(point_cloud({bad.data(), 1}, -1.0));
            }).find("radius"),
            std::string::npos);
}

}  // namespace
}  // namespace abut

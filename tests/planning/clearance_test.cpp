// The nearest pair of a configuration, and the derivative of its distance.
#include <abut/narrowphase/distance.h>
#include <abut/planning/validity_checker.h>
#include <gtest/gtest.h>
#include <planning/checked_arm.h>
#include <support/instrumented.h>

#include <cmath>

namespace abut {
namespace {

using test::random_configuration;

TEST(Clearance, IsTheLeastDistanceOfAllPairs) {
  const RobotModel robot = test::test_arm();
  const std::vector<Obstacle> obstacles = test::obstacles_of_every_kind();
  const ValidityOptions options = test::arm_options(robot);
  const ValidityChecker checker(robot, obstacles, options);
  ValidityChecker::State state(checker);
  samples::Random random(1);
  for (int i = 0; i < (samples::kIsInstrumented ? 20 : 300); ++i) {
    const std::vector<double> configuration = random_configuration(checker, random);
    std::vector<double> values = robot.default_values();
    values[*robot.find_variable("left_finger_joint")] = 0.03;
    for (std::size_t k = 0; k < configuration.size(); ++k) values[checker.variables()[k]] = configuration[k];
    const std::vector<Pose> poses = robot.link_poses(values);
    double least = 1e9;
    for (std::size_t a = 0; a < poses.size(); ++a) {
      for (const LinkGeometry& piece : robot.links()[a].geometry) {
        const Pose pose = poses[a] * piece.link_from_shape;
        for (const Obstacle& obstacle : obstacles) {
          least = std::min(least, distance(piece.shape, pose, obstacle.shape, obstacle.world_from_obstacle).distance);
        }
        for (std::size_t b = a + 1; b < poses.size(); ++b) {
          if (robot.adjacent(a, b) || options.disabled_pairs->contains(a, b)) continue;
          for (const LinkGeometry& other : robot.links()[b].geometry) {
            least =
                std::min(least, distance(piece.shape, pose, other.shape, poses[b] * other.link_from_shape).distance);
          }
        }
      }
    }
    const Clearance clearance = checker.clearance(configuration, state);
    EXPECT_NEAR(clearance.distance, least, 1e-8);
    EXPECT_NEAR((clearance.separation.point_b - clearance.separation.point_a).dot(clearance.separation.normal),
                clearance.distance, 1e-8);
  }
}

/// Central differences where the nearest pair stays the same.
void compare_gradient(const ValidityChecker& checker, int count, std::uint64_t seed) {
  ValidityChecker::State state(checker);
  samples::Random random(seed);
  int compared = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<double> configuration = random_configuration(checker, random);
    std::vector<double> gradient(checker.dimension());
    const Clearance clearance = checker.clearance(configuration, state, gradient);
    if (clearance.distance < 1e-3) continue;  // depths of hulls have kinks close together
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      constexpr double kStep = 1e-5;
      const double value = configuration[k];
      configuration[k] = value + kStep;
      const Clearance above = checker.clearance(configuration, state);
      configuration[k] = value - kStep;
      const Clearance below = checker.clearance(configuration, state);
      configuration[k] = value;
      if (above.pair != clearance.pair || below.pair != clearance.pair) continue;
      // One-sided slopes that differ mean a kink in between.
      const double left = (clearance.distance - below.distance) / kStep;
      const double right = (above.distance - clearance.distance) / kStep;
      if (std::abs(left - right) > 1e-3) continue;
      EXPECT_NEAR(gradient[k], 0.5 * (left + right), 1e-5)
          << clearance.pair.link << " " << clearance.pair.other << " variable " << k;
      ++compared;
    }
  }
  EXPECT_GT(compared, count);
}

TEST(Clearance, HasTheGradientOfCentralDifferences) {
  const RobotModel robot = test::test_arm();
  std::vector<Obstacle> obstacles = test::obstacles_of_every_kind();
  ValidityOptions options = test::arm_options(robot);
  options.variables.push_back("left_finger_joint");  // a slide that another joint mimics
  options.fixed_values.clear();
  options.world_from_root = Pose(Vector3d(1, 2, 3), Quaterniond(0.5, 0.5, -0.5, 0.5));
  for (Obstacle& obstacle : obstacles) {
    obstacle.world_from_obstacle = options.world_from_root * obstacle.world_from_obstacle;
  }
  compare_gradient(ValidityChecker(robot, obstacles, options), samples::kIsInstrumented ? 20 : 500, 2);
}

TEST(Clearance, HasTheGradientOfCentralDifferencesWithoutObstacles) {
  const RobotModel robot = test::test_arm();
  compare_gradient(ValidityChecker(robot, {}, test::arm_options(robot)), samples::kIsInstrumented ? 20 : 300, 3);
}

TEST(Clearance, IsInfiniteWhereThereIsNothingToMeet) {
  std::vector<RobotLink> links(1);
  links[0].name = "stone";
  links[0].geometry.push_back({"", Sphere(1.0), Pose()});
  const ValidityChecker checker(RobotModel("stone", std::move(links), {}));
  ValidityChecker::State state(checker);
  EXPECT_TRUE(std::isinf(checker.clearance({}, state).distance));
  EXPECT_TRUE(checker.is_valid({}, state));
  EXPECT_TRUE(checker.is_motion_valid({}, {}, state));
}

}  // namespace
}  // namespace abut

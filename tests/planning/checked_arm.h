// The test arm among obstacles of every kind, and configurations and motions of it.
#pragma once

#include <abut/planning/srdf_file.h>
#include <abut/planning/validity_checker.h>
#include <planning/arm.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <vector>

namespace abut::test {

/// What the arm's SRDF says, its seven joints as the variables.
inline ValidityOptions arm_options(const RobotModel& robot) {
  const SemanticModel semantic = read_srdf(planning_data("arm.srdf"), robot);
  ValidityOptions options;
  options.disabled_pairs = LinkPairs(robot.links().size());
  for (const DisabledPair& pair : semantic.disabled_pairs) options.disabled_pairs->insert(pair.link_a, pair.link_b);
  for (int i = 1; i <= 7; ++i) options.variables.push_back("joint_" + std::to_string(i));
  options.fixed_values = {{"left_finger_joint", 0.03}};
  return options;
}

/// A ring of obstacles around the arm, one of each kind, over a floor.
inline std::vector<Obstacle> obstacles_of_every_kind() {
  samples::Random random(7);
  const auto around = [](double turns, double radius, double height) {
    const double angle = 6.283185307179586 * turns;
    return Pose(Vector3d(radius * std::cos(angle), radius * std::sin(angle), height),
                Quaterniond(Eigen::AngleAxisd(3.0 * angle, Vector3d(0.3, 0.5, 0.8).normalized())));
  };
  std::vector<CompoundChild> children;
  children.push_back({Box(Vector3d(0.05, 0.1, 0.02)), Pose()});
  children.push_back({Sphere(0.06), Pose(Vector3d(0.1, 0, 0))});
  return {
      {"floor", HalfSpace(Vector3d::UnitZ(), -0.15), Pose()},
      {"box", Box(Vector3d(0.1, 0.05, 0.2)), around(0.0, 0.6, 0.4)},
      {"cylinder", Cylinder(0.07, 0.3), around(0.1, 0.6, 0.5)},
      {"sphere", Sphere(0.1), around(0.2, 0.55, 0.6)},
      {"capsule", Capsule(0.05, 0.2), around(0.3, 0.6, 0.3)},
      {"padded box", Shape(Box(Vector3d(0.02, 0.1, 0.1)), 0.02), around(0.4, 0.5, 0.7)},
      {"cone", Cone(0.1, 0.1), around(0.5, 0.6, 0.4)},
      {"ellipsoid", Ellipsoid(Vector3d(0.05, 0.1, 0.15)), around(0.6, 0.55, 0.6)},
      {"hull", samples::random_hull(60, 0.12, random), around(0.7, 0.6, 0.5)},
      {"mesh", samples::l_mesh(0.15), around(0.8, 0.6, 0.3)},
      {"hills", samples::hills(6, 0.05, 0.05, random), around(0.9, 0.7, 0.1)},
      {"compound", Compound(std::move(children)), around(0.95, 0.5, 0.8)},
  };
}

/// Uniform within the limits.
inline std::vector<double> random_configuration(const ValidityChecker& checker, samples::Random& random) {
  std::vector<double> configuration;
  for (const std::size_t variable : checker.variables()) {
    const RobotVariable& range = checker.robot().variables()[variable];
    configuration.push_back(random.uniform(range.lower, range.upper));
  }
  return configuration;
}

/// A motion of at most this length in each variable, from a random configuration.
struct RandomMotion {
  std::vector<double> from;
  std::vector<double> to;
};
inline RandomMotion random_motion(const ValidityChecker& checker, double length, samples::Random& random) {
  RandomMotion motion;
  motion.from = random_configuration(checker, random);
  motion.to = motion.from;
  for (double& value : motion.to) value += random.uniform(-length, length);
  return motion;
}

inline std::vector<double> along(const RandomMotion& motion, double t) {
  std::vector<double> result = motion.from;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += t * (motion.to[i] - motion.from[i]);
  return result;
}

}  // namespace abut::test

// Robots and planning problems: those of data folders where environment variables name them, else the test arm among
// generated obstacles; and the configurations and motions that checkers are asked about.
#pragma once

#include <abut/planning/validity_checker.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace abut::bench {

struct PlanningProblem {
  std::string name;  ///< Of the world and its number.
  std::vector<Obstacle> obstacles;
  std::vector<double> start;
  std::vector<double> goal;
};

struct PlanningRobot {
  std::string name;
  RobotModel hulls;   ///< Meshes stand for their convex hulls.
  RobotModel meshes;  ///< Meshes as they are.
  ValidityOptions options;
  /// Limits of the variables of options, radians or metres.
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<PlanningProblem> problems;
};

/// Panda, UR5 and Fetch with so many problems of each of their seven worlds, evenly spread, where ABUT_ROBOTS_DIR and
/// ABUT_PLANNING_DIR name folders with NAME/NAME.urdf, NAME/NAME.srdf and NAME/WORLD.json; else the test arm.
/// @param only  A robot's name; empty: all. @throws FileError
[[nodiscard]] std::vector<PlanningRobot> planning_robots(std::size_t problems_a_world, const std::string& only);

struct Motion {
  std::vector<double> from;
  std::vector<double> to;
};

/// Both kinds in random order.
struct Configurations {
  std::vector<std::vector<double>> valid;
  std::vector<std::vector<double>> invalid;
};

/// Four in ten uniform within the limits, one in ten near start or goal (deviation of 0.1 a variable), the others from
/// 3 to 16 bisections between a valid and an invalid one.
[[nodiscard]] Configurations draw_configurations(const PlanningRobot& robot, const PlanningProblem& problem,
                                                 const ValidityChecker& checker, std::size_t count);

/// Motions of length 1 (Euclidean, over radians and metres alike) in random directions from valid configurations, both
/// ends within the limits.
[[nodiscard]] std::vector<Motion> draw_motions(const PlanningRobot& robot, const Configurations& configurations,
                                               std::size_t count);

/// from + t (to - from).
void configuration_along(const Motion& motion, double t, std::vector<double>& configuration);

}  // namespace abut::bench

// What is to be planned: a robot's group among the obstacles of a scene file, from one configuration to another.
#pragma once

#include <abut/core/pose.h>
#include <abut/planning/robot_model.h>
#include <abut/planning/validity_checker.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace abut::plan {

/// As the program's arguments name it.
struct TaskFiles {
  std::filesystem::path robot;
  std::filesystem::path srdf;
  std::string group;
  std::filesystem::path scene;
  std::string from;  ///< As read_configuration reads it.
  std::string to;
  std::vector<std::filesystem::path> package_folders;
};

struct PlanningTask {
  RobotModel robot;
  std::vector<Obstacle> obstacles;
  ValidityChecker checker;    ///< Of the group's variables, in their order.
  std::vector<double> start;  ///< Valid and within the limits, as the goal is.
  std::vector<double> goal;
  std::size_t tip_link = 0;          ///< The last link that the group moves.
  std::vector<std::string> ignored;  ///< What of the SRDF file was passed over, a line each.

  /// Every variable of the robot: the group's, and the others' defaults.
  [[nodiscard]] std::vector<double> robot_values(const std::vector<double>& configuration) const;
};

/// Reads the files. All bodies of the scene but sensors are obstacles, in the frame of the robot's root link.
/// @throws FileError, InvalidInput  naming the file or argument and the field: also where start or goal is in
///                                  collision (with the pair) or outside of the limits (with the variable).
[[nodiscard]] PlanningTask read_task(const TaskFiles& files);

}  // namespace abut::plan

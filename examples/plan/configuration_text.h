// Configurations as arguments of a program.
#pragma once

#include <abut/planning/robot_model.h>
#include <abut/planning/srdf_file.h>

#include <cstddef>
#include <string>
#include <vector>

namespace abut::plan {

/// One value for each of the group's variables, in their order, from one of
/// - numbers with commas between them, "0.6,0.9,0,-1.3,0,0.8,0", also in brackets;
/// - a JSON object with a number for each variable by name, or the name of a file (*.json) that holds one of the two;
/// - the name of one of the group's states in the SRDF file; what it does not name has its default.
/// @param argument  What errors begin with.
/// @throws InvalidInput, FileError  naming the argument, the field, the rule and the value.
[[nodiscard]] std::vector<double> read_configuration(const std::string& argument, const std::string& text,
                                                     const RobotModel& robot, const SemanticModel& semantic,
                                                     std::size_t group);

}  // namespace abut::plan

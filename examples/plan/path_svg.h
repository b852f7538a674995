// A drawing of a planned path as an SVG file: from the side and from above.
#pragma once

#include <ostream>
#include <vector>

#include "planning_task.h"

namespace abut::plan {

/// @param path  The obstacles, the robot at places along the path, from green at the start to blue at the goal, and the
///              way of the origin of its last link.
void write_svg(std::ostream& out, const PlanningTask& task, const std::vector<std::vector<double>>& path);

}  // namespace abut::plan

// A drawing of the trajectory as an SVG file: the parked car, the car at every few knots, the path of its middle.
#pragma once

#include <ostream>
#include <vector>

#include "car.h"
#include "parking_task.h"
#include "trajectory_problem.h"

namespace abut::parking {

/// @param trajectory  Its knots are drawn as capsules.
/// @param driven      The path is that of the middle of the car at these states, see TrajectoryCheck.
void write_svg(std::ostream& out, const ParkingTask& task, const Trajectory& trajectory,
               const std::vector<State>& driven);

}  // namespace abut::parking

// OMPL at work: a planner finds a path, the path is made shorter, and then certified from end to end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planning_task.h"

namespace abut::plan {

enum class Planner : std::uint8_t {
  rrt_connect,
  lbkpiece,
  bit_star,            ///< Shortens its path until the time is over.
  bit_star_clearance,  ///< The same for a path that also keeps clear, see ClearanceObjective.
};

struct PlannerOptions {
  Planner planner = Planner::rrt_connect;
  std::uint32_t seed = 1;    ///< > 0. Planners that stop at their first path find the same one again.
  double time_limit = 10.0;  ///< Seconds.
  /// Radians or metres: motions are sampled in such steps while planning; certified where it is not given.
  std::optional<double> resolution;
};

/// A stage and what it asked of the checker.
struct Effort {
  double seconds = 0.0;
  std::size_t motions = 0;
};

struct PlannedPath {
  std::vector<std::vector<double>> states;  ///< Empty where no path was found.
  double first_length = 0.0;                ///< Before it was made shorter, radians and metres.
  double length = 0.0;
  Effort planning;
  Effort simplifying;
  Effort certifying;
  /// What the certification found, "motion 3: hand meets wall"; empty where the path is certified.
  std::string collision;
  double least_clearance = 0.0;  ///< At the states and between them in steps, metres.
  std::string nearest;           ///< Who has it, "hand and wall"; empty where no pair is tested.
};

[[nodiscard]] PlannedPath plan_path(const PlanningTask& task, const PlannerOptions& options);

/// `count` configurations along a path, evenly by length, both ends among them.
/// @param path  At least one state. @param count  At least 2.
[[nodiscard]] std::vector<std::vector<double>> spread_along(const std::vector<std::vector<double>>& path,
                                                            std::size_t count);

}  // namespace abut::plan

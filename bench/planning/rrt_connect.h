// RRT-Connect of OMPL with a checker: how long until it has a path.
#pragma once

#include "peer.h"

#include <cstdint>

namespace abut::bench {

struct PlannerRun {
  bool is_solved = false;
  double seconds = 0.0;  ///< Processor time, until solved or given up.
};

/// The planner as it comes, without simplification of the path. Sampled motions are OMPL's own, a state every 0.07
/// (Euclidean, over radians and metres alike); certified ones are the checker's.
/// @param seed  > 0; runs with the same seed and the same answers are the same.
[[nodiscard]] PlannerRun run_rrt_connect(const PlanningRobot& robot, const PlanningProblem& problem, PlanningPeer& peer,
                                         Certainty certainty, std::uint32_t seed, double limit_seconds);

}  // namespace abut::bench

// The pairs of a step whose solver stopped at its iteration limit, with all that is needed to ask them again.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/world/scene.h>

#include <vector>

namespace abut {

struct UnconvergedPair {
  BodyPair pair;
  Separation separation;    ///< What the step found; its status is SolveStatus::iteration_limit.
  DistanceOptions options;  ///< What the solver was given.
  PairCache start;          ///< The pair's warm-start memory before the step.
};

/// Those that the last step solved, in slot order: as many as StepStatistics::not_converged says.
/// @throws InvalidInput  naming body_a or body_b of a pair that has been moved, reshaped or removed since.
[[nodiscard]] std::vector<UnconvergedPair> unconverged_pairs(const Scene& scene);

}  // namespace abut

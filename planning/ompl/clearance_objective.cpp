// Clearances as costs; the integral along a motion is the base class's.
#include <abut/core/error.h>
#include <abut/planning/ompl/clearance_objective.h>
#include <abut/planning/ompl/detail/same_space.h>
#include <abut/planning/ompl/state_space.h>

#include <algorithm>

namespace abut {

ClearanceObjective::ClearanceObjective(const ompl::base::SpaceInformationPtr& information,
                                       const ValidityChecker& checker, const ClearanceObjectiveOptions& options)
    : StateCostIntegralObjective(information, /*enableMotionCostInterpolation=*/true),
      checker_(checker),
      options_(options),
      states_(checker) {
  detail::require_same_space(*information, checker);
  require_positive("ample_clearance", options_.ample_clearance);
  require_positive("least_clearance", options_.least_clearance);
  if (!(options_.least_clearance < options_.ample_clearance)) {
    throw InvalidInput("least_clearance", "must be less than ample_clearance", options_.least_clearance);
  }
  description_ = "Clearance";
}

ompl::base::Cost ClearanceObjective::stateCost(const ompl::base::State* state) const {
  const double distance = checker_.clearance(configuration_of(state, checker_.dimension()), states_.local()).distance;
  const double clipped = std::clamp(distance, options_.least_clearance, options_.ample_clearance);
  return ompl::base::Cost(options_.ample_clearance / clipped);
}

ompl::base::Cost ClearanceObjective::motionCostHeuristic(const ompl::base::State* s1,
                                                         const ompl::base::State* s2) const {
  return ompl::base::Cost(si_->distance(s1, s2));
}

}  // namespace abut

// An objective for OMPL's optimising planners: short paths that keep away from everything.
#pragma once

#include <abut/planning/ompl/detail/thread_states.h>
#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/objectives/StateCostIntegralObjective.h>

namespace abut {

struct ClearanceObjectiveOptions {
  /// Metres, finite, > 0: more clearance than this is not rewarded.
  double ample_clearance = 0.1;
  /// Metres, > 0, less than ample_clearance: less clearance than this costs no more.
  double least_clearance = 0.005;
};

/// The cost of a path is its length, each piece weighted by ample_clearance / clearance, with the clearance clipped to
/// [least_clearance, ample_clearance]. Where there is ample room a path costs its length, in contact
/// ample_clearance / least_clearance times as much: 20 by default. As no piece costs less than its length, the distance
/// of two states is an admissible estimate of what the motion between them costs, and planners are told so.
///
/// The integral is taken in steps of the space's longest valid segment (StateSpace::setLongestValidSegmentFraction).
class ClearanceObjective : public ompl::base::StateCostIntegralObjective {
 public:
  /// @param checker  Whose clearance counts. It need not be the planner's: links that are always near each other hide
  ///                 the obstacles' clearance, and one where their pairs are disabled does not see them.
  /// @throws InvalidInput  naming the option, or "state space" when it is none as make_state_space makes for a checker
  ///                       of as many variables.
  ClearanceObjective(const ompl::base::SpaceInformationPtr& information, const ValidityChecker& checker,
                     const ClearanceObjectiveOptions& options = {});

  /// From 1 to ample_clearance / least_clearance, no unit.
  [[nodiscard]] ompl::base::Cost stateCost(const ompl::base::State* state) const override;
  /// Their distance.
  [[nodiscard]] ompl::base::Cost motionCostHeuristic(const ompl::base::State* s1,
                                                     const ompl::base::State* s2) const override;

 private:
  ValidityChecker checker_;
  ClearanceObjectiveOptions options_;
  detail::ThreadStates states_;
};

}  // namespace abut

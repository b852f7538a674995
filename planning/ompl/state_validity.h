// A checker as OMPL's validity checker of states.
#pragma once

#include <abut/planning/ompl/detail/thread_states.h>
#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/StateValidityChecker.h>

namespace abut {

/// Answers as the checker does, from any number of threads at once. Bounds are not looked at: OMPL itself keeps to
/// them, and straight motions between states within bounds stay within.
///
/// Clearance is the checker's: a signed distance in metres between bodies, the robot's own links among them, not a
/// distance between states; infinite where no pair is tested.
class CheckerStateValidity : public ompl::base::StateValidityChecker {
 public:
  /// @throws InvalidInput  naming "state space" when it is none as make_state_space makes for this checker.
  CheckerStateValidity(const ompl::base::SpaceInformationPtr& information, const ValidityChecker& checker);

  [[nodiscard]] bool isValid(const ompl::base::State* state) const override;
  /// @param distance  Written: the clearance.
  [[nodiscard]] bool isValid(const ompl::base::State* state, double& distance) const override;
  /// @param validState, validStateAvailable  As of clearance().
  [[nodiscard]] bool isValid(const ompl::base::State* state, double& distance, ompl::base::State* validState,
                             bool& validStateAvailable) const override;

  [[nodiscard]] double clearance(const ompl::base::State* state) const override;
  /// Also looks for a valid state beside an invalid one: a few steps along the gradient of the clearance, within the
  /// space's bounds.
  /// @param validState  Written when there is one; not null, may be `state` itself.
  /// @param validStateAvailable  Written: false for a state that is valid, and where the steps do not lead out.
  [[nodiscard]] double clearance(const ompl::base::State* state, ompl::base::State* validState,
                                 bool& validStateAvailable) const override;

  [[nodiscard]] const ValidityChecker& checker() const { return checker_; }

 private:
  ValidityChecker checker_;
  detail::ThreadStates states_;
};

}  // namespace abut

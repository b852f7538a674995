// A checker as OMPL's validator of motions.
#pragma once

#include <abut/planning/ompl/detail/thread_states.h>
#include <abut/planning/validity_checker.h>
#include <ompl/base/MotionValidator.h>
#include <ompl/base/SpaceInformation.h>

#include <optional>
#include <utility>

namespace abut {

struct MotionValidityOptions {
  /// Radians or metres, > 0: motions are looked at in steps in which no variable changes by more. Without it they are
  /// certified: valid only when it is proven for every state of the motion.
  std::optional<double> resolution;
};

/// Answers as the checker does, from any number of threads at once, and counts motions as OMPL does. Unlike OMPL's
/// validators it does not assume that the first state is valid: a motion that starts in collision is invalid.
class CheckerMotionValidity : public ompl::base::MotionValidator {
 public:
  /// @throws InvalidInput  naming "resolution", or "state space" when it is none as make_state_space makes for this
  ///                       checker.
  CheckerMotionValidity(const ompl::base::SpaceInformationPtr& information, const ValidityChecker& checker,
                        const MotionValidityOptions& options = {});

  [[nodiscard]] bool checkMotion(const ompl::base::State* s1, const ompl::base::State* s2) const override;
  /// @param lastValid  Written when the motion is invalid only. second: how far it is valid, 0 to 1; first, which may
  /// be
  ///     null, s1 or s2: the state there, which is itself valid; s1 at 0, also where s1 is invalid.
  [[nodiscard]] bool checkMotion(const ompl::base::State* s1, const ompl::base::State* s2,
                                 std::pair<ompl::base::State*, double>& lastValid) const override;

  [[nodiscard]] const ValidityChecker& checker() const { return checker_; }

 private:
  [[nodiscard]] bool counted(bool is_valid) const;

  ValidityChecker checker_;
  MotionValidityOptions options_;
  detail::ThreadStates states_;
};

}  // namespace abut

// Motions handed on to the checker, and the state in which an invalid one ends.
#include <abut/core/error.h>
#include <abut/planning/ompl/detail/same_space.h>
#include <abut/planning/ompl/motion_validity.h>
#include <abut/planning/ompl/state_space.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

namespace abut {

CheckerMotionValidity::CheckerMotionValidity(const ompl::base::SpaceInformationPtr& information,
                                             const ValidityChecker& checker, const MotionValidityOptions& options)
    : MotionValidator(information), checker_(checker), options_(options), states_(checker) {
  detail::require_same_space(*information, checker);
  if (options_.resolution) require_positive("resolution", *options_.resolution);
}

bool CheckerMotionValidity::checkMotion(const ompl::base::State* s1, const ompl::base::State* s2) const {
  const std::span<const double> from = configuration_of(s1, checker_.dimension());
  const std::span<const double> to = configuration_of(s2, checker_.dimension());
  ValidityChecker::State& scratch = states_.local();
  return counted(options_.resolution ? checker_.is_motion_valid(from, to, *options_.resolution, scratch)
                                     : checker_.is_motion_valid(from, to, scratch));
}

bool CheckerMotionValidity::checkMotion(const ompl::base::State* s1, const ompl::base::State* s2,
                                        std::pair<ompl::base::State*, double>& lastValid) const {
  const std::size_t dimension = checker_.dimension();
  const std::span<const double> from = configuration_of(s1, dimension);
  const std::span<const double> to = configuration_of(s2, dimension);
  ValidityChecker::State& scratch = states_.local();
  const MotionCheck check = options_.resolution ? checker_.check_motion(from, to, *options_.resolution, scratch)
                                                : checker_.check_motion(from, to, scratch);
  if (check.is_valid) return counted(true);

  // The space interpolates by its own formula: rounding may part its state from the checker's, and a state that is
  // called valid has to be.
  const ompl::base::StateSpace& space = *si_->getStateSpace();
  double fraction = std::max(check.last_valid, 0.0);
  ompl::base::State* last = space.allocState();
  space.interpolate(s1, s2, fraction, last);
  if (fraction > 0.0 && !checker_.is_valid(configuration_of(last, dimension), scratch)) {
    fraction = 0.0;
    space.copyState(last, s1);
  }
  if (lastValid.first != nullptr) space.copyState(lastValid.first, last);
  lastValid.second = fraction;
  space.freeState(last);
  return counted(false);
}

bool CheckerMotionValidity::counted(bool is_valid) const {
  // The base class counts in plain numbers that all threads share.
  std::atomic_ref<unsigned>(is_valid ? valid_ : invalid_).fetch_add(1, std::memory_order_relaxed);
  return is_valid;
}

}  // namespace abut

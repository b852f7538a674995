// Questions handed on to the checker, and Newton steps out of a collision.
#include <abut/planning/ompl/detail/same_space.h>
#include <abut/planning/ompl/state_space.h>
#include <abut/planning/ompl/state_validity.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace abut {
namespace {

constexpr int kStepsOut = 8;             // each ends one pair's overlap, where the pair moves straight
constexpr double kRoomBehind = 1e-3;     // metres that a step aims to leave, so that bends do not undo it
constexpr double kLeastSlope = 1e-6;     // metres a radian: less says nothing of where to go
constexpr double kLongestStepOut = 0.5;  // radians or metres: gradients are of the place where they are taken

}  // namespace

CheckerStateValidity::CheckerStateValidity(const ompl::base::SpaceInformationPtr& information,
                                           const ValidityChecker& checker)
    : StateValidityChecker(information), checker_(checker), states_(checker) {
  detail::require_same_space(*information, checker);
  specs_.clearanceComputationType = ompl::base::StateValidityCheckerSpecs::EXACT;
  specs_.hasValidDirectionComputation = true;
}

bool CheckerStateValidity::isValid(const ompl::base::State* state) const {
  return checker_.is_valid(configuration_of(state, checker_.dimension()), states_.local());
}

bool CheckerStateValidity::isValid(const ompl::base::State* state, double& distance) const {
  distance = clearance(state);
  return isValid(state);
}

bool CheckerStateValidity::isValid(const ompl::base::State* state, double& distance, ompl::base::State* validState,
                                   bool& validStateAvailable) const {
  const bool is_valid = isValid(state);  // before validState, which may be the same, is written
  distance = clearance(state, validState, validStateAvailable);
  return is_valid;
}

double CheckerStateValidity::clearance(const ompl::base::State* state) const {
  return checker_.clearance(configuration_of(state, checker_.dimension()), states_.local()).distance;
}

double CheckerStateValidity::clearance(const ompl::base::State* state, ompl::base::State* validState,
                                       bool& validStateAvailable) const {
  validStateAvailable = false;
  const std::size_t dimension = checker_.dimension();
  const std::span<const double> start = configuration_of(state, dimension);
  ValidityChecker::State& scratch = states_.local();
  if (checker_.is_valid(start, scratch)) return clearance(state);

  const ompl::base::StateSpace& space = *si_->getStateSpace();
  ompl::base::State* moved = space.allocState();
  space.copyState(moved, state);
  std::vector<double> gradient(dimension);
  double distance = 0.0;
  for (int step = 0; step <= kStepsOut; ++step) {
    const double here = checker_.clearance(configuration_of(moved, dimension), scratch, gradient).distance;
    if (step == 0) {
      distance = here;
    } else if (checker_.is_valid(configuration_of(moved, dimension), scratch)) {
      space.copyState(validState, moved);
      validStateAvailable = true;
      break;
    }
    double slope_sq = 0.0;
    for (const double slope : gradient) slope_sq += slope * slope;
    if (!(slope_sq > kLeastSlope * kLeastSlope)) break;
    const double length = (kRoomBehind - here) / std::sqrt(slope_sq);
    const double factor = std::min(length, kLongestStepOut) / std::sqrt(slope_sq);
    for (std::size_t i = 0; i < dimension; ++i) {
      *space.getValueAddressAtIndex(moved, static_cast<unsigned>(i)) += factor * gradient[i];
    }
    space.enforceBounds(moved);
  }
  space.freeState(moved);
  return distance;
}

}  // namespace abut

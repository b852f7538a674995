// What all parts of the adaptor ask of the space that they are used with.
#pragma once

#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>

namespace abut::detail {

/// @throws InvalidInput  naming "state space" when its states are not configurations of the checker.
void require_same_space(const ompl::base::SpaceInformation& information, const ValidityChecker& checker);

}  // namespace abut::detail

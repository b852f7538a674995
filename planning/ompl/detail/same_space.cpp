// The kind of space and its dimension; that the dimensions mean the same is the caller's business.
#include <abut/core/error.h>
#include <abut/planning/ompl/detail/same_space.h>

#include <string>

namespace abut::detail {

void require_same_space(const ompl::base::SpaceInformation& information, const ValidityChecker& checker) {
  const ompl::base::StateSpace& space = *information.getStateSpace();
  if (space.getType() == ompl::base::STATE_SPACE_REAL_VECTOR && space.getDimension() == checker.dimension()) return;
  throw InvalidInput("state space", "must be a RealVectorStateSpace of the checker's " +
                                        std::to_string(checker.dimension()) + " variables, as make_state_space makes");
}

}  // namespace abut::detail

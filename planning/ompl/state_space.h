// OMPL's state space of a checker's configurations.
#pragma once

#include <abut/planning/validity_checker.h>
#include <ompl/base/SpaceInformation.h>
#include <ompl/base/State.h>
#include <ompl/base/StateSpace.h>

#include <span>
#include <string>
#include <vector>

namespace abut {

/// Where a planner may put a variable.
struct VariableBounds {
  std::string variable;
  double lower = 0.0;  ///< Radians or metres, finite, less than upper.
  double upper = 0.0;
};

/// A RealVectorStateSpace whose dimensions are the checker's variables, in their order and by their names, with the
/// variables' limits as bounds.
///
/// An angle without limits gets the bounds -pi and pi. They are walls, not a seam: the checker's straight motion from a
/// to b turns by b - a, while OMPL's SO2StateSpace would turn the shorter way round, through states that were not
/// checked. Every pose of the joint can be reached, but no motion crosses pi, and starts and goals must be given in
/// these bounds; wider ones, such as -2 pi to 2 pi, let the joint turn further.
///
/// @param bounds  Take the place of limits. A variable that slides without limits needs some.
/// @throws InvalidInput  naming the variable: without bounds though it slides without limits, with no room between its
///                       limits (leave it out of ValidityOptions::variables), given twice or not the checker's.
[[nodiscard]] ompl::base::StateSpacePtr make_state_space(const ValidityChecker& checker,
                                                         std::span<const VariableBounds> bounds = {});

/// The numbers of a state of such a space, which are a configuration of the checker.
/// @param dimension  Of the space.
[[nodiscard]] std::span<const double> configuration_of(const ompl::base::State* state, std::size_t dimension);

/// The same as a copy. @param space  Made by make_state_space.
[[nodiscard]] std::vector<double> configuration_of(const ompl::base::State* state, const ompl::base::StateSpace& space);

/// Writes a configuration into a state of such a space. @throws InvalidInput  naming "configuration" on another size.
void set_configuration(const ompl::base::StateSpace& space, std::span<const double> configuration,
                       ompl::base::State* state);

}  // namespace abut

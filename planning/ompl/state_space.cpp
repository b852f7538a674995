// Bounds from limits, and configurations in and out of states.
#include <abut/core/error.h>
#include <abut/planning/ompl/state_space.h>
#include <ompl/base/spaces/RealVectorStateSpace.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace abut {
namespace {

using RealVectorState = ompl::base::RealVectorStateSpace::StateType;

void require_known_variables(const ValidityChecker& checker, std::span<const VariableBounds> bounds) {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto has_name = [&](std::size_t variable) {
      return checker.robot().variables()[variable].name == bounds[i].variable;
    };
    if (std::none_of(checker.variables().begin(), checker.variables().end(), has_name)) {
      throw InvalidInput("bounds", "must be of the checker's variables, got \"" + bounds[i].variable + "\"");
    }
    const auto is_same = [&](const VariableBounds& other) { return other.variable == bounds[i].variable; };
    if (std::any_of(bounds.begin(), bounds.begin() + static_cast<std::ptrdiff_t>(i), is_same)) {
      throw InvalidInput("bounds", "must name a variable once, got \"" + bounds[i].variable + "\" twice");
    }
  }
}

VariableBounds bounds_of(const RobotVariable& variable, std::span<const VariableBounds> bounds) {
  for (const VariableBounds& given : bounds) {
    if (given.variable != variable.name) continue;
    if (!(std::isfinite(given.lower) && std::isfinite(given.upper) && given.lower < given.upper)) {
      throw InvalidInput(variable.name, "must have finite bounds, the lower less than the upper");
    }
    return given;
  }
  if (!std::isfinite(variable.lower) || !std::isfinite(variable.upper)) {
    throw InvalidInput(variable.name, "has no limits: bounds must be given to plan with it");
  }
  if (!(variable.lower < variable.upper)) {
    throw InvalidInput(variable.name, "has no room between its limits: must not be one of the checker's variables");
  }
  return {variable.name, variable.lower, variable.upper};
}

}  // namespace

ompl::base::StateSpacePtr make_state_space(const ValidityChecker& checker, std::span<const VariableBounds> bounds) {
  require_known_variables(checker, bounds);
  auto space = std::make_shared<ompl::base::RealVectorStateSpace>();
  space->setName(checker.robot().name());
  for (const std::size_t variable : checker.variables()) {
    const VariableBounds found = bounds_of(checker.robot().variables()[variable], bounds);
    space->addDimension(found.variable, found.lower, found.upper);
  }
  return space;
}

std::span<const double> configuration_of(const ompl::base::State* state, std::size_t dimension) {
  return {state->as<RealVectorState>()->values, dimension};
}

std::vector<double> configuration_of(const ompl::base::State* state, const ompl::base::StateSpace& space) {
  const std::span<const double> values = configuration_of(state, space.getDimension());
  return {values.begin(), values.end()};
}

void set_configuration(const ompl::base::StateSpace& space, std::span<const double> configuration,
                       ompl::base::State* state) {
  if (configuration.size() != space.getDimension()) {
    throw InvalidInput("configuration", "must have " + std::to_string(space.getDimension()) + " numbers",
                       static_cast<double>(configuration.size()));
  }
  std::copy(configuration.begin(), configuration.end(), state->as<RealVectorState>()->values);
}

}  // namespace abut

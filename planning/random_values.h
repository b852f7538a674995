// Random configurations that are the same with every standard library; the distributions of <random> are not.
#pragma once

#include <abut/planning/robot_model.h>

#include <cstdint>
#include <random>
#include <vector>

namespace abut {

/// One value a variable, each uniform in [lower, upper), with one call of `generator` each. Where
/// RobotVariable::has_range() is false an angle is anywhere in [-pi, pi), and a length stays at its default.
[[nodiscard]] std::vector<double> random_values(const RobotModel& robot, std::mt19937_64& generator);

/// A generator for one of many pieces of work: different pieces and seeds give unlike sequences.
[[nodiscard]] std::mt19937_64 generator_for(std::uint64_t seed, std::uint64_t piece);

}  // namespace abut

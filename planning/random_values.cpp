#include <abut/planning/random_values.h>

#include <algorithm>
#include <numbers>

namespace abut {
namespace {

// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014), SplitMix64.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31);
}

}  // namespace

std::vector<double> random_values(const RobotModel& robot, std::mt19937_64& generator) {
  std::vector<double> values;
  values.reserve(robot.variables().size());
  for (const RobotVariable& variable : robot.variables()) {
    const double fraction = static_cast<double>(generator() >> 11) * 0x1.0p-53;  // 53 bits: [0, 1)
    if (!variable.has_range()) {
      values.push_back(variable.is_angle ? std::numbers::pi * (2.0 * fraction - 1.0) : variable.default_value());
      continue;
    }
    const double range = variable.upper - variable.lower;
    values.push_back(std::min(variable.lower + range * fraction, variable.upper));  // rounding may pass it by a bit
  }
  return values;
}

std::mt19937_64 generator_for(std::uint64_t seed, std::uint64_t piece) {
  return std::mt19937_64(mixed(mixed(seed) ^ piece));
}

}  // namespace abut

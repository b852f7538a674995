// Infinity under a name: what an absent bound is.
#pragma once

#include <limits>

namespace abut {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();

}  // namespace abut

// Random lengths over orders of magnitude.
#pragma once

#include <support/random.h>

#include <cmath>

namespace abut::samples {

/// A number whose logarithm is spread evenly. @param least  > 0.
[[nodiscard]] inline double log_uniform(double least, double most, Random& random) {
  return least * std::pow(most / least, random.uniform(0.0, 1.0));
}

}  // namespace abut::samples

// The time of one short call.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace abut::study {

[[nodiscard]] inline double nanoseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// What two readings of the clock take by themselves, nanoseconds: the median of many.
[[nodiscard]] inline double clock_cost() {
  static const double cost = [] {
    std::vector<double> samples(1001);
    for (double& sample : samples) sample = nanoseconds_since(std::chrono::steady_clock::now());
    std::nth_element(samples.begin(), samples.begin() + 500, samples.end());
    return samples[500];
  }();
  return cost;
}

/// Nanoseconds of a call, less the cost of the clock.
template <class Call>
[[nodiscard]] double timed(const Call& call) {
  const double cost = clock_cost();
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::max(0.0, nanoseconds_since(start) - cost);
}

}  // namespace abut::study

// What is kept of many samples.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace abut::study {

struct Summary {
  double mean = 0.0;
  double deviation = 0.0;  ///< Standard deviation.
  double p05 = 0.0;        ///< Quantiles.
  double p25 = 0.0;
  double p50 = 0.0;
  double p75 = 0.0;
  double p95 = 0.0;
};

/// @param samples  At least one.
[[nodiscard]] inline Summary summary_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto quantile = [&samples](double p) {
    return samples[static_cast<std::size_t>(std::lround(p * static_cast<double>(samples.size() - 1)))];
  };
  Summary result;
  const auto count = static_cast<double>(samples.size());
  for (const double sample : samples) result.mean += sample / count;
  for (const double sample : samples) result.deviation += (sample - result.mean) * (sample - result.mean) / count;
  result.deviation = std::sqrt(result.deviation);
  result.p05 = quantile(0.05);
  result.p25 = quantile(0.25);
  result.p50 = quantile(0.5);
  result.p75 = quantile(0.75);
  result.p95 = quantile(0.95);
  return result;
}

}  // namespace abut::study

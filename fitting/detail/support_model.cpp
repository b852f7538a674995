#include <abut/fitting/detail/support_model.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace abut::detail {

double support_model(std::span<const double> points, double sharpness, const Vector3d& direction,
                     std::span<double> by_points, double* by_sharpness) {
  const auto height = [&](std::size_t i) {
    return points[i] * direction.x() + points[i + 1] * direction.y() + points[i + 2] * direction.z();
  };
  double largest = 0.0;
  for (std::size_t i = 0; i < points.size(); i += 3) largest = std::max(largest, height(i));
  std::fill(by_points.begin(), by_points.end(), 0.0);
  if (by_sharpness != nullptr) *by_sharpness = 0.0;
  if (!(largest > 0.0)) return 0.0;

  // Relative to the largest one, no power overflows, whatever the unit and however large β.
  double sum = 0.0;
  double log_sum = 0.0;
  for (std::size_t i = 0; i < points.size(); i += 3) {
    const double t = height(i) / largest;
    if (!(t > 0.0)) continue;
    const double log_t = std::log(t);
    const double power = std::exp((sharpness - 1.0) * log_t);
    sum += power * t;
    log_sum += power * t * log_t;
    if (!by_points.empty()) by_points[i] = power;
  }
  const double log_total = std::log(sum);
  const double value = largest * std::exp(log_total / sharpness);
  if (!by_points.empty()) {
    const double scale = std::exp(-log_total * (sharpness - 1.0) / sharpness);
    for (std::size_t i = 0; i < points.size(); i += 3) {
      const double weight = scale * by_points[i];
      for (std::size_t k = 0; k < 3; ++k) by_points[i + k] = weight * direction[static_cast<Eigen::Index>(k)];
    }
  }
  if (by_sharpness != nullptr) *by_sharpness = value * (log_sum / sum - log_total / sharpness) / sharpness;
  return value;
}

}  // namespace abut::detail

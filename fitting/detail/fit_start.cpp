#include <abut/fitting/detail/fit_start.h>
#include <abut/fitting/detail/support_model.h>

#include <algorithm>
#include <cstddef>

namespace abut::detail {
namespace {

void append_to(std::vector<double>& points, const Vector3d& point) {
  points.insert(points.end(), {point.x(), point.y(), point.z()});
}

}  // namespace

std::vector<double> greedy_points(const ConvexHull& hull, const Vector3d& center, double size,
                                  const SupportSamples& samples, int count) {
  constexpr double kNothingMissing = 1e-6;
  constexpr double kIdle = 0.2;
  std::vector<double> points;
  std::vector<double> reached(samples.values.size(), 0.0);
  for (int i = 0; i < count; ++i) {
    std::size_t farthest = 0;
    double missing = -1.0;
    for (std::size_t j = 0; j < reached.size(); ++j) {
      if (samples.values[j] - reached[j] > missing) {
        missing = samples.values[j] - reached[j];
        farthest = j;
      }
    }
    Vector3d point = (hull.core_support(samples.directions[farthest]) - center) / size;
    if (missing < kNothingMissing) {
      point = kIdle * (hull.core_support(even_direction(i, count)) - center) / size;
    } else {
      for (std::size_t j = 0; j < reached.size(); ++j) {
        reached[j] = std::max(reached[j], point.dot(samples.directions[j]));
      }
    }
    append_to(points, point);
  }
  return points;
}

std::vector<double> even_points(const ConvexHull& hull, const Vector3d& center, double size, int count) {
  std::vector<double> points;
  for (int i = 0; i < count; ++i) append_to(points, (hull.core_support(even_direction(i, count)) - center) / size);
  return points;
}

void scale_to_samples(std::vector<double>& points, double sharpness, const SupportSamples& samples) {
  double product = 0.0;
  double square = 0.0;
  for (std::size_t j = 0; j < samples.directions.size(); ++j) {
    const double value = support_model(points, sharpness, samples.directions[j], {}, nullptr);
    const double weight = samples.weights[j] * samples.weights[j];
    product += weight * value * samples.values[j];
    square += weight * value * value;
  }
  if (!(product > 0.0 && square > 0.0)) return;
  for (double& coordinate : points) coordinate *= product / square;
}

}  // namespace abut::detail

// Point sets whose hulls are hard in different ways.
#pragma once

#include <abut/core/pose.h>
#include <support/random.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace abut::samples {

/// Evenly spread points of the unit sphere, none of them inside the hull of the others.
inline std::vector<Vector3d> fibonacci_sphere(int count) {
  const double golden_angle = std::numbers::pi * (3.0 - std::sqrt(5.0));
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / count;
    const double radius = std::sqrt(1.0 - z * z);
    points.emplace_back(radius * std::cos(golden_angle * i), radius * std::sin(golden_angle * i), z);
  }
  return points;
}

inline std::vector<Vector3d> random_sphere(int count, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(random.direction());
  return points;
}

/// In the unit ball, none near its centre.
inline std::vector<Vector3d> random_points(int count, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(random.uniform(0.3, 1.0) * random.direction());
  return points;
}

/// The unit cube filled with (steps + 1)³ points: many lie on faces and edges, eight are corners.
inline std::vector<Vector3d> cube_grid(int steps) {
  std::vector<Vector3d> points;
  for (int i = 0; i <= steps; ++i) {
    for (int j = 0; j <= steps; ++j) {
      for (int k = 0; k <= steps; ++k) {
        points.emplace_back(static_cast<double>(i) / steps, static_cast<double>(j) / steps,
                            static_cast<double>(k) / steps);
      }
    }
  }
  return points;
}

/// Two regular polygons on the unit circle, at z = ±0.5.
inline std::vector<Vector3d> prism(int sides) {
  std::vector<Vector3d> points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / sides;
    points.emplace_back(std::cos(angle), std::sin(angle), -0.5);
    points.emplace_back(std::cos(angle), std::sin(angle), 0.5);
  }
  return points;
}

/// scale applied first, then the pose.
inline std::vector<Vector3d> moved(std::vector<Vector3d> points, const Vector3d& scale, const Pose& pose) {
  for (Vector3d& point : points) point = pose * scale.cwiseProduct(point);
  return points;
}

}  // namespace abut::samples

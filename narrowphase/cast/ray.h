// A ray, as all ray casts take it.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace abut {

using Eigen::Vector3d;

/// The points origin + t direction, 0 <= t <= max_t.
struct Ray {
  Vector3d origin = Vector3d::Zero();     ///< Metres, world frame, finite.
  Vector3d direction = Vector3d::Zero();  ///< Metres per unit of t: any length, finite; zero asks at the origin alone.
  double max_t = std::numeric_limits<double>::infinity();  ///< >= 0, may be infinite.
};

/// @throws InvalidInput  naming "origin", "direction" or "max_t".
void require_ray(const Ray& ray);

}  // namespace abut

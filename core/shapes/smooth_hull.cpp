// Smooth hull: checks, and the gradient of its support function.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework".
#include <abut/core/error.h>
#include <abut/core/shapes/smooth_hull.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace abut {

SmoothHull::SmoothHull(std::vector<Vector3d> points, double sharpness) : sharpness_(sharpness) {
  if (points.empty()) throw InvalidInput("points", "must have at least one point");
  for (std::size_t i = 0; i < points.size(); ++i) require_finite("points[" + std::to_string(i) + "]", points[i]);
  if (!(sharpness > 2.0 && std::isfinite(sharpness))) {
    throw InvalidInput("sharpness", "must be finite and > 2", sharpness);
  }
  points_ = std::make_shared<const std::vector<Vector3d>>(std::move(points));
  Vector3d half_extents;
  for (int i = 0; i < 3; ++i) {
    const double upper = core_support(Vector3d::Unit(i))[i];
    const double lower = core_support(-Vector3d::Unit(i))[i];
    center_[i] = 0.5 * (upper + lower);
    half_extents[i] = 0.5 * (upper - lower);
  }
  extent_ = half_extents.norm();
}

Vector3d SmoothHull::core_support(const Vector3d& direction) const {
  double largest = 0.0;
  for (const Vector3d& point : *points_) largest = std::max(largest, point.dot(direction));
  if (!(largest > 0.0)) return Vector3d::Zero();
  // With t = max(p·x, 0) / largest in [0, 1] and S = Σ t^β, the weight (t largest / h)^(β-1) is t^(β-1) / S^((β-1)/β).
  double sum = 0.0;
  Vector3d weighted = Vector3d::Zero();
  for (const Vector3d& point : *points_) {
    const double t = point.dot(direction) / largest;
    if (!(t > 0.0)) continue;
    const double power = std::pow(t, sharpness_ - 1.0);
    sum += power * t;
    weighted += power * point;
  }
  return weighted / std::pow(sum, (sharpness_ - 1.0) / sharpness_);
}

}  // namespace abut

// Smooth solid of revolution: checks, and the gradient of its support function.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework".
#include <abut/core/error.h>
#include <abut/core/shapes/smooth_revolution.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace abut {

SmoothRevolution::SmoothRevolution(std::vector<Eigen::Vector2d> profile, double sharpness, double flatness)
    : sharpness_(sharpness), flatness_(flatness) {
  if (profile.empty()) throw InvalidInput("profile", "must have at least one point");
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const std::string name = "profile[" + std::to_string(i) + "]";
    require_not_negative(name + "[0]", profile[i].x());
    require_finite(name + "[1]", profile[i].y());
  }
  if (!(sharpness > 2.0 && std::isfinite(sharpness))) {
    throw InvalidInput("sharpness", "must be finite and > 2", sharpness);
  }
  require_positive("flatness", flatness);
  profile_ = std::make_shared<const std::vector<Eigen::Vector2d>>(std::move(profile));
  const double top = core_support(Vector3d::UnitZ()).z();
  const double bottom = core_support(-Vector3d::UnitZ()).z();
  center_ = Vector3d(0.0, 0.0, 0.5 * (top + bottom));
  const double side = core_support(Vector3d::UnitX()).x();
  extent_ = Vector3d(side, side, 0.5 * (top - bottom)).norm();
}

Vector3d SmoothRevolution::core_support(const Vector3d& direction) const {
  const double w = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y() +
                             flatness_ * direction.z() * direction.z());
  if (!(w > 0.0)) return Vector3d::Zero();
  const Eigen::Vector2d planar(w, direction.z());
  double largest = 0.0;
  for (const Eigen::Vector2d& point : *profile_) largest = std::max(largest, point.dot(planar));
  if (!(largest > 0.0)) return Vector3d::Zero();
  // As for the smooth hull, in the plane of (w, x₃); then the chain rule through w.
  double sum = 0.0;
  Eigen::Vector2d weighted = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& point : *profile_) {
    const double t = point.dot(planar) / largest;
    if (!(t > 0.0)) continue;
    const double power = std::pow(t, sharpness_ - 1.0);
    sum += power * t;
    weighted += power * point;
  }
  weighted /= std::pow(sum, (sharpness_ - 1.0) / sharpness_);
  const double radial = weighted.x() / w;
  return {radial * direction.x(), radial * direction.y(), radial * flatness_ * direction.z() + weighted.y()};
}

}  // namespace abut

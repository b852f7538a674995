// Padded polygon: its corners, checked, and its support function.
#include <abut/core/convex_polygon.h>
#include <abut/core/error.h>
#include <abut/core/shapes/padded_polygon.h>

namespace abut {

PaddedPolygon::PaddedPolygon(std::span<const Eigen::Vector2d> points, double radius)
    : points_(std::make_shared<const std::vector<Eigen::Vector2d>>(convex_polygon(points))),
      radius_(radius),
      center_(Vector3d::Zero()) {
  require_not_negative("radius", radius);
  for (const Eigen::Vector2d& point : *points_) center_.head<2>() += point / static_cast<double>(points_->size());
}

Vector3d PaddedPolygon::core_support(const Vector3d& direction) const {
  const Eigen::Vector2d planar = direction.head<2>();
  const Eigen::Vector2d* best = &points_->front();
  double largest = best->dot(planar);
  for (const Eigen::Vector2d& point : *points_) {
    const double value = point.dot(planar);
    if (value > largest) {
      largest = value;
      best = &point;
    }
  }
  return {best->x(), best->y(), 0.0};
}

}  // namespace abut

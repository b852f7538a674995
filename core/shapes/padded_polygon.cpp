// Padded polygon: its corners, checked, its sides, and its support function.
#include <abut/core/convex_polygon.h>
#include <abut/core/error.h>
#include <abut/core/half_plane_polygon.h>
#include <abut/core/shapes/padded_polygon.h>
#include <abut/core/thinned_ring.h>

#include <algorithm>
#include <cmath>

namespace abut {

PaddedPolygon::PaddedPolygon(std::span<const Eigen::Vector2d> points, double radius)
    : radius_(radius), center_(Vector3d::Zero()) {
  Outline outline;
  outline.points = convex_polygon(points);
  require_not_negative("radius", radius);
  const std::size_t count = outline.points.size();
  for (const Eigen::Vector2d& point : outline.points) center_.head<2>() += point / static_cast<double>(count);
  std::vector<Vector3d> ring;
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector2d& point = outline.points[i];
    const Eigen::Vector2d along = (outline.points[(i + 1) % count] - point).stableNormalized();
    const Eigen::Vector2d normal(along.y(), -along.x());
    outline.sides.push_back({normal, normal.dot(point)});
    outline.reach = std::max(outline.reach, (point - center_.head<2>()).stableNorm());
    ring.emplace_back(point.x(), point.y(), 0.0);
  }
  outline.contact_corners = detail::thinned_ring(ring, kMostContactCorners);
  outline_ = std::make_shared<const Outline>(std::move(outline));
}

PaddedPolygon PaddedPolygon::from_half_planes(std::span<const HalfPlane> half_planes, double radius) {
  return PaddedPolygon(half_plane_polygon(half_planes), radius);
}

std::uint32_t PaddedPolygon::support_vertex(const Vector3d& direction) const {
  const Eigen::Vector2d planar = direction.head<2>();
  std::uint32_t best = 0;
  double largest = outline_->points.front().dot(planar);
  for (std::size_t i = 1; i < outline_->points.size(); ++i) {
    const double value = outline_->points[i].dot(planar);
    if (value > largest) {
      largest = value;
      best = static_cast<std::uint32_t>(i);
    }
  }
  return best;
}

}  // namespace abut

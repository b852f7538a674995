#include <abut/core/assert.h>
#include <abut/narrowphase/convex_core.h>

#include <algorithm>
#include <type_traits>
#include <variant>

namespace abut::detail {
namespace {

template <class G>
Vector3d core_support(const void* geometry, const Vector3d& direction, std::uint32_t& start_vertex) {
  const G& shape = *static_cast<const G*>(geometry);
  if constexpr (std::is_same_v<G, ConvexHull>) {
    start_vertex = shape.support_vertex(direction, start_vertex);
    return shape.vertices()[start_vertex];
  } else {
    static_cast<void>(start_vertex);
    return shape.core_support(direction);
  }
}

Vector3d points_support(const void* points, const Vector3d& direction, std::uint32_t& /*start_vertex*/) {
  const std::span<const Vector3d>& span = *static_cast<const std::span<const Vector3d>*>(points);
  std::size_t best = 0;
  double farthest = span[0].dot(direction);
  for (std::size_t i = 1; i < span.size(); ++i) {
    const double along = span[i].dot(direction);
    if (along > farthest) {
      farthest = along;
      best = i;
    }
  }
  return span[best];
}

double largest_distance(std::span<const Vector3d> points, const Vector3d& from) {
  double largest_sq = 0.0;
  for (const Vector3d& point : points) largest_sq = std::max(largest_sq, (point - from).squaredNorm());
  return std::sqrt(largest_sq);
}

double extent_of(const Sphere&) {
  return 0.0;
}
double extent_of(const Ellipsoid& shape) {
  return shape.radii().maxCoeff();
}
double extent_of(const Box& shape) {
  return shape.half_extents().norm();
}
double extent_of(const Capsule& shape) {
  return shape.half_length();
}
double extent_of(const Cylinder& shape) {
  return std::hypot(shape.radius(), shape.half_length());
}
double extent_of(const Cone& shape) {
  return std::hypot(shape.radius(), shape.half_length());
}
double extent_of(const ConvexHull& shape) {
  return shape.obb().half_extents.norm();
}
double extent_of(const Triangle& shape) {
  return largest_distance(shape.points(), shape.center());
}
double extent_of(const Superquadric& shape) {
  return shape.radii().maxCoeff();
}
double extent_of(const SmoothHull& shape) {
  return shape.extent();
}
double extent_of(const SmoothRevolution& shape) {
  return shape.extent();
}
double extent_of(const PaddedPolygon& shape) {
  double largest_sq = 0.0;
  const Eigen::Vector2d center = shape.center().head<2>();
  for (const Eigen::Vector2d& point : shape.points()) largest_sq = std::max(largest_sq, (point - center).squaredNorm());
  return std::sqrt(largest_sq);
}

}  // namespace

template <class G>
ConvexCore ConvexCore::wrap(const G& geometry, double margin) {
  ConvexCore core;
  core.shape_ = &geometry;
  core.support_ = &core_support<G>;
  core.center_ = geometry.center();
  core.radius_ = geometry.sweep_radius() + margin;
  core.extent_ = extent_of(geometry);
  return core;
}

ConvexCore ConvexCore::of(const Shape& shape) {
  return std::visit(
      [&shape](const auto& geometry) {
        if constexpr (ConvexGeometry<std::decay_t<decltype(geometry)>>) {
          return wrap(geometry, shape.margin());
        } else {
          ABUT_ASSERT(false && "only bounded convex shapes have a core");
          return ConvexCore();
        }
      },
      shape.geometry());
}

ConvexCore ConvexCore::of(const Triangle& triangle) {
  return wrap(triangle, 0.0);
}

ConvexCore ConvexCore::of(const std::span<const Vector3d>& points) {
  ConvexCore core;
  core.shape_ = &points;
  core.support_ = &points_support;
  for (const Vector3d& point : points) core.center_ += point;
  core.center_ /= static_cast<double>(points.size());
  core.extent_ = largest_distance(points, core.center_);
  return core;
}

}  // namespace abut::detail

// Vertices of polytopal cores by number: what a pair remembers of its nearest features, safe for any pair that asks.
#pragma once

#include <abut/core/shape.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Of a support point that is no vertex.
inline constexpr std::uint32_t kNoVertex = ~std::uint32_t{0};

/// A point of a core farthest along a direction and, of a polytope, which vertex it is.
struct CorePoint {
  Vector3d point;  ///< Body frame, metres.
  std::uint32_t vertex = kNoVertex;
};

template <class G>
[[nodiscard]] CorePoint core_point(const G& shape, const Vector3d& direction) {
  return {shape.core_support(direction), kNoVertex};
}
[[nodiscard]] inline CorePoint core_point(const ConvexHull& hull, const Vector3d& direction) {
  const std::uint32_t vertex = hull.support_vertex(direction);
  return {hull.vertices()[vertex], vertex};
}
// Numbered by the signs of the coordinates.
[[nodiscard]] inline CorePoint core_point(const Box& box, const Vector3d& direction) {
  const auto bit = [](double value) { return static_cast<std::uint32_t>(std::signbit(value)); };
  return {box.core_support(direction), bit(direction.x()) | bit(direction.y()) << 1 | bit(direction.z()) << 2};
}
[[nodiscard]] inline CorePoint core_point(const Capsule& capsule, const Vector3d& direction) {
  return {capsule.core_support(direction), static_cast<std::uint32_t>(std::signbit(direction.z()))};
}

[[nodiscard]] inline CorePoint core_point(const Sphere& sphere, const Vector3d& /*direction*/) {
  return {sphere.center(), 0};
}

[[nodiscard]] inline CorePoint core_point(const Triangle& triangle, const Vector3d& direction) {
  const auto& points = triangle.points();
  std::uint32_t best = points[1].dot(direction) > points[0].dot(direction) ? 1 : 0;
  if (points[2].dot(direction) > points[best].dot(direction)) best = 2;
  return {points[best], best};
}

[[nodiscard]] inline CorePoint core_point(const PaddedPolygon& polygon, const Vector3d& direction) {
  const std::uint32_t vertex = polygon.support_vertex(direction);
  const Eigen::Vector2d& corner = polygon.points()[vertex];
  return {{corner.x(), corner.y(), 0.0}, vertex};
}

/// The vertex of that number. @return Whether there is one; `point` is written then.
template <class G>
[[nodiscard]] bool core_vertex(const G& /*shape*/, std::uint32_t /*vertex*/, Vector3d& /*point*/) {
  return false;
}
[[nodiscard]] inline bool core_vertex(const ConvexHull& hull, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= hull.vertices().size()) return false;
  point = hull.vertices()[vertex];
  return true;
}
[[nodiscard]] inline bool core_vertex(const Box& box, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= 8) return false;
  for (std::uint32_t axis = 0; axis < 3; ++axis) {
    const double half = box.half_extents()[static_cast<Eigen::Index>(axis)];
    point[static_cast<Eigen::Index>(axis)] = (vertex >> axis & 1u) != 0 ? -half : half;
  }
  return true;
}
[[nodiscard]] inline bool core_vertex(const Capsule& capsule, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= 2) return false;
  point = {0.0, 0.0, vertex == 0 ? capsule.half_length() : -capsule.half_length()};
  return true;
}

[[nodiscard]] inline bool core_vertex(const Sphere& sphere, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= 1) return false;
  point = sphere.center();
  return true;
}

[[nodiscard]] inline bool core_vertex(const Triangle& triangle, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= 3) return false;
  point = triangle.points()[vertex];
  return true;
}

[[nodiscard]] inline bool core_vertex(const PaddedPolygon& polygon, std::uint32_t vertex, Vector3d& point) {
  if (vertex >= polygon.points().size()) return false;
  const Eigen::Vector2d& corner = polygon.points()[vertex];
  point = {corner.x(), corner.y(), 0.0};
  return true;
}

/// Whether every support point of a core is one of its vertices.
template <class G>
inline constexpr bool kIsPolytope = false;
template <>
inline constexpr bool kIsPolytope<ConvexHull> = true;
template <>
inline constexpr bool kIsPolytope<Box> = true;
template <>
inline constexpr bool kIsPolytope<Capsule> = true;
template <>
inline constexpr bool kIsPolytope<Sphere> = true;
template <>
inline constexpr bool kIsPolytope<Triangle> = true;
template <>
inline constexpr bool kIsPolytope<PaddedPolygon> = true;

/// Radius of a ball about the core's centre that lies in the core, metres.
template <class G>
[[nodiscard]] double core_inner_radius(const G& /*shape*/) {
  return 0.0;
}
[[nodiscard]] inline double core_inner_radius(const ConvexHull& hull) {
  return hull.inner_radius();
}
[[nodiscard]] inline double core_inner_radius(const Box& box) {
  return box.half_extents().minCoeff();
}
[[nodiscard]] inline double core_inner_radius(const Ellipsoid& ellipsoid) {
  return ellipsoid.radii().minCoeff();
}
// About the centroid, a quarter of the height above the base.
[[nodiscard]] inline double core_inner_radius(const Cone& cone) {
  const double slant = std::hypot(cone.radius(), 2.0 * cone.half_length());
  return cone.half_length() * std::min(0.5, 1.5 * cone.radius() / slant);
}
[[nodiscard]] inline double core_inner_radius(const Cylinder& cylinder) {
  return std::min(cylinder.radius(), cylinder.half_length());
}

}  // namespace abut::detail

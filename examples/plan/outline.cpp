// Support points in directions that go around the view are corners of the outline, in order.
#include "outline.h"

#include <abut/core/shapes/convex_hull.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace abut::plan {
namespace {

constexpr int kDirections = 48;
constexpr double kSamePoint = 1e-9;  // metres: corners this near are one

Polygon convex_outline(const Shape& shape, const Pose& world_from_shape, const View& view) {
  Polygon polygon;
  for (int i = 0; i < kDirections; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kDirections;
    const Vector3d direction_world = std::cos(angle) * view.right + std::sin(angle) * view.up;
    const Vector2d corner = view.of(world_from_shape * support(shape, world_from_shape.unrotate(direction_world)));
    if (polygon.empty() || (corner - polygon.back()).norm() > kSamePoint) polygon.push_back(corner);
  }
  if (polygon.size() > 1 && (polygon.front() - polygon.back()).norm() <= kSamePoint) polygon.pop_back();
  return polygon;
}

}  // namespace

std::vector<Polygon> outlines(const Shape& shape, const Pose& world_from_shape, const View& view) {
  if (shape.is_convex()) return {convex_outline(shape, world_from_shape, view)};
  std::vector<Polygon> polygons;
  if (const Compound* compound = shape.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) {
      for (Polygon& polygon : outlines(child.shape, world_from_shape * child.pose, view)) {
        polygons.push_back(std::move(polygon));
      }
    }
  } else if (const TriangleMesh* mesh = shape.get_if<TriangleMesh>()) {
    polygons.push_back(convex_outline(ConvexHull::from_points(mesh->vertices()), world_from_shape, view));
  } else if (shape.is_bounded()) {
    const Aabb box = aabb(shape, Pose());
    std::vector<Vector3d> corners;
    for (const double x : {box.lower.x(), box.upper.x()}) {
      for (const double y : {box.lower.y(), box.upper.y()}) {
        for (const double z : {box.lower.z(), box.upper.z()}) corners.emplace_back(x, y, z);
      }
    }
    polygons.push_back(convex_outline(ConvexHull::from_points(corners), world_from_shape, view));
  }
  return polygons;
}

}  // namespace abut::plan

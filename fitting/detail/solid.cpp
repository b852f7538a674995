#include <abut/fitting/detail/solid.h>

#include <algorithm>
#include <limits>

namespace abut::detail {

SolidProperties solid_properties(const ConvexHull& hull) {
  const auto vertices = hull.vertices();
  const Vector3d& apex = hull.center();
  double volume = 0.0;
  Vector3d moment = Vector3d::Zero();
  for (const auto& triangle : hull.triangles()) {
    const Vector3d a = vertices[triangle[0]] - apex;
    const Vector3d b = vertices[triangle[1]] - apex;
    const Vector3d c = vertices[triangle[2]] - apex;
    const double part = a.dot(b.cross(c)) / 6.0;
    volume += part;
    moment += 0.25 * part * (a + b + c);
  }
  if (!(volume > 0.0)) return {0.0, apex};
  return {volume, apex + moment / volume};
}

double depth_in(const ConvexHull& hull, const Vector3d& point) {
  const auto vertices = hull.vertices();
  double depth = std::numeric_limits<double>::infinity();
  for (const auto& triangle : hull.triangles()) {
    const Vector3d& a = vertices[triangle[0]];
    const Vector3d normal = (vertices[triangle[1]] - a).cross(vertices[triangle[2]] - a);
    const double length = normal.norm();
    if (length > 0.0) depth = std::min(depth, normal.dot(a - point) / length);
  }
  return depth;
}

double reach_of(const ConvexHull& hull, const Vector3d& point) {
  double reach = 0.0;
  for (const Vector3d& vertex : hull.vertices()) reach = std::max(reach, (vertex - point).norm());
  return reach;
}

}  // namespace abut::detail

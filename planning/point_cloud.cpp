#include <abut/core/error.h>
#include <abut/planning/point_cloud.h>

#include <string>
#include <utility>
#include <vector>

namespace abut {

Shape point_cloud(std::span<const Vector3d> points, double radius) {
  if (points.empty()) throw InvalidInput("points", "must not be empty");
  const Shape ball = Sphere(radius);
  std::vector<CompoundChild> children;
  children.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    require_finite("points[" + std::to_string(i) + "]", points[i]);
    children.push_back({ball, Pose(points[i])});
  }
  return Compound(std::move(children));
}

}  // namespace abut

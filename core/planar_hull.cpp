#include <abut/core/cross.h>
#include <abut/core/planar_hull.h>

#include <algorithm>
#include <cstddef>

namespace abut::detail {

using Eigen::Vector2d;

void sort_distinct(std::vector<Vector2d>& points) {
  std::sort(points.begin(), points.end(),
            [](const Vector2d& p, const Vector2d& q) { return p.x() < q.x() || (p.x() == q.x() && p.y() < q.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

std::vector<Vector2d> planar_hull(std::span<const Vector2d> points) {
  if (points.size() < 3) return {points.begin(), points.end()};
  std::vector<Vector2d> hull;
  const auto extend = [&hull](const Vector2d& next, std::size_t fixed) {
    while (hull.size() >= fixed + 2 && cross(hull.back() - hull[hull.size() - 2], next - hull.back()) <= 0.0) {
      hull.pop_back();
    }
    hull.push_back(next);
  };
  for (const Vector2d& point : points) extend(point, 0);
  const std::size_t lower = hull.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) extend(points[i], lower);
  hull.pop_back();  // the first one again
  return hull;
}

}  // namespace abut::detail

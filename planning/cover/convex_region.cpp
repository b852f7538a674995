#include <abut/planning/cover/convex_region.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace abut::detail {
namespace {

/// The polygon of points in a plane, each a corner, around their mean.
std::vector<Vector3d> sorted_around(std::vector<Vector3d> points, const Vector3d& normal) {
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& point : points) mean += point;
  mean /= static_cast<double>(points.size());
  const Vector3d x = normal.unitOrthogonal();
  const Vector3d y = normal.cross(x);
  std::vector<std::pair<double, Vector3d>> by_angle;
  by_angle.reserve(points.size());
  for (const Vector3d& point : points) {
    by_angle.emplace_back(std::atan2(y.dot(point - mean), x.dot(point - mean)), point);
  }
  std::stable_sort(by_angle.begin(), by_angle.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = by_angle[i].second;
  return points;
}

}  // namespace

ConvexRegion::ConvexRegion(const Aabb& box) {
  const auto corner = [&box](int i) {
    return Vector3d(i & 1 ? box.upper.x() : box.lower.x(), i & 2 ? box.upper.y() : box.lower.y(),
                    i & 4 ? box.upper.z() : box.lower.z());
  };
  constexpr std::array<std::array<int, 4>, 6> kFaces = {
      {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}};
  for (const auto& face : kFaces)
    faces_.push_back({corner(face[0]), corner(face[1]), corner(face[2]), corner(face[3])});
}

void ConvexRegion::cut(const Vector3d& normal, double offset) {
  std::vector<Vector3d> rim;  // where the plane meets the polygons
  bool is_cut = false;
  for (std::vector<Vector3d>& face : faces_) {
    std::vector<Vector3d> kept;
    for (std::size_t i = 0; i < face.size(); ++i) {
      const Vector3d& here = face[i];
      const Vector3d& next = face[(i + 1) % face.size()];
      const double height = normal.dot(here) - offset;
      const double next_height = normal.dot(next) - offset;
      if (height <= 0.0) {
        kept.push_back(here);
      } else {
        is_cut = true;
      }
      if ((height <= 0.0) != (next_height <= 0.0)) {
        const Vector3d crossing = here + (height / (height - next_height)) * (next - here);
        kept.push_back(crossing);
        rim.push_back(crossing);
      }
    }
    face = std::move(kept);
  }
  if (!is_cut) return;
  std::erase_if(faces_, [](const std::vector<Vector3d>& face) { return face.size() < 3; });
  if (rim.size() >= 3) faces_.push_back(sorted_around(std::move(rim), normal.normalized()));
}

std::vector<Vector3d> ConvexRegion::corners() const {
  std::vector<Vector3d> result;
  for (const std::vector<Vector3d>& face : faces_) result.insert(result.end(), face.begin(), face.end());
  return result;
}

}  // namespace abut::detail

#include <abut/io/triangulate.h>

#include <Eigen/Geometry>

namespace abut::detail {
namespace {

using Eigen::Vector3d;

// Twice the polygon's area, along its normal (Newell's method, relative to one corner for accuracy).
Vector3d area_vector(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon) {
  Vector3d area = Vector3d::Zero();
  const Vector3d& origin = vertices[polygon[0]];
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    area += (vertices[polygon[i]] - origin).cross(vertices[polygon[i + 1]] - origin);
  }
  return area;
}

// Clips ears off a ring of corners.
class EarClipper {
 public:
  EarClipper(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon)
      : vertices_(vertices), ring_(polygon.begin(), polygon.end()), normal_(area_vector(vertices, polygon)) {}

  void clip(std::vector<std::array<std::uint32_t, 3>>& triangles) {
    std::size_t next = 0;  // goes round, so that the cuts of a convex polygon are spread over it
    while (ring_.size() > 3) {
      std::size_t ear = next % ring_.size();
      for (std::size_t tried = 0; tried < ring_.size(); ++tried) {
        const std::size_t candidate = (next + tried) % ring_.size();
        if (!is_ear(candidate)) continue;
        ear = candidate;
        break;
      }
      triangles.push_back({ring_[before(ear)], ring_[ear], ring_[after(ear)]});
      ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(ear));
      next = ear + 1;
    }
    triangles.push_back({ring_[0], ring_[1], ring_[2]});
  }

 private:
  std::size_t before(std::size_t i) const { return (i + ring_.size() - 1) % ring_.size(); }
  std::size_t after(std::size_t i) const { return (i + 1) % ring_.size(); }

  // > 0 where p, q, r turn in the polygon's sense.
  double turn(const Vector3d& p, const Vector3d& q, const Vector3d& r) const {
    return (q - p).cross(r - p).dot(normal_);
  }

  bool is_ear(std::size_t i) const {
    const Vector3d& p = vertices_[ring_[before(i)]];
    const Vector3d& q = vertices_[ring_[i]];
    const Vector3d& r = vertices_[ring_[after(i)]];
    if (!(turn(p, q, r) > 0.0)) return false;
    for (const std::uint32_t corner : ring_) {
      const Vector3d& x = vertices_[corner];
      if (x == p || x == q || x == r) continue;
      if (turn(p, q, x) >= 0.0 && turn(q, r, x) >= 0.0 && turn(r, p, x) >= 0.0) return false;
    }
    return true;
  }

  std::span<const Vector3d> vertices_;
  std::vector<std::uint32_t> ring_;
  Vector3d normal_;
};

}  // namespace

void triangulate(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<std::array<std::uint32_t, 3>>& triangles) {
  if (polygon.size() < 3) return;
  if (polygon.size() == 3) {
    triangles.push_back({polygon[0], polygon[1], polygon[2]});
  } else {
    EarClipper(vertices, polygon).clip(triangles);
  }
}

}  // namespace abut::detail

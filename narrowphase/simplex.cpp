#include <abut/core/triangle_normal.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// A triangle whose height is below this fraction of its longest side has no usable normal: rounding turns it by more
// than 1e-16 / kSliver. Its edges then stand for it; that moves the nearest point by less than the height.
constexpr double kSliver = 1e-9;

// A tetrahedron lower than this fraction of its size is flat: the side of its faces is rounding.
constexpr double kFlatTriangle = 1e-14;

// The nearest point of a part of the hull, with its distance.
struct Projection : NearestOnHull {
  double distance_sq = std::numeric_limits<double>::infinity();
};

Projection project_on_point(const Vector3d& p, int i) {
  Projection result;
  result.closest = p;
  result.distance_sq = p.squaredNorm();
  result.index[0] = i;
  result.weight[0] = 1.0;
  result.size = 1;
  return result;
}

Projection project_on_segment(const Vector3d& p, const Vector3d& q, int i, int j) {
  const Vector3d edge = q - p;
  const double to_q = -p.dot(edge);
  const double to_p = q.dot(edge);
  if (!(to_q > 0.0)) return project_on_point(p, i);
  if (!(to_p > 0.0)) return project_on_point(q, j);
  Projection result;
  const double length_sq = to_q + to_p;
  result.weight[1] = to_q / length_sq;
  result.weight[0] = to_p / length_sq;
  result.index[0] = i;
  result.index[1] = j;
  result.size = 2;
  // From the nearer end: the cancellation is then smallest.
  result.closest = to_q < to_p ? Vector3d(p + result.weight[1] * edge) : Vector3d(q - result.weight[0] * edge);
  result.distance_sq = result.closest.squaredNorm();
  return result;
}

const Projection& nearer(const Projection& first, const Projection& second) {
  return second.distance_sq < first.distance_sq ? second : first;
}

Projection project_on_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r, int i, int j, int k) {
  const auto [normal, longest_sq] = TriangleNormal(p, q, r);
  const double normal_sq = normal.squaredNorm();
  if (!(normal_sq > kSliver * kSliver * longest_sq * longest_sq)) {
    return nearer(nearer(project_on_segment(p, q, i, j), project_on_segment(q, r, j, k)),
                  project_on_segment(r, p, k, i));
  }
  // Signed volumes of the origin with each edge: areas of the projection's barycentric coordinates.
  const double at_p = normal.dot(q.cross(r - q));
  const double at_q = normal.dot(r.cross(p - r));
  const double at_r = normal.dot(p.cross(q - p));
  if (at_p > 0.0 && at_q > 0.0 && at_r > 0.0) {
    Projection result;
    const double sum = at_p + at_q + at_r;
    result.weight = {at_p / sum, at_q / sum, at_r / sum};
    result.index = {i, j, k};
    result.size = 3;
    // How far along the normal, by the point that the weights give: far from a corner, a thin triangle's normal is off by
    // much more than the triangle.
    const Vector3d inside = result.weight[0] * p + result.weight[1] * q + result.weight[2] * r;
    result.closest = (normal.dot(inside) / normal_sq) * normal;
    result.distance_sq = result.closest.squaredNorm();
    return result;
  }
  // Outside: the nearest point lies on an edge that faces the projection.
  Projection best;
  if (!(at_p > 0.0)) best = nearer(best, project_on_segment(q, r, j, k));
  if (!(at_q > 0.0)) best = nearer(best, project_on_segment(r, p, k, i));
  if (!(at_r > 0.0)) best = nearer(best, project_on_segment(p, q, i, j));
  return best;
}

// Whether the origin may lie outside the face p q r of the tetrahedron whose fourth corner is s. Where rounding hides
// the side of s or of the origin, it may.
bool may_be_outside_face(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s) {
  const Vector3d pq = q - p;
  const Vector3d pr = r - p;
  const Vector3d ps = s - p;
  const Vector3d normal = pq.cross(pr);
  const double towards_s = normal.dot(ps);
  const double towards_origin = -normal.dot(p);
  // Of the normal, which is off by rounding of its edges, however thin the face.
  const double rounding = kFlatTriangle * pq.norm() * pr.norm();
  if (std::abs(towards_s) <= rounding * ps.norm() || std::abs(towards_origin) <= rounding * p.norm()) return true;
  return (towards_s > 0.0) != (towards_origin > 0.0);
}

constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

}  // namespace

NearestOnHull nearest_on_hull(const std::array<const Vector3d*, 4>& points, int count) {
  const auto at = [&points](int i) -> const Vector3d& { return *points[static_cast<std::size_t>(i)]; };
  Projection best;
  if (count == 1) {
    best = project_on_point(at(0), 0);
  } else if (count == 2) {
    best = project_on_segment(at(0), at(1), 0, 1);
  } else if (count == 3) {
    best = project_on_triangle(at(0), at(1), at(2), 0, 1, 2);
  } else {
    for (const auto& face : kFaces) {
      if (may_be_outside_face(at(face[0]), at(face[1]), at(face[2]), at(face[3]))) {
        best = nearer(best, project_on_triangle(at(face[0]), at(face[1]), at(face[2]), face[0], face[1], face[2]));
      }
    }
  }
  return best;
}

std::array<double, 3> nearest_on_triangle(const Vector3d& p, const Vector3d& q, const Vector3d& r) {
  const Projection projection = project_on_triangle(p, q, r, 0, 1, 2);
  std::array<double, 3> weights{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(projection.size); ++i) {
    weights[static_cast<std::size_t>(projection.index[i])] = projection.weight[i];
  }
  return weights;
}

}  // namespace abut::detail

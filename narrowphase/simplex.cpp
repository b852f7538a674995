#include <abut/narrowphase/simplex.h>
#include <abut/narrowphase/triangle_normal.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// A triangle whose height is below this fraction of its longest side has no usable normal: rounding turns it by more
// than 1e-16 / kSliver. Its edges then stand for it; that moves the nearest point by less than the height.
constexpr double kSliver = 1e-9;

// A tetrahedron lower than this fraction of its size is flat: the side of its faces is rounding.
constexpr double kFlat = 1e-14;

// The nearest point of a face of the simplex: which points carry it, with what weights.
struct Projection {
  Vector3d closest = Vector3d::Zero();
  double distance_sq = std::numeric_limits<double>::infinity();
  std::array<int, 3> index{};
  std::array<double, 3> weight{};
  int size = 0;
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
    result.closest = (normal.dot(p) / normal_sq) * normal;
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

// Whether the origin lies outside the face p q r of the tetrahedron whose fourth corner is s. A flat tetrahedron cannot
// tell: then every face counts.
bool is_outside_face(const Vector3d& p, const Vector3d& q, const Vector3d& r, const Vector3d& s) {
  const Vector3d normal = (q - p).cross(r - p);
  const double towards_s = normal.dot(s - p);
  const double towards_origin = -normal.dot(p);
  const double rounding = kFlat * normal.norm() * std::max((s - p).norm(), p.norm());
  if (std::abs(towards_s) <= rounding) return true;
  return towards_s > 0.0 ? towards_origin < 0.0 : towards_origin > 0.0;
}

constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};

}  // namespace

Vector3d Simplex::witness_a() const {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) sum += weights[i] * points[i].on_a;
  return sum;
}

Vector3d Simplex::witness_b() const {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) sum += weights[i] * points[i].on_b;
  return sum;
}

Simplex single_point(const DifferencePoint& point) {
  Simplex simplex;
  simplex.points[0] = point;
  simplex.weights[0] = 1.0;
  simplex.size = 1;
  simplex.closest = point.difference;
  return simplex;
}

Simplex extended(const Simplex& simplex, const DifferencePoint& point) {
  std::array<const DifferencePoint*, 4> all{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.size); ++i) all[i] = &simplex.points[i];
  all[static_cast<std::size_t>(simplex.size)] = &point;
  const auto at = [&all](int i) -> const Vector3d& { return all[static_cast<std::size_t>(i)]->difference; };

  Projection best;
  if (simplex.size == 1) {
    best = project_on_segment(at(0), at(1), 0, 1);
  } else if (simplex.size == 2) {
    best = project_on_triangle(at(0), at(1), at(2), 0, 1, 2);
  } else {
    for (const auto& face : kFaces) {
      if (is_outside_face(at(face[0]), at(face[1]), at(face[2]), at(face[3]))) {
        best = nearer(best, project_on_triangle(at(face[0]), at(face[1]), at(face[2]), face[0], face[1], face[2]));
      }
    }
  }
  Simplex result;
  if (best.size == 0) {  // inside every face
    result.size = 4;
    for (std::size_t i = 0; i < 4; ++i) {
      result.points[i] = *all[i];
      result.weights[i] = 0.25;
    }
    return result;
  }
  result.size = best.size;
  result.closest = best.closest;
  for (std::size_t i = 0; i < best.index.size() && i < static_cast<std::size_t>(best.size); ++i) {
    result.points[i] = *all[static_cast<std::size_t>(best.index[i])];
    result.weights[i] = best.weight[i];
  }
  return result;
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

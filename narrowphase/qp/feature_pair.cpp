#include <abut/narrowphase/qp/feature_pair.h>

namespace abut::detail {
namespace {

// Below this sin² two directions are parallel to rounding.
constexpr double kParallelFeaturesSinSq = 1e-30;

// The point of the flat of a feature nearest to p.
Vector3d projected(const Feature& feature, const Vector3d& p) {
  if (feature.dimension == 0) return feature.point;
  const Vector3d from = p - feature.point;
  Vector3d result = feature.point + feature.u.dot(from) * feature.u;
  if (feature.dimension == 2) result += feature.v.dot(from) * feature.v;
  return result;
}

// Where the flats share a direction: the point of b goes to its flat, and from there to that of a.
CorePoints from_held(const Feature& a, const Feature& b, const Vector3d& held_b) {
  CorePoints result;
  result.point_b = projected(b, held_b);
  result.point_a = projected(a, result.point_b);
  result.is_unique = false;
  return result;
}

CorePoints nearest_of_lines(const Feature& a, const Feature& b, const Vector3d& held_b) {
  const Vector3d normal = a.u.cross(b.u);
  const double sin_sq = normal.squaredNorm();
  const Vector3d between = b.point - a.point;
  CorePoints result;
  if (sin_sq <= kParallelFeaturesSinSq) {
    result = from_held(a, b, held_b);
  } else {
    const double along_b = normal.dot(between.cross(a.u)) / sin_sq;
    result.point_b = b.point + along_b * b.u;
    result.point_a = projected(a, result.point_b);
    if (sin_sq > 1e-12) result.across = normal;
  }
  return result;
}

// A plane against a line: where they meet, or beside it.
CorePoints nearest_of_plane_and_line(const Feature& plane, const Feature& line, const Vector3d& held) {
  CorePoints result;  // a is the plane
  result.is_unique = false;
  const Vector3d normal = plane.u.cross(plane.v);
  const double slope = normal.dot(line.u);
  result.point_b = projected(line, held);
  if (slope * slope > kParallelFeaturesSinSq) {
    result.point_b += (normal.dot(plane.point - result.point_b) / slope) * line.u;
  }
  result.point_a = projected(plane, result.point_b);
  return result;
}

CorePoints nearest_of_planes(const Feature& a, const Feature& b, const Vector3d& held_b) {
  CorePoints result;
  result.is_unique = false;
  const Vector3d normal = a.u.cross(a.v);
  const Vector3d uphill = normal.dot(b.u) * b.u + normal.dot(b.v) * b.v;  // in b's plane, away from that of a
  const double slope_sq = uphill.squaredNorm();
  result.point_b = projected(b, held_b);
  if (slope_sq > kParallelFeaturesSinSq) {
    result.point_b += (normal.dot(a.point - result.point_b) / slope_sq) * uphill;
  }
  result.point_a = projected(a, result.point_b);
  return result;
}

void exchange(CorePoints& points) {
  std::swap(points.point_a, points.point_b);
}

}  // namespace

CorePoints nearest_of_flats(const Feature& a, const Feature& b, const Vector3d& held_b) {
  CorePoints result;
  if (a.dimension == 0) {
    result.point_a = a.point;
    result.point_b = projected(b, a.point);
  } else if (b.dimension == 0) {
    result.point_b = b.point;
    result.point_a = projected(a, b.point);
  } else if (a.dimension == 1 && b.dimension == 1) {
    result = nearest_of_lines(a, b, held_b);
  } else if (b.dimension == 1) {
    result = nearest_of_plane_and_line(a, b, held_b);
  } else if (a.dimension == 1) {
    result = nearest_of_plane_and_line(b, a, projected(a, held_b));
    exchange(result);
  } else {
    result = nearest_of_planes(a, b, held_b);
  }
  result.gap = result.point_b - result.point_a;

  // The direction of the gap: a face's normal where there is one, else the gap without what is along an edge.
  if (a.dimension == 2) {
    result.across = a.u.cross(a.v);
  } else if (b.dimension == 2) {
    result.across = b.u.cross(b.v);
  } else if (result.across.squaredNorm() == 0.0) {
    result.across = result.gap;
    if (a.dimension == 1) result.across -= a.u.dot(result.across) * a.u;
    if (b.dimension == 1) result.across -= b.u.dot(result.across) * b.u;
  }
  if (result.across.dot(result.gap) < 0.0) result.across = -result.across;
  return result;
}

}  // namespace abut::detail

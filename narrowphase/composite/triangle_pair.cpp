// Source: Ericson, Real-Time Collision Detection (2005), section 5.2.1, for the separating axes of two polyhedra.
// Departures: gaps are measured in metres, so that they also bound the depth; both triangles are projected in full, so
// that a normal of a needle, which rounding turns, still gives a gap along itself.
#include <abut/narrowphase/composite/triangle_pair.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Squared sine of the angle between two edges below which their product is not used.
constexpr double kParallelSq = 1e-16;
// Axes of a squared length below this have lost digits: of triangles some 1e-70 m small.
constexpr double kVanishingSq = 1e-280;

struct Interval {
  double lower;
  double upper;

  Interval(const Vector3d& axis, const TriangleCorners& points) {
    const double s0 = axis.dot(points[0]);
    const double s1 = axis.dot(points[1]);
    const double s2 = axis.dot(points[2]);
    lower = std::min(s0, std::min(s1, s2));
    upper = std::max(s0, std::max(s1, s2));
  }
};

double gap_along(const Vector3d& axis, const TriangleCorners& a, const TriangleCorners& b) {
  const Interval of_a(axis, a);
  const Interval of_b(axis, b);
  return std::max(of_b.lower - of_a.upper, of_a.lower - of_b.upper);
}

}  // namespace

double triangle_gap(const TriangleCorners& corners_a, const TriangleCorners& corners_b, double enough) {
  // About one corner, so that what rounds is the size of the pair.
  const Vector3d& origin = corners_a[0];
  const TriangleCorners a{Vector3d::Zero(), corners_a[1] - origin, corners_a[2] - origin};
  const TriangleCorners b{corners_b[0] - origin, corners_b[1] - origin, corners_b[2] - origin};
  const double size = a[1].cwiseAbs().maxCoeff() + a[2].cwiseAbs().maxCoeff() + b[0].cwiseAbs().maxCoeff() +
                      b[1].cwiseAbs().maxCoeff() + b[2].cwiseAbs().maxCoeff();
  const double rounding = 16.0 * kEpsilon * (size + origin.cwiseAbs().maxCoeff());

  const TriangleCorners edges_a{a[1], a[2] - a[1], -a[2]};
  const TriangleCorners edges_b{b[1] - b[0], b[2] - b[1], b[0] - b[2]};
  double best = -std::numeric_limits<double>::infinity();
  const auto offer = [&](const Vector3d& axis, double reference_sq) {
    const double length_sq = axis.squaredNorm();
    if (!(length_sq > kParallelSq * reference_sq) || length_sq < kVanishingSq) return false;
    best = std::max(best, gap_along(axis, a, b) / std::sqrt(length_sq) - rounding);
    return best > enough;
  };
  const std::array<double, 3> sq_a{edges_a[0].squaredNorm(), edges_a[1].squaredNorm(), edges_a[2].squaredNorm()};
  const std::array<double, 3> sq_b{edges_b[0].squaredNorm(), edges_b[1].squaredNorm(), edges_b[2].squaredNorm()};
  if (offer(edges_a[0].cross(edges_a[1]), sq_a[0] * sq_a[1])) return best;
  if (offer(edges_b[0].cross(edges_b[1]), sq_b[0] * sq_b[1])) return best;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (offer(edges_a[i].cross(edges_b[j]), sq_a[i] * sq_b[j])) return best;
    }
  }
  return best;
}

BallTriangle::BallTriangle(const TriangleCorners& points, std::uint32_t index) : corners(points), item(index) {
  center = (points[0] + points[1] + points[2]) * (1.0 / 3.0);
  const double radius_sq = std::max(
      {(points[0] - center).squaredNorm(), (points[1] - center).squaredNorm(), (points[2] - center).squaredNorm()});
  // Whatever the sums above have rounded.
  radius = std::sqrt(radius_sq) * (1.0 + 8.0 * kEpsilon) + 8.0 * kEpsilon * center.cwiseAbs().sum();
}

double triangle_distance_bound(const TriangleCorners& corners_a, const TriangleCorners& corners_b) {
  // Coordinates of b's edges side by side, the first one twice, so that loops over them fill registers.
  constexpr std::size_t kLanes = 4;
  struct Lanes {
    std::array<double, kLanes> x, y, z;
  };
  const Vector3d& origin = corners_a[0];
  const TriangleCorners a{Vector3d::Zero(), corners_a[1] - origin, corners_a[2] - origin};
  const TriangleCorners b{corners_b[0] - origin, corners_b[1] - origin, corners_b[2] - origin};
  Lanes start;
  Lanes edge;
  std::array<double, kLanes> length_sq;
  double size_sq = 0.0;
  for (std::size_t j = 0; j < kLanes; ++j) {
    const Vector3d& from = b[j % 3];
    const Vector3d along = b[(j + 1) % 3] - from;
    start.x[j] = from.x();
    start.y[j] = from.y();
    start.z[j] = from.z();
    edge.x[j] = along.x();
    edge.y[j] = along.y();
    edge.z[j] = along.z();
    length_sq[j] = std::max(along.squaredNorm(), std::numeric_limits<double>::min());
    size_sq = std::max(size_sq, length_sq[j]);
  }
  std::array<double, kLanes> least;
  least.fill(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d& p = a[i];
    const Vector3d d = a[(i + 1) % 3] - p;
    const double aa = std::max(d.squaredNorm(), std::numeric_limits<double>::min());
    size_sq = std::max(size_sq, aa);
    for (std::size_t j = 0; j < kLanes; ++j) {
      const double rx = p.x() - start.x[j];
      const double ry = p.y() - start.y[j];
      const double rz = p.z() - start.z[j];
      const double f = edge.x[j] * rx + edge.y[j] * ry + edge.z[j] * rz;
      const double c = d.x() * rx + d.y() * ry + d.z() * rz;
      const double k = d.x() * edge.x[j] + d.y() * edge.y[j] + d.z() * edge.z[j];
      const double cross_sq = std::max(aa * length_sq[j] - k * k, std::numeric_limits<double>::min());
      double s = std::min(std::max((k * f - c * length_sq[j]) / cross_sq, 0.0), 1.0);
      const double t = std::min(std::max((k * s + f) / length_sq[j], 0.0), 1.0);
      s = std::min(std::max((k * t - c) / aa, 0.0), 1.0);
      const double x = rx + s * d.x() - t * edge.x[j];
      const double y = ry + s * d.y() - t * edge.y[j];
      const double z = rz + s * d.z() - t * edge.z[j];
      least[j] = std::min(least[j], x * x + y * y + z * z);
    }
  }
  // Outside of this, in metres², products of four edges overflow or vanish.
  if (!(size_sq > 1e-120 && size_sq < 1e120)) return -std::numeric_limits<double>::infinity();
  double distance = std::sqrt(std::min(std::min(least[0], least[1]), least[2]));
  const auto over_face = [&](const TriangleCorners& face, const TriangleCorners& points) {
    const TriangleCorners edges{face[1] - face[0], face[2] - face[1], face[0] - face[2]};
    const Vector3d normal = edges[0].cross(edges[1]);
    const double length_sq_of_normal = normal.squaredNorm();
    if (!(length_sq_of_normal > 0.0)) return;
    const TriangleCorners inward{normal.cross(edges[0]), normal.cross(edges[1]), normal.cross(edges[2])};
    const double scale = 1.0 / std::sqrt(length_sq_of_normal);
    for (const Vector3d& point : points) {
      if (inward[0].dot(point - face[0]) < 0.0 || inward[1].dot(point - face[1]) < 0.0 ||
          inward[2].dot(point - face[2]) < 0.0) {
        continue;
      }
      distance = std::min(distance, scale * std::abs(normal.dot(point - face[0])));
    }
  };
  over_face(b, a);
  over_face(a, b);
  // Nearly parallel edges and needles: their nearest points are uncertain, the distance by no more than this.
  constexpr double kUncertain = 1e-7;
  return distance - kUncertain * std::sqrt(size_sq) - 16.0 * kEpsilon * origin.cwiseAbs().maxCoeff();
}

}  // namespace abut::detail

// Both surface points depend on the same things with different factors, so they are computed side by side, as the two
// lanes of a vector.
#include <abut/core/simd.h>
#include <abut/narrowphase/qp/qp_sensitivity.h>

#include <array>
#include <cstddef>

namespace abut::detail {
namespace {

// Directions this near to parallel, in radians, have no nearest points that could be called unique.
constexpr double kUniqueAngle = 1e-7;

// Lane 0: of the point on a; lane 1: of the point on b.
using Both = Simd<2>::Doubles;
using BothVector = std::array<Both, 3>;
using BothMatrix = std::array<BothVector, 3>;  // columns

// A direction in which the nearest point of one body is free, with its equation d · (change of w) = 0.
struct FreeDirection {
  Vector3d direction;
  BothVector response;  // of the surface points to a 1 on the right-hand side, δy = -(VᵀV)⁻¹ e
  bool is_of_a;
};

struct FreeDirections {
  std::array<FreeDirection, 2> list;
  std::size_t count = 0;
  bool is_unique = true;
};

// With more than two, or two parallel ones, the points are not unique; then some are held, first those of b.
FreeDirections free_directions(const BodyAtSolution& a, const BodyAtSolution& b, double inverse_distance) {
  FreeDirections free;
  free.is_unique = a.free_count + b.free_count <= 2;
  for (const BodyAtSolution* body : {&a, &b}) {
    for (int k = 0; k < body->free_count && free.count < 2; ++k) {
      free.list[free.count].direction = k == 0 ? body->u : body->v;
      free.list[free.count].is_of_a = body == &a;
      ++free.count;
    }
  }
  // (VᵀV)⁻¹: directions of one body are orthonormal, those of two have the columns d and -d'.
  double diagonal = 1.0;
  double off_diagonal = 0.0;
  if (free.count == 2 && free.list[0].is_of_a != free.list[1].is_of_a) {
    const Vector3d& d = free.list[0].direction;
    const Vector3d& e = free.list[1].direction;
    const double sin_sq = d.cross(e).squaredNorm();
    if (sin_sq > kUniqueAngle * kUniqueAngle) {
      diagonal = 1.0 / sin_sq;
      off_diagonal = d.dot(e) * diagonal;
    } else {
      free.is_unique = false;
      free.count = 1;
    }
  }
  // A point that slides turns the normal by the change of the gap.
  const Both turn = {inverse_distance * a.radius, -inverse_distance * b.radius};
  const Both slide_a = turn - Both{1.0, 0.0};
  const Both slide_b = -turn - Both{0.0, 1.0};
  for (std::size_t k = 0; k < free.count; ++k) {
    const FreeDirection& f = free.list[k];
    const FreeDirection& other = free.list[1 - k];
    const Both own = diagonal * (f.is_of_a ? slide_a : slide_b);
    for (std::size_t i = 0; i < 3; ++i) free.list[k].response[i] = own * f.direction[static_cast<Eigen::Index>(i)];
    if (off_diagonal == 0.0) continue;
    const Both with_it = off_diagonal * (other.is_of_a ? slide_a : slide_b);
    for (std::size_t i = 0; i < 3; ++i) {
      free.list[k].response[i] += with_it * other.direction[static_cast<Eigen::Index>(i)];
    }
  }
  return free;
}

// sum += column · rowᵀ
[[gnu::always_inline]] inline void add_product(BothMatrix& sum, const BothVector& column, const Vector3d& row) {
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) sum[j][i] += column[i] * row[static_cast<Eigen::Index>(j)];
  }
}

[[gnu::always_inline]] inline void set_columns(PillDerivatives& by, Eigen::Index first, const BothMatrix& columns) {
  for (std::size_t j = 0; j < 3; ++j) {
    double* const a = by.point_a.data() + 3 * (first + static_cast<Eigen::Index>(j));
    double* const b = by.point_b.data() + 3 * (first + static_cast<Eigen::Index>(j));
    for (std::size_t i = 0; i < 3; ++i) {
      a[i] = columns[j][i][0];
      b[i] = columns[j][i][1];
    }
  }
}

// @param by_shift  Of both points, by a translation of the body.
[[gnu::always_inline]] inline void set_points(PillDerivatives& by, const BothMatrix& by_shift,
                                              const BodyAtSolution& body, bool is_a, const FreeDirections& free,
                                              const Vector3d& normal, double distance) {
  // A rotation shifts the nearest point by ω × arm, and turns the free directions of its body.
  const Vector3d& arm = body.arm;
  BothMatrix by_rotation;
  for (std::size_t i = 0; i < 3; ++i) {
    by_rotation[0][i] = arm.y() * by_shift[2][i] - arm.z() * by_shift[1][i];
    by_rotation[1][i] = arm.z() * by_shift[0][i] - arm.x() * by_shift[2][i];
    by_rotation[2][i] = arm.x() * by_shift[1][i] - arm.y() * by_shift[0][i];
  }
  for (std::size_t k = 0; k < free.count; ++k) {
    const FreeDirection& f = free.list[k];
    if (f.is_of_a != is_a) continue;
    add_product(by_rotation, f.response, (is_a ? -distance : distance) * f.direction.cross(normal));
  }
  set_columns(by, 0, by_shift);
  set_columns(by, 3, by_rotation);
  by.point_a.col(6) = (is_a ? 1.0 : 0.0) * normal;
  by.point_b.col(6) = (is_a ? 0.0 : -1.0) * normal;
  for (std::size_t i = 0; i < 3; ++i) {
    const Both moved = by_shift[0][i] * body.end.x() + by_shift[1][i] * body.end.y() + by_shift[2][i] * body.end.z();
    by.point_a(static_cast<Eigen::Index>(i), 7) = moved[0];
    by.point_b(static_cast<Eigen::Index>(i), 7) = moved[1];
  }
}

// The points are where they are nearest, so that only the motion of the bodies along the normal counts.
[[gnu::always_inline]] inline void set_distances(PillDerivatives& by, const Vector3d& force, const BodyAtSolution& body,
                                                 double distance, double radii) {
  const Vector3d moment = body.arm.cross(force);
  const double values[8] = {force.x(),  force.y(),  force.z(), moment.x(),
                            moment.y(), moment.z(), -1.0,      force.dot(body.end)};
  const double twice = 2.0 * distance;
  for (int i = 0; i < 8; ++i) {
    by.distance[i] = values[i];
    by.phi[i] = twice * values[i];
  }
  by.phi[6] = -2.0 * radii;
}

// Whether the points would stay unique if a segment of no length got one: over a face it lies along the face, beside
// another segment along it where the two are parallel.
bool would_stay_unique(const BodyAtSolution& body, const BodyAtSolution& other) {
  if (!body.would_lie_level || other.free_count == 2) return !body.would_lie_level;
  const bool is_beside_segment = other.free_count == 1 || other.would_lie_level;
  return !is_beside_segment || body.u.cross(other.u).squaredNorm() > kUniqueAngle * kUniqueAngle;
}

}  // namespace

void set_sensitivity(const BodyAtSolution& a, const BodyAtSolution& b, const Vector3d& normal, double distance,
                     ProximityDerivatives& result) {
  const double inverse_distance = distance > 0.0 ? 1.0 / distance : 0.0;
  const FreeDirections free = free_directions(a, b, inverse_distance);

  // By a translation of b; one of a with it would move both points along.
  const Both turn = {inverse_distance * a.radius, -inverse_distance * b.radius};
  const Both shift = {0.0, 1.0};
  BothMatrix by_b;
  BothMatrix by_a;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      const double along = normal[static_cast<Eigen::Index>(i)] * normal[static_cast<Eigen::Index>(j)];
      by_b[j][i] = i == j ? turn * (1.0 - along) + shift : turn * -along;
    }
  }
  for (std::size_t k = 0; k < free.count; ++k) {
    const FreeDirection& f = free.list[k];
    add_product(by_b, f.response, f.is_of_a ? Vector3d(-f.direction) : f.direction);
  }
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) by_a[j][i] = (i == j ? 1.0 : 0.0) - by_b[j][i];
  }
  set_points(result.by_a, by_a, a, true, free, normal, distance);
  set_points(result.by_b, by_b, b, false, free, normal, distance);

  const double radii = a.radius + b.radius;
  set_distances(result.by_a, -normal, a, distance, radii);
  set_distances(result.by_b, normal, b, distance, radii);
  result.is_phi_smooth = free.is_unique || distance == 0.0;
  result.is_distance_smooth = free.is_unique && distance > 0.0;
  result.are_points_smooth =
      result.is_distance_smooth && a.is_strict && b.is_strict && would_stay_unique(a, b) && would_stay_unique(b, a);
}

}  // namespace abut::detail

// Point of a simplex nearest the origin, by trying every face. Slow and plain: the study counts iterations, not its
// time. Source: the distance sub-algorithm of Gilbert, Johnson, Keerthi (1988): the nearest point is the foot of the
// perpendicular on the one face where that foot lies inside.
#pragma once

#include <Eigen/Dense>

#include <array>

namespace abut::study {

using Eigen::Vector3d;

struct PointSimplex {
  std::array<Vector3d, 4> points;
  int size = 0;

  void add(const Vector3d& point) { points[static_cast<std::size_t>(size++)] = point; }
};

struct Nearest {
  PointSimplex face;  ///< The points that carry it.
  Vector3d point = Vector3d::Zero();
  bool encloses_origin = false;  ///< The origin lies in the tetrahedron; `point` is zero.
};

/// @param simplex  1 to 4 points. Flat simplices are allowed: their flat faces are skipped.
[[nodiscard]] inline Nearest nearest_point(const PointSimplex& simplex) {
  Nearest best;
  double best_sq = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < (1u << simplex.size); ++subset) {
    PointSimplex face;
    for (int i = 0; i < simplex.size; ++i) {
      if ((subset >> i & 1u) != 0) face.add(simplex.points[static_cast<std::size_t>(i)]);
    }
    // Weights of p₁ … of the foot p₀ + E w: the normal equations EᵀE w = -Eᵀp₀, solved orthogonally.
    const Vector3d& origin = face.points[0];
    Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 3> edges(3, face.size - 1);
    for (int i = 1; i < face.size; ++i) edges.col(i - 1) = face.points[static_cast<std::size_t>(i)] - origin;
    Vector3d foot = origin;
    bool is_inside = true;
    if (face.size > 1) {
      const auto factors = edges.colPivHouseholderQr();
      if (factors.rank() < face.size - 1) continue;
      const Eigen::VectorXd weights = factors.solve(-origin);
      is_inside = weights.minCoeff() >= 0.0 && weights.sum() <= 1.0;
      foot = origin + edges * weights;
    }
    if (!is_inside) continue;
    if (face.size == 4) return {face, Vector3d::Zero(), true};
    if (foot.squaredNorm() < best_sq) {
      best_sq = foot.squaredNorm();
      best = {face, foot, false};
    }
  }
  return best;
}

}  // namespace abut::study

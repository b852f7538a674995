// Proximity of capsules and padded polygons: the nearest points of two segments or flat polygons as a convex quadratic
// program, and its derivatives with respect to poses, radii and lengths.
// Source: Tracy et al., "DiffPills: Differentiable Collision Detection for Capsules and Padded Polygons".
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <Eigen/Core>

#include <cstdint>

namespace abut {

/// What solves the quadratic program.
enum class QpMethod : std::uint8_t {
  automatic,       ///< The active set for two capsules, the interior point for the others.
  active_set,      ///< Two variables between 0 and 1 (DiffPills, Alg. 4 and 5): two capsules only.
  interior_point,  ///< Primal-dual with Mehrotra's predictor and corrector (DiffPills, section II-B and Alg. 6).
};

/// World frame, metres. R is radius and margin of a shape together; p the nearest points of the cores, the segment or
/// the flat polygon.
struct Proximity {
  double phi = 0.0;       ///< |p_a - p_b|² - (R_a + R_b)², m²: > 0 apart, <= 0 in contact (eq. 20).
  double distance = 0.0;  ///< |p_a - p_b| - (R_a + R_b), the signed distance wherever the cores are apart.
  Vector3d core_point_a = Vector3d::Zero();  ///< p_a
  Vector3d core_point_b = Vector3d::Zero();  ///< p_b
  Vector3d point_a = Vector3d::Zero();       ///< On the surface of a (eq. 21).
  Vector3d point_b = Vector3d::Zero();       ///< On the surface of b (eq. 22).
  Vector3d normal = Vector3d::UnitX();       ///< Unit, from a towards b; where the cores meet, one of their features.
  SolveStatus status = SolveStatus::converged;
  int iterations = 0;           ///< Of the interior point.
  double distance_error = 0.0;  ///< Bound on the error of distance, metres, >= 0.
};

/// With respect to one body. Columns 0 to 2: a translation along the world axes; 3 to 5: a rotation about the world
/// axes through the origin of the body's frame (R ← exp([ω]ₓ) R); 6: the radius (or the margin); 7: the capsule's half
/// length (zero for a polygon; from above where the length is 0). Not set by itself, as Eigen's matrices are not:
/// derivatives() writes every number, once.
struct PillDerivatives {
  Eigen::Matrix<double, 1, 8> phi;
  Eigen::Matrix<double, 1, 8> distance;
  Eigen::Matrix<double, 3, 8> point_a;  ///< Of the points on the surfaces.
  Eigen::Matrix<double, 3, 8> point_b;
};

/// Where a flag is false, what is given is one of several one-sided answers (a subgradient).
struct ProximityDerivatives {
  PillDerivatives by_a;
  PillDerivatives by_b;
  bool is_phi_smooth = true;       ///< False where the nearest points are not unique (parallel segments or faces).
  bool is_distance_smooth = true;  ///< False there, and where the cores meet.
  /// False there, where a point changes from a side to a corner, and of a capsule of length 0 that would be parallel to
  /// a polygon's face with any other.
  bool are_points_smooth = true;
};

/// Whether proximity() answers the pair: two capsules, two padded polygons, or one of each, of at most 64 sides.
[[nodiscard]] bool has_proximity(const Shape& a, const Shape& b);

/// @param a, b                        has_proximity(a, b); margins count as radius.
/// @param world_from_a, world_from_b  Their poses.
/// @throws InvalidInput  for other shapes, naming "shape"; naming "method" for the active set with a polygon.
/// @note Allocates nothing.
[[nodiscard]] Proximity proximity(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                  QpMethod method = QpMethod::automatic);

/// Of phi, the distance and the points, through the solution of the quadratic program (DiffPills, eq. 13 to 17, 27, 28,
/// 33 and 34).
/// @param proximity  What proximity() answered for the same arguments.
[[nodiscard]] ProximityDerivatives derivatives(const Shape& a, const Pose& world_from_a, const Shape& b,
                                               const Pose& world_from_b, const Proximity& proximity);

}  // namespace abut

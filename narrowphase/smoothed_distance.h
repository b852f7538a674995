// A distance of two bounded convex shapes whose derivative is continuous everywhere: where faces or edges are parallel,
// where the shapes touch, inside each other and where their centres coincide.
//
// The signed distance has a kink wherever its nearest points are not unique. Here a weak spring ties each of the two
// points to the centre of its body, which makes them unique. With A and B the cores of the shapes (without sweep radius
// and margin), c_A and c_B their centres, r_A and r_B bounds on how far the cores reach from these, R the sum of radii
// and margins, and a smoothing length m:
//
//     V    = min over x in A, y in B of |x - y|² + w_A |x - c_A|² + w_B |y - c_B|²,    w = min(1, m² / (3 r²)),
//     d_m  = sqrt(V + m²/3) - b - R,                                   b² = w_A r_A² + w_B r_B² + m²/3 <= m².
//
// The objective is strictly convex in (x, y) and smooth in the poses, its minimiser unique and continuous: V has a
// continuous gradient, which is that of the objective with x and y held fixed in their bodies (Danskin's theorem). Of
// the three equal shares of m² the third rounds off the tip of the root at V = 0, where the centres coincide.
//
// Let δ >= 0 be the distance of the cores. V >= δ², so d_m >= δ - b - R; and at the nearest points of the cores
// V + m²/3 <= δ² + b² <= (δ + b)², so d_m <= δ - R. Where the cores are apart the signed distance d is δ - R, hence
// d - m <= d - b <= d_m <= d. Where they overlap, -b - R < d_m <= -R: how deep is told up to b only.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <Eigen/Core>

namespace abut {

/// d_m of a pair and its gradient; metres, world frame.
struct SmoothedDistance {
  double distance = 0.0;  ///< d_m: never more than the signed distance where the cores are apart, at most m less.
  /// The minimiser x: a point of the core of a, not of its surface (the centre of a sphere, a point of the segment of a
  /// capsule). Unlike the nearest points it moves continuously with the poses.
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();  ///< The minimiser y, in the core of b.
  /// Derivatives of `distance` with respect to the pose of each body: a translation along the world axes, then a
  /// rotation about them through the origin of the body's frame, as in PoseDerivatives. The first three have a length
  /// of at most 1; they vanish where x and y coincide.
  Eigen::Matrix<double, 1, 6> by_a = Eigen::Matrix<double, 1, 6>::Zero();
  Eigen::Matrix<double, 1, 6> by_b = Eigen::Matrix<double, 1, 6>::Zero();
  SolveStatus status = SolveStatus::converged;  ///< iteration_limit: distance_error bounds the answer.
  int iterations = 0;                           ///< Of Frank-Wolfe, and of Newton's method on pairs of curved bodies.
  double distance_error = 0.0;                  ///< Bound on the error of distance, metres, >= 0.
};

/// The smoothed distance of two bounded convex shapes.
///
/// @param a, b                        Bounded convex shapes, each in its body frame.
/// @param world_from_a, world_from_b  Their poses.
/// @param smoothing_length  m, metres, finite and > 0: how far d_m may stay below the signed distance.
/// @return Value and gradient. Where faces of radius r at a distance d pass through parallel, x and y cross them within
///         a turn of about m²/(r d) radians. The smaller m, the more rounding shows: between nearly flat and nearly
///         parallel surfaces the gradient is good to 2e-6 for m of a hundredth of the bodies' size, to 1e-4 below that.
/// @throws InvalidInput  naming "shape" for a half-space, mesh, height field or compound; naming "smoothing_length".
/// @note Allocates nothing, thread-safe, deterministic. Never NaN for coordinates, sizes and m from 1e-60 to 1e60 m.
///       An exchange of a and b exchanges the answer, and a rigid motion of both carries it along, but for rounding.
[[nodiscard]] SmoothedDistance smoothed_distance(const Shape& a, const Pose& world_from_a, const Shape& b,
                                                 const Pose& world_from_b, double smoothing_length);

}  // namespace abut

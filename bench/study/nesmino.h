// NESMINO: Nesterov's fast gradient method on the smoothed dual of the minimum norm problem. Each step projects a point
// on either shape instead of asking for a support point.
// Source: Qin, An, "Smoothing algorithms for computing the projection onto a Minkowski sum of convex sets" (Comput.
// Optim. Appl. 2019); compared with in Montaut et al. (RSS 2022), Table II. Departure: the schedule of the smoothing is
// ours (halved when the gradient is below a tenth of it), for the paper's needs the sizes of the sets.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

namespace abut::study {

struct NesminoResult {
  Vector3d nearest = Vector3d::Zero();  ///< a - b, world frame, metres.
  int iterations = 0;                   ///< Gradient steps: two projections each.
  bool converged = false;
};

/// Runs until its a - b is within `tolerance` metres of `solution`, as in the RSS paper.
/// @param a, b  Ellipsoids or boxes without margin. @throws InvalidInput  for other shapes.
[[nodiscard]] NesminoResult nesmino(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                    const Vector3d& solution, double tolerance, int max_iterations);

/// The point of an ellipsoid or box nearest to `point`, body frame.
[[nodiscard]] Vector3d project(const Shape& shape, const Vector3d& point);

}  // namespace abut::study

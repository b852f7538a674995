// Distance of two convex polytopes as a generic quadratic program over their half-spaces, solved by a dense primal-dual
// interior-point method.
// Source: Montaut et al., "GJK++" (T-RO 2024), eq. 2 and Table II, which has ProxQP in this place; the solver follows
// Nocedal, Wright, "Numerical Optimization", Alg. 16.4 (Mehrotra's predictor and corrector). It stands for solvers that
// look at every constraint in every iteration; it uses the blocks of this problem, which a generic solver does not.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/convex_hull.h>

namespace abut::study {

/// The hull as { x : normals x <= offsets }, body frame; triangles of one plane give one row.
struct HalfSpaces {
  Eigen::Matrix<double, Eigen::Dynamic, 3> normals;
  Eigen::VectorXd offsets;
};

/// @param hull  Solid.
[[nodiscard]] HalfSpaces half_spaces(const ConvexHull& hull);

struct QpResult {
  double distance = 0.0;  ///< Metres.
  int iterations = 0;
  bool converged = false;
};

/// min |x₁ - x₂|² over both polytopes.
/// @param start_a, start_b  Points inside, body frames.
/// @param epsilon           On the duality gap, m².
[[nodiscard]] QpResult qp_distance(const HalfSpaces& a, const Vector3d& start_a, const HalfSpaces& b,
                                   const Vector3d& start_b, const Pose& a_from_b, double epsilon,
                                   int max_iterations = 100);

}  // namespace abut::study

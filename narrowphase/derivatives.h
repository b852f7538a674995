// Derivatives of a separation with respect to the poses of both bodies.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework", end of
// section III: the implicit function theorem on the first-order condition.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <Eigen/Core>

#include <optional>

namespace abut {

/// With respect to one body's pose. Columns 0 to 2: a translation along the world axes, metres; columns 3 to 5: a
/// rotation about the world axes through the origin of the body's frame, radians (R ← exp([ω]ₓ) R).
struct PoseDerivatives {
  Eigen::Matrix<double, 1, 6> distance = Eigen::Matrix<double, 1, 6>::Zero();
  Eigen::Matrix<double, 3, 6> point_a = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix<double, 3, 6> point_b = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix<double, 3, 6> normal = Eigen::Matrix<double, 3, 6>::Zero();
};

struct SeparationDerivatives {
  PoseDerivatives by_a;
  PoseDerivatives by_b;
};

/// Whether both shapes are curved bodies, whose separations have derivatives: spheres, ellipsoids, superquadrics,
/// smooth hulls and solids of revolution. Bodies with faces are not served yet.
[[nodiscard]] bool has_derivatives(const Shape& a, const Shape& b);

/// Of the signed distance, the witness points and the normal of two curved bodies, on both sides of contact.
///
/// @param a, b                        Shapes with has_derivatives(a, b).
/// @param world_from_a, world_from_b  Their poses.
/// @param separation                  What distance() answered for them: it is this answer that is differentiated.
/// @return World frame. Nothing where the answer is no smooth function of the poses: for other shapes, where the
///         direction of least depth is not isolated (concentric balls), or where the separation has not converged.
///         Superquadrics with exponents below 1 are flat where a coordinate of the normal vanishes: there the
///         derivatives are those of a very flat surface instead.
[[nodiscard]] std::optional<SeparationDerivatives> derivatives(const Shape& a, const Pose& world_from_a, const Shape& b,
                                                               const Pose& world_from_b, const Separation& separation);

}  // namespace abut

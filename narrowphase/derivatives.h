// Derivatives of a separation with respect to the poses of both bodies.
// Sources: the envelope theorem for the distance; for points and normal the implicit function theorem on the
// first-order conditions, as An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization
// Framework", end of section III, does it for smooth bodies, here with vertices, edges and faces too.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <Eigen/Core>

namespace abut {

/// With respect to one body's pose. Columns 0 to 2: a translation along the world axes, metres; columns 3 to 5: a
/// rotation about the world axes through the origin of the body's frame, radians (R ← exp([ω]ₓ) R). For the four
/// components of a quaternion see rotation_by_quaternion().
struct PoseDerivatives {
  Eigen::Matrix<double, 1, 6> distance = Eigen::Matrix<double, 1, 6>::Zero();
  Eigen::Matrix<double, 3, 6> point_a = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix<double, 3, 6> point_b = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix<double, 3, 6> normal = Eigen::Matrix<double, 3, 6>::Zero();
};

/// Where a flag is true, the derivative exists, and so it does after every motion of up to about kSmoothMargin; but of
/// overlapping bodies a second direction of least depth is looked for only among those that symmetry, faces and the
/// edges of boxes suggest (docs/derivatives.md). Where it is false, what is given is one of the derivatives nearby, or
/// a convex combination of them (a subgradient).
struct SeparationDerivatives {
  PoseDerivatives by_a;
  PoseDerivatives by_b;
  /// False where the nearest points are not unique (parallel faces or edges), or the direction of least depth is not
  /// (concentric bodies, cores that touch in corners).
  bool is_distance_smooth = false;
  /// False there, and where a witness point changes from one face, edge or corner to the next.
  bool are_points_smooth = false;
  /// False where the points are not smooth, except that the normal of a half-space always is.
  bool is_normal_smooth = false;
};

/// Radians, and as a fraction of the sizes of the bodies.
inline constexpr double kSmoothMargin = 1e-7;

/// Of the signed distance, the witness points and the normal of any two shapes, on both sides of contact.
///
/// Composites: of the pair of leaves that answers; which one may change is not looked at, so the flags speak of that
/// pair alone.
/// @param a, b                        Any shapes that distance() answers.
/// @param world_from_a, world_from_b  Their poses.
/// @param separation                  What distance() answered for them: it is this answer that is differentiated. One
///                                    that has not converged has no flag set; one beyond the limit has no derivatives.
/// @return World frame. Always finite.
/// @note Allocates nothing. Composites are searched once more, for the leaves that have that separation. Overlapping
///       hulls of more than 64 faces are not searched for a second direction of least depth.
[[nodiscard]] SeparationDerivatives derivatives(const Shape& a, const Pose& world_from_a, const Shape& b,
                                                const Pose& world_from_b, const Separation& separation);

/// The same answer with the normal and the witness points right to rounding instead of to the solver's tolerance: by
/// Newton's steps to the first-order conditions, at which derivatives() is taken. Unchanged where they do not converge.
/// Arguments as above.
[[nodiscard]] Separation refined(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                 const Separation& separation);

}  // namespace abut

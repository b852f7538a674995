// The narrow phase's front door: signed distance and collision of any two shapes.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

namespace abut {

/// Signed distance, witness points and normal of two shapes (GJK, EPA, closed forms, the trust region of smooth
/// bodies; trees for composites).
///
/// Two convex shapes: continuous through touching; a negative distance is minus the length of the shortest translation
/// that separates them. A mesh, height field or compound: when apart, the distance to its nearest leaf; when they
/// collide, the deepest leaf pair's separation (how far the whole must move to come free is not computed).
///
/// @param a, b                        Any shapes, each in its body frame; not two half-spaces.
/// @param world_from_a, world_from_b  Their poses.
/// @param options  Solver, tolerance (metres), early stop.
/// @param cache    Optional memory of this ordered pair of shapes; read and written.
/// @return World frame, metres; see SolveStatus. Sizes and coordinates from 1e-100 m to 1e100 m are answered alike,
///         never by NaN. Beyond that squares overflow: the numbers then mean nothing.
/// @throws InvalidInput  On a negative or non-finite tolerance, a max_distance that is NaN, max_iterations below 1,
/// when
///                       the forced solver cannot serve the pair, and for two half-spaces.
/// @note Allocates nothing; takes some 100 kB of stack, and 60 kB more for each compound inside another:
/// of compounds nested Compound::kMaxDepth deep on both sides 2 MB. Thread-safe for different caches.
[[nodiscard]] Separation distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                  const DistanceOptions& options = {}, PairCache* cache = nullptr);

/// Whether the distance of two shapes is <= security_margin. Stops at the first separating plane or at the first proof
/// of contact, so it is cheaper than distance().
/// @param security_margin  Metres, finite and >= 0. @throws InvalidInput  naming "security_margin".
[[nodiscard]] bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                            double security_margin = 0.0, const DistanceOptions& options = {},
                            PairCache* cache = nullptr);

/// Whether a solver can be forced on a pair. rtr asks that both shapes have a support function with second derivatives
/// (spheres, ellipsoids, superquadrics with exponents >= 1, smooth hulls about their origin, smooth solids of
/// revolution); qp, that both are capsules or padded polygons of at most 64 sides (where their cores touch or cross,
/// the automatic solver answers instead); the others take any.
[[nodiscard]] bool serves(Solver solver, const Shape& a, const Shape& b);

/// The solver where it serves the pair, else automatic: for one setting over pairs of many kinds.
[[nodiscard]] inline Solver solver_or_automatic(Solver solver, const Shape& a, const Shape& b) {
  return solver == Solver::automatic || serves(solver, a, b) ? solver : Solver::automatic;
}

}  // namespace abut

// When two moving shapes first touch: time of impact by conservative advancement.
#pragma once

#include <abut/core/obb.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/cast/rigid_motion.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>

namespace abut {

struct ShapeCastOptions {
  /// Shapes at most this far apart are in contact, metres, finite and >= 0; 0: kRelativeTolerance of their sizes. With
  /// a large one the contact that is reported may be another than the first: other parts may have come so near before.
  /// What passes by without touching is a hit up to seven eighths of it, and between those and all of it may be one.
  double tolerance = 0.0;
  int max_iterations = 256;  ///< Distances solved for each pair of convex parts, >= 1.
  /// A contact at the start from which the shapes move apart, or past each other, is let go: the cast looks for the
  /// next one. While the shapes still touch, they hit when they come deeper than they began. Of composites each pair of
  /// leaves by itself. What rolls or turns in contact is followed in steps of its depth, and may end undecided.
  bool ignore_receding_contact = false;
};

enum class ShapeCastOutcome : std::uint8_t {
  clear,      ///< No contact for t in [0, 1); to the tolerance, see there.
  hit,        ///< In contact at t, and never before; to the tolerance, see there.
  undecided,  ///< No contact before t; at the iteration limit.
};

struct ShapeCast {
  ShapeCastOutcome outcome = ShapeCastOutcome::clear;
  /// In [0, 1]: the shapes are apart at all times before it (but for a contact at the start that is let go).
  double t = 1.0;
  /// At t, world frame: the points and the normal of the contact. Of a hit or an undecided cast.
  Separation contact;
  bool starts_in_contact = false;  ///< Of a hit: it is there at t = 0; contact is the deepest one then.
  /// Of such a hit: the shapes move apart or past each other at once, to a fraction of the tolerance; where the motions
  /// turn, all that touches of them. Of composites all pairs of leaves in contact, not only the deepest.
  bool is_receding = false;
  int iterations = 0;  ///< Distances solved, over all pairs of leaves.
};

/// The first contact of two shapes that move.
///
/// Conservative advancement (Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, section 2.3.2):
/// the plane that separates the shapes at one time keeps separating them for a while, however thin they are, and time
/// is advanced by that while. Here the while is bounded to second order (motion_bound.h; tilting_plane.h for
/// half-spaces that turn), and an approach takes a few steps. Composites are walked by their trees, nearest leaves
/// first.
///
/// @param a, b      Any shapes; not two that are unbounded.
/// @param motion_a, motion_b  Their motions over the same time.
/// @throws InvalidInput  naming "motion_a.linear" and so on, "tolerance", "max_iterations", or "b": two unbounded ones.
/// @note Allocates nothing but for the size of a triangle, padded polygon or compound, which its tightest box tells.
/// Thread-safe.
[[nodiscard]] ShapeCast shape_cast(const Shape& a, const RigidMotion& motion_a, const Shape& b,
                                   const RigidMotion& motion_b, const ShapeCastOptions& options = {});
/// b stands still.
[[nodiscard]] ShapeCast shape_cast(const Shape& a, const RigidMotion& motion_a, const Shape& b,
                                   const Pose& world_from_b, const ShapeCastOptions& options = {});

namespace detail {
/// What the distance up to which two moving shapes are in contact owes to one of them, metres.
struct ToleranceShare {
  double by_size;      ///< kRelativeTolerance of its size; 0 of an unbounded one.
  double by_rounding;  ///< Nearer than the sum of these rounding decides.

  /// @param box  Of the shape, in its own frame. @param start, linear  Of its motion.
  ToleranceShare(const Obb& box, const Pose& start, const Vector3d& linear);
};
/// That distance: the given one, or the sum of the shares by size, and no less than the sum of those by rounding.
[[nodiscard]] double contact_tolerance(const ShapeCastOptions& options, const ToleranceShare& a,
                                       const ToleranceShare& b);

/// Without checks, and only up to `end`: clear says that there is no contact up to then.
/// @param tolerance  contact_tolerance() of the two.
[[nodiscard]] ShapeCast shape_cast_until(const Shape& a, const RigidMotion& motion_a, const Shape& b,
                                         const RigidMotion& motion_b, double end, double tolerance,
                                         const ShapeCastOptions& options);
/// A box around all that a shape can reach by the turn of its motion alone, while its pivot stays where it starts;
/// world frame, metres.
/// @param box  Of the shape at the start, world frame, finite.
[[nodiscard]] Aabb turned_box(const RigidMotion& motion, const Aabb& box);
}  // namespace detail

}  // namespace abut

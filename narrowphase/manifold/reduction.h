// Which few points of a contact patch to keep.
#pragma once

#include <abut/narrowphase/manifold/contact_patch.h>

#include <cstddef>
#include <limits>
#include <span>

namespace abut::detail {

/// Points nearer to each other than this fraction of the smaller feature are one.
inline constexpr double kPatchSpacing = 1e-5;

/// Metres: points no farther apart touch, more than what those of a body at rest move. Where none does, all count.
/// @param least  Of the deepest point. @param size  Of the smaller feature.
inline double touching_distance(double least, double size) {
  constexpr double kTouching = 2.5e-4;
  return least <= kTouching * size ? kTouching * size : std::numeric_limits<double>::infinity();
}

/// The point of a patch to keep first: of those that are deep enough the one that lies farthest from the middle, of
/// nearly equal ones the first in the list. Where faces lie flat on each other it is a corner of both.
///
/// @param middle   Of the patch, contact frame.
/// @param most     Metres: a point whose distance is greater is not deep enough.
/// @param spacing  Metres: points nearer to each other are one.
/// @return Its position; the number of points where none is deep enough.
std::size_t first_of_patch(std::span<const PatchPoint> points, const Vector3d& middle, double most, double spacing);

/// Chooses points that, with a given first one, span a large area in the contact plane: the farthest from the first,
/// and then always the one that adds most to the convex hull of those chosen, to its length where all lie on one line.
/// Points that add nothing are not chosen, so that of several at one place one counts. Points that do not touch are
/// chosen where those that do add no more: they carry nothing, and a body that rests stands on the others. Of nearly
/// equal choices the first in the list is taken: rounding does not turn one set of points into another.
///
/// @param first    Contact frame.
/// @param touching  Metres: points of no larger distance touch.
/// @param spacing  Metres: a point that widens the patch by less adds nothing.
/// @param chosen   Positions in `points` are written; its size is the most to choose, less than
///                 ContactManifold::kCapacity.
/// @return How many were chosen.
std::size_t choose_spread(std::span<const PatchPoint> points, const Vector3d& first, double touching, double spacing,
                          std::span<std::size_t> chosen);

}  // namespace abut::detail

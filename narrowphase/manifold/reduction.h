// Which few points of a contact patch to keep.
#pragma once

#include <abut/narrowphase/manifold/contact_patch.h>

#include <cstddef>
#include <span>

namespace abut::detail {

/// Points nearer to each other than this fraction of the smaller feature are one.
inline constexpr double kPatchSpacing = 1e-5;

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
/// Points that add nothing are not chosen, so that of several at one place one counts. Of nearly equal choices the
/// first in the list is taken: rounding does not turn one set of points into another.
///
/// @param first    Contact frame.
/// @param spacing  Metres: a point that widens the patch by less adds nothing.
/// @param chosen   Positions in `points` are written; its size is the most to choose, less than
///                 ContactManifold::kCapacity.
/// @return How many were chosen.
std::size_t choose_spread(std::span<const PatchPoint> points, const Vector3d& first, double spacing,
                          std::span<std::size_t> chosen);

}  // namespace abut::detail

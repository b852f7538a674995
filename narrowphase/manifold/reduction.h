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

/// How deep the points of a patch are, metres.
struct PatchDepth {
  double least;     ///< The distance of the deepest.
  double same;      ///< What exceeds it by no more is as deep.
  double near;      ///< What exceeds it by no more is deep enough to stand for the deepest.
  double touching;  ///< As of choose_spread().
  bool fills_room;  ///< Where there is room the deepest is wanted in any case.
};

/// The points that a patch stands on: that of those that touch which is the farthest from the middle, and then those of
/// choose_spread(). The deepest does not lead: a set that began with it would be another one whenever the body rocks.
/// Where none that was chosen is deep enough it is added, of several the first, so that rounding does not choose;
/// without room it takes the place of the nearest.
/// @param points  At least one. @param middle  Of the patch, contact frame. @param chosen  At least one, as of
/// choose_spread(), but with the first.
/// @return How many were chosen.
std::size_t choose_points(std::span<const PatchPoint> points, const Vector3d& middle, const PatchDepth& depth,
                          double spacing, std::span<std::size_t> chosen);

}  // namespace abut::detail

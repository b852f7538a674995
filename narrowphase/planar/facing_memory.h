// The features that faced each other at a pair's last query, asked again: where they still do, that is the answer.
//
// Locally nearest is nearest for convex shapes that are apart: no corner next to the facing ones is nearer along the
// direction between them, the foot lies inside the side, and the direction separates.
#pragma once

#include <abut/narrowphase/planar/boundary_walk.h>
#include <abut/narrowphase/planar/simplex_memory.h>

#include <cmath>

namespace abut::planar::detail {

/// Whether both neighbours of a corner are at least as high as it. @param direction  Frame of the outline.
[[nodiscard]] inline bool is_lowest(const Outline& outline, Outline::Index corner, PlaneVector direction) {
  const Vector2d* here = outline.ring() + corner;
  return direction.dot(plane_vector(here[1]) - plane_vector(here[0])) >= 0.0 &&
         direction.dot(plane_vector(here[-1]) - plane_vector(here[0])) >= 0.0;
}

/// The index of the side between two corners, counter-clockwise or not; the outline's size where they have none.
[[nodiscard]] inline Outline::Index side_between(const Outline& outline, Outline::Index p, Outline::Index q) {
  if (outline.next(p) == q) return p;
  return outline.next(q) == p ? q : outline.size();
}

/// Tries a side of `own` against a corner of `other`. @return The gap, > 0, or 0 where they do not face each other.
[[nodiscard]] inline double gap_at_side(const Outline& own, Outline::Index side, const Outline& other,
                                        Outline::Index corner, const PlaneMotion& own_from_other) {
  const PlaneVector start = plane_vector(own.corner(side));
  const PlaneVector along = plane_vector(own.ring()[side + 1]) - start;
  const PlaneVector normal = plane_vector(own.normals()[side]);
  const PlaneVector point = own_from_other * plane_vector(other.corner(corner)) - start;
  const double gap = normal.dot(point);
  const double place = along.dot(point);
  if (!(gap > 0.0) || place < 0.0 || place > along.squared_norm()) return 0.0;
  return is_lowest(other, corner, own_from_other.unrotate(normal)) ? gap : 0.0;
}

/// @return Facing::overlap where nothing is remembered or it holds no longer.
[[nodiscard]] inline FacingFeatures recall(const CorePair& pair, const SimplexMemory& memory) {
  FacingFeatures found;
  const Outline& a = pair.a;
  const Outline& b = pair.b;
  if (memory.size == 0 || memory.corner_a[0] >= a.size() || memory.corner_b[0] >= b.size()) return found;
  found.corner_a = memory.corner_a[0];
  found.corner_b = memory.corner_b[0];
  if (memory.size == 1) {
    const PlaneVector w =
        plane_vector(a.corner(found.corner_a)) - pair.a_from_b * plane_vector(b.corner(found.corner_b));
    if (!is_lowest(a, found.corner_a, w) || !is_lowest(b, found.corner_b, pair.a_from_b.unrotate(-w))) return found;
    found.difference = w;
    found.gap = std::sqrt(w.squared_norm());
    if (found.gap > 0.0) found.facing = Facing::corners;
    return found;
  }
  if (memory.corner_a[1] >= a.size() || memory.corner_b[1] >= b.size()) return found;
  if (memory.corner_b[0] == memory.corner_b[1]) {
    const Outline::Index side = side_between(a, memory.corner_a[0], memory.corner_a[1]);
    if (side == a.size()) return found;
    found.corner_a = side;
    found.gap = gap_at_side(a, side, b, found.corner_b, pair.a_from_b);
    if (found.gap > 0.0) found.facing = Facing::side_of_a;
  } else if (memory.corner_a[0] == memory.corner_a[1]) {
    const Outline::Index side = side_between(b, memory.corner_b[0], memory.corner_b[1]);
    if (side == b.size()) return found;
    found.corner_b = side;
    found.gap = gap_at_side(b, side, a, found.corner_a, pair.a_from_b.inverse());
    if (found.gap > 0.0) found.facing = Facing::side_of_b;
  }
  return found;
}

/// What recall() needs next time. Overlapping cores leave the memory as it is.
inline void remember(const CorePair& pair, const FacingFeatures& found, SimplexMemory& memory) {
  if (!(found.gap > 0.0)) return;
  memory.size = found.facing == Facing::corners ? 1 : 2;
  memory.corner_a = {found.corner_a, found.corner_a};
  memory.corner_b = {found.corner_b, found.corner_b};
  if (found.facing == Facing::side_of_a) memory.corner_a[1] = pair.a.next(found.corner_a);
  if (found.facing == Facing::side_of_b) memory.corner_b[1] = pair.b.next(found.corner_b);
}

}  // namespace abut::planar::detail

// The top of a hull along a direction: its highest vertex, and of the faces there the one that is turned most to the
// direction. Where the hull lies flat, that face is what it lies on.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_faces.h>

#include <cstdint>
#include <limits>

namespace abut::detail {

struct HullTop {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t vertex = kUnknown;  ///< Index; of support_vertex().
  HullFaces::Turned face;           ///< At the vertex, or at one that is as high; none of a point or a segment.

  [[nodiscard]] bool is_known() const { return vertex != kUnknown; }
};

/// Slopes that differ by less than this are equal up to rounding.
inline constexpr double kSameSlope = 1e-9;

/// An edge of at most 1 m between points at most 1 m from the origin, on which the heights differ by more than this, is
/// not level.
inline constexpr double kLevel = 2.0 * kSameSlope;

/// A face turned to the direction by this cosine is, up to a millionth of a radian, the best there can be.
inline constexpr double kNoBetterFace = 1.0 - 1e-12;

/// Visits the other ends of level edges of a vertex. They are as high, and may have a better face: which of them is the
/// top is rounding. @param direction  Unit, body frame.
template <class Visit>
void for_level_neighbours(const ConvexHull& hull, std::uint32_t vertex, const Vector3d& direction, const Visit& visit) {
  const Vector3d* const vertices = hull.vertices().data();
  // Of a vertex lower by more than this the edge is not level, however long it is and whatever rounding did.
  const double level = vertices[vertex].dot(direction) - kLevel * hull.reach();
  for (const std::uint32_t neighbour : hull.neighbours(vertex)) {
    if (vertices[neighbour].dot(direction) < level) continue;
    const Vector3d offset = vertices[vertex] - vertices[neighbour];
    const double drop = offset.dot(direction);
    if (drop * drop <= kSameSlope * kSameSlope * offset.squaredNorm()) visit(neighbour);
  }
}

/// The face of the top, whose vertex is known. @param direction  Unit, body frame.
[[nodiscard]] inline HullFaces::Turned top_face(const ConvexHull& hull, std::uint32_t vertex,
                                                const Vector3d& direction) {
  HullFaces::Turned best = hull.faces().most_turned(vertex, direction);
  if (best.rise >= kNoBetterFace) return best;
  for_level_neighbours(hull, vertex, direction, [&](std::uint32_t neighbour) {
    const HullFaces::Turned other = hull.faces().most_turned(neighbour, direction);
    if (other.rise > best.rise) best = other;
  });
  return best;
}

/// @param direction  Unit, body frame.
[[nodiscard]] inline HullTop hull_top(const ConvexHull& hull, const Vector3d& direction) {
  const std::uint32_t vertex = hull.support_vertex(direction);
  return {vertex, top_face(hull, vertex, direction)};
}

}  // namespace abut::detail

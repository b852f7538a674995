// Whether overlapping cores have another direction of as little depth, between which the answer would jump.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/part.h>

namespace abut::detail {

/// Looks at the directions that symmetry and faces suggest: the opposite one, the mirror images of the normal in the
/// coordinate planes of bodies that are symmetric about some of these and in the plane of the axes of two round bodies,
/// the outward normals of their faces (of hulls and polygons of up to kMaxRivalFaces faces and sides), the side of a
/// cylinder or cone where it looks at the other's centre, and the directions at right angles to an edge, segment or
/// cylinder's side of each (of boxes, triangles, padded polygons, capsules and cylinders).
/// @param normal  Unit, world, of the answer. @param gap  Of the cores along it, metres, <= 0 up to rounding.
/// @param within  Metres: what counts as as little.
[[nodiscard]] bool has_rival_normal(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b,
                                    const Vector3d& normal, double gap, double within);

inline constexpr std::size_t kMaxRivalFaces = 64;

}  // namespace abut::detail

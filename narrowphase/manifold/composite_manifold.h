// The manifold of pairs of which one is a mesh, height field or compound.
//
// The pairs of leaves that are near are gathered, each gets a normal that the surfaces around its leaves allow and the
// patch of the two along it; the points of all are grouped by their normals and each group is reduced to a few.
#pragma once

#include <abut/narrowphase/manifold/contact_manifold.h>

#include <cstddef>
#include <span>

namespace abut::detail {

/// As contact_points(), for a pair of which one is a composite.
std::size_t composite_contact_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                     const Separation& separation, const ManifoldLimits& limits,
                                     std::span<ContactPoint> points);

}  // namespace abut::detail

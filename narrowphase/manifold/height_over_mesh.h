// How far a point is in front of a mesh or behind it, where it is neither beside its border nor off all of its faces.
#pragma once

#include <abut/core/shapes/triangle_mesh.h>

#include <cstdint>
#include <optional>

namespace abut::detail {

struct HeightOverMesh {
  std::uint32_t triangle;  ///< The nearest.
  Vector3d normal;         ///< Unit, of its front.
  double height;           ///< Metres in front of its plane; negative behind.
};

/// @param point  Frame of the mesh, metres.
/// @return Nothing where the way to the nearest point is more than 60 degrees off the normal there, or to a point of
/// the border more than 18.
std::optional<HeightOverMesh> height_over(const TriangleMesh& mesh, const Vector3d& point);

}  // namespace abut::detail

// From where a solid has come to a surface that it crosses: the surface cuts it in two parts, and the one that
// reaches less far has passed through.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>

namespace abut::detail {

/// A flood from the triangles that cross, over the solid's vertices in front of the surface and over those behind it.
/// @param seeds  Triangles of the solid that cross the surface, at least one.
/// @param crossed  One of the triangles of the surface that the solid crosses.
/// @param sense  Of a triangle of the surface: 1, -1 where it is wound the other way, 0 where it belongs to another
/// one.
/// @return 1: the part in front of the surface, in the sense of its triangles, reaches farther from it than the one
/// behind; -1: the other way; 0: neither does, or 4 096 vertices do not tell.
/// @param memory  For what the floods have seen.
double side_of_larger_part(const TriangleMesh& solid, std::span<const std::uint32_t> seeds, const TriangleMesh& surface,
                           std::uint32_t crossed, const std::function<double(std::uint32_t triangle)>& sense,
                           const Pose& surface_from_solid, std::pmr::memory_resource* memory);

}  // namespace abut::detail

// The vertices of a solid that have passed through the surface of another mesh or of a height field: what no search for
// near triangles finds, because what is deep is far from the surface.
//
// From triangles that cross the surface a flood goes over their neighbours, as long as it meets vertices behind the
// triangle of the other mesh that is nearest to them, or below the triangle of the height field that they are under.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/height_field.h>
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/narrowphase/manifold/contact_normals.h>

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace abut::detail {

/// Frame of the other body, metres.
struct PassedVertex {
  std::uint32_t vertex;    ///< Of the solid.
  std::uint32_t triangle;  ///< Of the solid, one of those that have it.
  std::uint32_t face;      ///< Of the other body: the triangle, or prism, that it is behind.
  Vector3d point;          ///< The vertex.
  Vector3d foot;           ///< The vertex moved along the normal onto the plane of the face.
  Vector3d normal;         ///< Unit, of the face, out of the other body: from the vertex to its foot.
  double depth;            ///< > 0: from the one to the other.
};

/// Appends, in an order that depends on nothing but the arguments, the vertices that are deeper than `least_depth`, by
/// `most_depth` at most, and belong to a triangle that looks against the face, to 60 degrees.
/// @param outside  Of the solid's triangles, see OutsideOfSolid; not 0.
/// @param seeds    Triangles of the solid that cross the other mesh.
/// @param sides    From where the triangles of the other mesh are met, at least one. What is nearest to a triangle of
///                 no piece that was met has not passed.
/// @param other_outside  Of the other mesh: what has passed is inside it where it is a solid, outside where it is
/// closed but none.
/// @note Asks for a few thousand vertices at the most, those first that are near the seeds.
void find_passed_vertices(const TriangleMesh& solid, double outside, std::span<const std::uint32_t> seeds,
                          const TriangleMesh& other, const SideScratch& sides, double other_outside,
                          const Pose& other_from_solid, double least_depth, double most_depth,
                          std::pmr::vector<PassedVertex>& passed);
/// The same of a height field, whose base is no way out.
void find_passed_vertices(const TriangleMesh& solid, double outside, std::span<const std::uint32_t> seeds,
                          const HeightField& other, const Pose& other_from_solid, double least_depth, double most_depth,
                          std::pmr::vector<PassedVertex>& passed);

}  // namespace abut::detail

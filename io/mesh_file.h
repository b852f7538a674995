// Mesh files (OBJ, PLY, STL): vertices and triangles, nothing else.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace abut {

/// Vertices in metres as the file has them; those of binary STL files are in single precision.
struct MeshFile {
  std::vector<Eigen::Vector3d> vertices;                ///< No two are equal.
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< Indices into vertices.
};

/// What a reader of a mesh file needs of it.
enum class MeshContent : std::uint8_t {
  triangles,  ///< A surface: at least one triangle.
  vertices,   ///< A set of points: at least one vertex; the file may have no faces at all.
};

/// Reads all meshes of the file into one: transformations applied, polygons split into triangles, equal vertices
/// joined. The order of vertices and triangles is that of the file. Triangles of no area are kept; loose points and
/// lines, and vertices of OBJ and PLY files that nothing uses, give vertices but no triangles.
/// @param file  With the extension obj, stl or ply in any case.
/// @throws FileError  naming file and reason, the line too where a text does not keep to its format: missing, empty,
///                    not one of the formats, broken, cut short or longer than it announces, a vertex that is not
///                    finite, a face of an OBJ file with fewer than 3 corners, a surface of a PLY file in strips, or
///                    without what `content` asks for.
///                    Nothing that is not understood is passed over, but what belongs to no surface (colours, normals,
///                    other elements of PLY, other lines of OBJ).
[[nodiscard]] MeshFile read_mesh_file(const std::filesystem::path& file, MeshContent content);

/// One of the bodies that an OBJ file holds.
struct MeshPart {
  std::string name;  ///< May be empty.
  MeshFile mesh;
};

/// The bodies of an OBJ file, in its order: each line `o NAME` begins one, in a file without such lines each `g NAME`,
/// and without those all of it is one. Bodies without faces are left out; the vertices are those that faces use.
/// @param file  With the extension obj in any case.
/// @throws FileError  naming file and reason, as read_mesh_file, also for a file of another format.
[[nodiscard]] std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file);

}  // namespace abut

// The STL format's text form: triangles between keywords.
// Source: 3D Systems, "StereoLithography Interface Specification", 1989.
#pragma once

#include <abut/io/polygon_mesh.h>

#include <filesystem>

namespace abut::detail {

/// Whether the file is exactly as long as the number of facets at its place in the binary form asks for.
[[nodiscard]] bool is_binary_stl_file(const std::filesystem::path& file);

/// Reads the text form: solids one after the other, keywords in any case. The normals must be numbers, finite or not;
/// they are not used, nor are names and lines `color`. Vertices are in double precision, three to a polygon.
/// @throws FileError  when the content does not keep to the format or ends before `endsolid`; it names the line. Also
///                    where the file is no text, with the length that the binary form asks for.
[[nodiscard]] PolygonMesh read_ascii_stl_file(const std::filesystem::path& file);

}  // namespace abut::detail

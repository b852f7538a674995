// The PLY format: vertices and polygons. Source: Turk, "The PLY Polygon File Format" (Stanford, 1994).
#pragma once

#include <abut/io/polygon_mesh.h>

#include <filesystem>

namespace abut::detail {

/// Reads the forms ascii, binary_little_endian and binary_big_endian, all number types, elements and properties in any
/// order; those that are not x, y, z or the corners of faces are skipped. Coordinates are as they are stored, finite or
/// not.
/// @throws FileError  when the content does not keep to the format, is cut short or more than the header announces, has
///                    two elements or properties of one name, or a corner is out of range: with the line, or in the
///                    binary forms the element, and the value. Memory stays in proportion to the file's length whatever
///                    its header says.
[[nodiscard]] PolygonMesh read_ply_file(const std::filesystem::path& file);

}  // namespace abut::detail

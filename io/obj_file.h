// The OBJ format: vertices, polygons and the bodies that they form. Source: Wavefront Technologies, "Advanced
// Visualizer Manual", appendix B1 (Object Files), 1993.
#pragma once

#include <abut/io/polygon_mesh.h>

#include <filesystem>
#include <string>
#include <vector>

namespace abut::detail {

/// A run of polygons under one name.
struct ObjBody {
  std::string name;               ///< May be empty.
  std::size_t first_polygon = 0;  ///< The body ends where the next begins.
};

/// What an OBJ file holds of use.
struct ObjFile {
  PolygonMesh mesh;             ///< All vertices, used or not, in double precision; all are finite.
  std::vector<ObjBody> bodies;  ///< The first has no name and what comes before all names; bodies may be empty.
};

/// Reads the lines `v` (x y z, which a weight, 3 colours or 4 may follow; they are not used, the weight counts for
/// rational curves only) and `f` (3 corners or more, as v, v/vt, v//vn or v/vt/vn, negative indices too). Each `o NAME`
/// begins a body, in a file without such lines each `g NAME`. All other lines are passed over.
/// @throws FileError  when one of those lines does not keep to the format; it names the line.
[[nodiscard]] ObjFile read_obj_file(const std::filesystem::path& file);

}  // namespace abut::detail

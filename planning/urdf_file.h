// Robot descriptions in URDF (wiki.ros.org/urdf/XML): links with their collision geometry, and joints. What only draws
// or simulates a robot (visuals, masses, materials, transmissions, safety controllers, what simulators add) is passed
// over, and so are names with a colon, which belong to extensions.
#pragma once

#include <abut/planning/robot_model.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// What a <mesh> of a link becomes.
enum class UrdfMeshes : std::uint8_t {
  convex_hulls,  ///< The convex hull of its vertices.
  as_they_are,   ///< A TriangleMesh: a surface, which a body inside of it does not touch.
  convex_parts,  ///< The hulls of the parts in UrdfOptions::parts; meshes without parts become hulls.
};

struct UrdfOptions {
  UrdfMeshes meshes = UrdfMeshes::convex_hulls;
  /// For convex_parts: from a mesh's file name, as the URDF spells it, to an OBJ file whose bodies (lines `o NAME`) are
  /// its convex parts. They lie in the mesh's frame and are scaled like it. Relative paths are relative to the current
  /// folder; a name that no mesh has is an error.
  std::map<std::string, std::filesystem::path> parts = {};
  /// Where `package://NAME/...` is looked for: in FOLDER/NAME, or in FOLDER itself where that is its name. Before these
  /// come the folders that the URDF lies in: the nearest one called NAME.
  std::vector<std::filesystem::path> package_folders = {};
};

/// Reads a robot. Mesh files are OBJ, STL or PLY; their names are absolute, relative to the URDF's folder, or begin
/// with file:// or package://. Links and joints keep the order of the file. A joint that mimics one that mimics another
/// follows the last of them; a fixed joint's mimic is dropped. The limits are those of <limit>; lower and upper are
/// 0 where it has none.
/// @throws FileError  naming the file, the link or joint, the element and its line, and the rule that is broken: not
///     XML, an element or attribute that is missing, unknown, given twice or no finite number, sizes that are not > 0,
///     a scale of 0, a mesh that is missing (with the full path), empty or broken, and what RobotModel refuses.
/// @param mesh_files  Gets the mesh files that were read, absolute; one may be there twice.
[[nodiscard]] RobotModel read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {},
                                   std::vector<std::filesystem::path>* mesh_files = nullptr);

/// The same from text.
/// @param folder  What mesh files are relative to; where packages are looked for first.
/// @throws InvalidInput  as read_urdf.
[[nodiscard]] RobotModel parse_urdf(std::string_view text, const std::filesystem::path& folder,
                                    const UrdfOptions& options = {},
                                    std::vector<std::filesystem::path>* mesh_files = nullptr);

}  // namespace abut

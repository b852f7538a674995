// The mesh files that a robot description names: found, read once each, and made into shapes.
#pragma once

#include <abut/core/shape.h>
#include <abut/io/mesh_file.h>
#include <abut/planning/urdf_file.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace abut::detail {

class LinkMeshes {
 public:
  /// @param folder  What names are relative to. @param options  Referred to.
  LinkMeshes(const std::filesystem::path& folder, const UrdfOptions& options);

  /// The shapes of a mesh, in its frame: one, or one a convex part.
  /// @param name   As the description spells it. @param scale  Finite, no coordinate 0.
  /// @throws FileError  when a file is missing or broken; InvalidInput  when a name has no file or a scaled vertex is
  ///     not finite.
  [[nodiscard]] std::vector<Shape> shapes(const std::string& name, const Vector3d& scale);

  /// A mesh of UrdfOptions::parts that shapes() was not asked for; nullptr where there is none.
  [[nodiscard]] const std::string* find_unused_parts() const;

  /// The absolute path of a mesh file, which need not exist. @throws InvalidInput  for an unknown package or scheme.
  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const;

 private:
  [[nodiscard]] std::filesystem::path package_folder(const std::string& package) const;
  [[nodiscard]] const MeshFile& read(const std::filesystem::path& file, MeshContent content);

  std::filesystem::path folder_;  // absolute
  const UrdfOptions& options_;
  std::map<std::filesystem::path, MeshFile> files_;
  std::set<std::string> used_parts_;
};

}  // namespace abut::detail

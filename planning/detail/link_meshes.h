// The mesh files that a robot description names: found, read once each, and made into shapes.
#pragma once

#include <abut/core/shape.h>
#include <abut/planning/urdf_file.h>

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace abut::detail {

/// Shapes share their data: a mesh that several links use is there once.
class LinkMeshes {
 public:
  /// @param folder  What names are relative to. @param options  Referred to.
  LinkMeshes(const std::filesystem::path& folder, const UrdfOptions& options);

  /// The shapes of a mesh, in its frame: one, or one a convex part.
  /// @param name   As the description spells it. @param scale  Finite, no coordinate 0.
  /// @throws FileError  when a file is missing or broken; InvalidInput  when a name has no file or a scaled vertex is
  ///     not finite.
  [[nodiscard]] const std::vector<Shape>& shapes(const std::string& name, const Vector3d& scale);

  /// A mesh of UrdfOptions::parts that shapes() was not asked for; nullptr where there is none.
  [[nodiscard]] const std::string* find_unused_parts() const;

  /// The files that were read, absolute.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  /// The absolute path of a mesh file, which need not exist. @throws InvalidInput  for an unknown package or scheme.
  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const;
  [[nodiscard]] std::filesystem::path package_folder(const std::string& package) const;
  [[nodiscard]] std::vector<Shape> read(const std::string& name, const Vector3d& scale);

  std::filesystem::path folder_;  // absolute
  const UrdfOptions& options_;
  std::map<std::pair<std::string, std::array<double, 3>>, std::vector<Shape>> known_;  // by name and scale
  std::vector<std::filesystem::path> files_;
};

}  // namespace abut::detail

// The mesh files that shapes name, each read once however many shapes use it.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace abut {

/// Reads and remembers. Thread-safe: threads that ask for the same file wait for the first to read it, others go on.
class ShapeFiles {
 public:
  /// @param folder  What relative names are relative to; empty: the current folder.
  /// @param output  A file that is written meanwhile, whose name is an error; empty: none.
  explicit ShapeFiles(std::filesystem::path folder = {}, std::filesystem::path output = {});
  ~ShapeFiles();

  /// Convex hull of a file's vertices, metres. @throws FileError; InvalidInput  for an empty name
  [[nodiscard]] ConvexHull hull(const std::string& name);
  /// A file's triangles, metres. @throws FileError; InvalidInput  for an empty name
  [[nodiscard]] TriangleMesh mesh(const std::string& name);

  /// The files that were asked for, absolute; a file may be there twice.
  [[nodiscard]] std::vector<std::filesystem::path> files();

 private:
  template <class Geometry>
  struct Entry;
  template <class Geometry>
  using Entries = std::map<std::filesystem::path, std::shared_ptr<Entry<Geometry>>>;

  template <class Geometry, class Read>
  Geometry get(Entries<Geometry>& entries, const std::string& name, Read read);

  std::filesystem::path folder_;
  std::filesystem::path output_;
  std::mutex mutex_;  // of the maps, not of the entries
  Entries<ConvexHull> hulls_;
  Entries<TriangleMesh> meshes_;
};

}  // namespace abut

#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <abut/io/shape_files.h>

#include <optional>
#include <system_error>
#include <utility>

namespace abut {
namespace {

// The same for all names of a file. Leaving out "folder/.." would be wrong where the folder is a symbolic link.
std::filesystem::path key_of(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::path key = std::filesystem::absolute(file, error);
  if (!error) key = std::filesystem::weakly_canonical(key, error);
  return error ? file : key;
}

// Also by links. Not so where one is missing.
bool is_same_file(const std::filesystem::path& file, const std::filesystem::path& other) {
  std::error_code error;
  return !other.empty() && std::filesystem::equivalent(file, other, error) && !error;
}

}  // namespace

template <class Geometry>
struct ShapeFiles::Entry {
  std::mutex mutex;
  std::optional<Geometry> geometry;
  std::optional<FileError> error;  // a broken file is not read again for every shape that names it
};

ShapeFiles::ShapeFiles(std::filesystem::path folder, std::filesystem::path output)
    : folder_(std::move(folder)), output_(std::move(output)) {}

ShapeFiles::~ShapeFiles() = default;

template <class Geometry, class Read>
Geometry ShapeFiles::get(Entries<Geometry>& entries, const std::string& name, Read read) {
  if (name.empty()) throw InvalidInput("", "must not be empty");
  const std::filesystem::path file = folder_ / name;
  const std::filesystem::path key = key_of(file);
  std::shared_ptr<Entry<Geometry>> entry;
  {
    const std::lock_guard lock(mutex_);
    auto& slot = entries[key];
    if (!slot) slot = std::make_shared<Entry<Geometry>>();
    entry = slot;
  }
  const std::lock_guard lock(entry->mutex);
  if (entry->error) throw *entry->error;
  if (!entry->geometry) {
    try {
      // What it holds while it is written is chance.
      if (is_same_file(file, output_)) throw FileError(file, "is written to; cannot read from it");
      entry->geometry.emplace(read(file));
    } catch (const FileError& error) {
      entry->error = error;
      throw;
    }
  }
  return *entry->geometry;
}

ConvexHull ShapeFiles::hull(const std::string& name) {
  return get(hulls_, name, [](const std::filesystem::path& file) {
    return ConvexHull::from_points(read_mesh_file(file, MeshContent::vertices).vertices);
  });
}

TriangleMesh ShapeFiles::mesh(const std::string& name) {
  return get(meshes_, name, [](const std::filesystem::path& file) {
    MeshFile content = read_mesh_file(file, MeshContent::triangles);
    return TriangleMesh(std::move(content.vertices), std::move(content.triangles));
  });
}

std::vector<std::filesystem::path> ShapeFiles::files() {
  const std::lock_guard lock(mutex_);
  std::vector<std::filesystem::path> files;
  for (const auto& [file, hull] : hulls_) files.push_back(file);
  for (const auto& [file, mesh] : meshes_) files.push_back(file);
  return files;
}

}  // namespace abut

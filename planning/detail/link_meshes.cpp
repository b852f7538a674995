#include <abut/core/error.h>
#include <abut/io/mesh_file.h>
#include <abut/planning/detail/link_meshes.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace abut::detail {
namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr std::string_view kPackageScheme = "package://";

std::vector<Vector3d> scaled(const std::vector<Vector3d>& vertices, const Vector3d& scale) {
  std::vector<Vector3d> result;
  result.reserve(vertices.size());
  for (const Vector3d& vertex : vertices) result.push_back(vertex.cwiseProduct(scale));
  return result;
}

Shape scaled_hull(const MeshFile& mesh, const Vector3d& scale) {
  return ConvexHull::from_points(scaled(mesh.vertices, scale));
}

// A mirrored mesh keeps its outside.
Shape scaled_mesh(const MeshFile& mesh, const Vector3d& scale) {
  std::vector<std::array<std::uint32_t, 3>> triangles = mesh.triangles;
  const bool is_mirrored = (scale.x() < 0.0) != ((scale.y() < 0.0) != (scale.z() < 0.0));
  if (is_mirrored) {
    for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  }
  return TriangleMesh(scaled(mesh.vertices, scale), std::move(triangles));
}

// Without "." and "..". Leaving out "folder/.." would be wrong where the folder is a symbolic link: then without links.
std::filesystem::path plain(const std::filesystem::path& path) {
  const std::filesystem::path shortened = path.lexically_normal();
  std::error_code error;
  std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  if (error) return path;
  const bool is_same = std::filesystem::weakly_canonical(shortened, error) == resolved && !error;
  return is_same ? shortened : resolved;
}

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
  return plain(std::filesystem::absolute(folder.empty() ? "." : folder));
}

// A path that ends in a separator has no last name.
std::filesystem::path without_last_separator(const std::filesystem::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

bool is_folder(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

}  // namespace

LinkMeshes::LinkMeshes(const std::filesystem::path& folder, const UrdfOptions& options)
    : folder_(without_last_separator(absolute_folder(folder))), options_(options) {}

std::filesystem::path LinkMeshes::package_folder(const std::string& package) const {
  for (std::filesystem::path folder = folder_;; folder = folder.parent_path()) {
    if (folder.filename() == package) return folder;
    if (folder == folder.parent_path()) break;
  }
  std::string tried;
  for (const std::filesystem::path& given : options_.package_folders) {
    std::filesystem::path folder = without_last_separator(absolute_folder(given));
    if (is_folder(folder / package)) return folder / package;
    if (folder.filename() == package) return folder;
    tried += (tried.empty() ? "" : ", ") + (folder / package).string();
  }
  throw InvalidInput("", "the package \"" + package + "\" was not found: no folder above " + folder_.string() +
                             " has its name" +
                             (tried.empty() ? ", and no package folders are given" : "; also tried " + tried));
}

std::filesystem::path LinkMeshes::path_of(const std::string& name) const {
  if (name.starts_with(kPackageScheme)) {
    const std::string rest = name.substr(kPackageScheme.size());
    const std::size_t end = rest.find('/');
    if (end == std::string::npos || end == 0 || end + 1 == rest.size()) {
      throw InvalidInput("", "\"" + name + "\" must be package://NAME/FILE");
    }
    return plain(package_folder(rest.substr(0, end)) / rest.substr(end + 1));
  }
  if (name.starts_with(kFileScheme)) return plain(folder_ / name.substr(kFileScheme.size()));
  if (name.find("://") != std::string::npos) {
    throw InvalidInput("", "\"" + name + "\" must be a path, or begin with file:// or package://");
  }
  return plain(folder_ / name);
}

std::vector<Shape> LinkMeshes::read(const std::string& name, const Vector3d& scale) {
  if (options_.meshes == UrdfMeshes::convex_parts) {
    const auto parts = options_.parts.find(name);
    if (parts != options_.parts.end()) {
      std::vector<Shape> result;
      files_.push_back(std::filesystem::absolute(parts->second));
      for (const MeshPart& part : read_mesh_parts(files_.back())) {
        result.push_back(scaled_hull(part.mesh, scale));
      }
      return result;
    }
  }
  const std::filesystem::path file = path_of(name);
  files_.push_back(file);
  if (options_.meshes == UrdfMeshes::as_they_are) {
    return {scaled_mesh(read_mesh_file(file, MeshContent::triangles), scale)};
  }
  return {scaled_hull(read_mesh_file(file, MeshContent::vertices), scale)};
}

const std::vector<Shape>& LinkMeshes::shapes(const std::string& name, const Vector3d& scale) {
  const std::pair key(name, std::array<double, 3>{scale.x(), scale.y(), scale.z()});
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, read(name, scale)).first->second;
}

const std::string* LinkMeshes::find_unused_parts() const {
  for (const auto& [name, file] : options_.parts) {
    const auto is_used = [&name = name](const auto& known) { return known.first.first == name; };
    if (std::none_of(known_.begin(), known_.end(), is_used)) return &name;
  }
  return nullptr;
}

}  // namespace abut::detail

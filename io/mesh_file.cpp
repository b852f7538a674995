// Binary STL is read by assimp. Its PLY reader does not survive files that are cut short or damaged (it may hang or
// crash), its OBJ reader passes over vertices in silence (".7", indented lines) and rounds them, and its reader of STL
// text passes over facets that it does not understand, so these formats have readers here.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <abut/io/obj_file.h>
#include <abut/io/ply_file.h>
#include <abut/io/stl_file.h>
#include <abut/io/triangulate.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <bit>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace abut {
namespace {

// A reason may quote the rest of the file.
constexpr std::size_t kMaxReasonLength = 200;

using Position = std::array<double, 3>;

struct PositionHash {
  std::size_t operator()(const Position& position) const {
    std::uint64_t hash = 0;
    for (const double coordinate : position) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(coordinate)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    return static_cast<std::size_t>(hash);
  }
};

// Collects vertices and polygons; equal vertices become one.
class Collector {
 public:
  explicit Collector(const std::filesystem::path& file) : file_(file) {}

  std::uint32_t add(const Eigen::Vector3d& vertex) {
    if (!vertex.allFinite()) throw FileError(file_, "vertex " + std::to_string(vertex_count_) + " is not finite");
    ++vertex_count_;
    // Adding 0 turns -0 into 0, so that equal coordinates have equal bits.
    const Position position = {vertex.x() + 0.0, vertex.y() + 0.0, vertex.z() + 0.0};
    const auto [entry, is_new] = index_of_.try_emplace(position, static_cast<std::uint32_t>(result_.vertices.size()));
    if (is_new) result_.vertices.emplace_back(position[0], position[1], position[2]);
    return entry->second;
  }

  // Indices into the vertices as add() returned them.
  void add_polygon(std::span<const std::uint32_t> polygon) {
    if (detail::triangulate(result_.vertices, polygon, result_.triangles)) return;
    throw FileError(file_, "a face of " + std::to_string(polygon.size()) + " corners crosses itself");
  }

  MeshFile take() { return std::move(result_); }

 private:
  const std::filesystem::path& file_;
  MeshFile result_;
  std::unordered_map<Position, std::uint32_t, PositionHash> index_of_;
  std::size_t vertex_count_ = 0;
};

// Adds the meshes of a node, not of those below it.
void add_meshes(const aiScene& scene, const aiNode& node, const aiMatrix4x4& world_from_node, Collector& collector) {
  std::vector<std::uint32_t> merged;
  std::vector<std::uint32_t> polygon;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[m]];
    merged.clear();
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
      const aiVector3D vertex = world_from_node * mesh.mVertices[i];
      merged.push_back(collector.add(Eigen::Vector3d(vertex.x, vertex.y, vertex.z)));
    }
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
      const std::span<const unsigned> corners(mesh.mFaces[i].mIndices, mesh.mFaces[i].mNumIndices);
      polygon.clear();
      for (const unsigned corner : corners) polygon.push_back(merged[corner]);
      collector.add_polygon(polygon);
    }
  }
}

// Adds the meshes of a node and of those below it.
void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& world_from_parent, Collector& collector) {
  const aiMatrix4x4 world_from_node = world_from_parent * node.mTransformation;
  add_meshes(scene, node, world_from_node, collector);
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_node(scene, *node.mChildren[i], world_from_node, collector);
}

// The library trusts the indices of a file; what follows here does not.
void check_faces(const std::filesystem::path& file, const aiScene& scene) {
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    const aiMesh& mesh = *scene.mMeshes[m];
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
      const aiFace& face = mesh.mFaces[i];
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] < mesh.mNumVertices) continue;
        throw FileError(file, "face " + std::to_string(i) + " refers to vertex " + std::to_string(face.mIndices[k]) +
                                  ", but there are " + std::to_string(mesh.mNumVertices));
      }
    }
  }
}

// What the importer made of a file; the importer owns it.
const aiScene& checked_scene(const std::filesystem::path& file, const aiScene* scene,
                             const Assimp::Importer& importer) {
  if (scene == nullptr) {
    const std::string_view reason = importer.GetErrorString();
    throw FileError(file, "is not a usable mesh: " + std::string(reason.substr(0, kMaxReasonLength)));
  }
  check_faces(file, *scene);
  return *scene;
}

void read_with_assimp(const std::filesystem::path& file, Collector& collector) {
  Assimp::Importer importer;
  const aiScene& scene = checked_scene(file, importer.ReadFile(file.string(), 0), importer);
  if (scene.mRootNode != nullptr) add_node(scene, *scene.mRootNode, aiMatrix4x4(), collector);
}

// Adds all vertices, those too that no polygon uses.
void add_mesh(const detail::PolygonMesh& mesh, Collector& collector) {
  std::vector<std::uint32_t> merged;
  merged.reserve(mesh.vertices.size());
  for (const Eigen::Vector3d& vertex : mesh.vertices) merged.push_back(collector.add(vertex));
  std::vector<std::uint32_t> polygon;
  for (std::size_t i = 0; i < mesh.polygon_end.size(); ++i) {
    polygon.clear();
    for (const std::uint32_t corner : mesh.polygon(i)) polygon.push_back(merged[corner]);
    collector.add_polygon(polygon);
  }
}

// Adds polygons [begin, end) and the vertices that they use.
void add_polygons(const detail::PolygonMesh& mesh, std::size_t begin, std::size_t end, Collector& collector) {
  std::vector<std::uint32_t> polygon;
  for (std::size_t i = begin; i < end; ++i) {
    polygon.clear();
    for (const std::uint32_t corner : mesh.polygon(i)) polygon.push_back(collector.add(mesh.vertices[corner]));
    collector.add_polygon(polygon);
  }
}

std::string lower_case_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

// Reasons that a reader's message would leave unclear.
void check_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw FileError(file, "does not exist");
  if (!std::filesystem::is_regular_file(status)) throw FileError(file, "is not a file");
  if (std::filesystem::file_size(file, error) == 0 && !error) throw FileError(file, "is empty");
}

}  // namespace

MeshFile read_mesh_file(const std::filesystem::path& file, MeshContent content) {
  check_file(file);
  const std::string extension = lower_case_extension(file);
  Collector collector(file);
  if (extension == ".ply") {
    const detail::PolygonMesh mesh = detail::read_ply_file(file);
    if (content == MeshContent::triangles && mesh.has_strips) {
      throw FileError(file, "holds strips of triangles (the element \"tristrips\"), which are not read: write faces");
    }
    add_mesh(mesh, collector);
  } else if (extension == ".obj") {
    add_mesh(detail::read_obj_file(file).mesh, collector);
  } else if (extension == ".stl" && detail::is_binary_stl_file(file)) {
    read_with_assimp(file, collector);
  } else if (extension == ".stl") {
    add_mesh(detail::read_ascii_stl_file(file), collector);
  } else {
    throw FileError(file, "is not a mesh file: its name must end in .obj, .stl or .ply");
  }
  MeshFile result = collector.take();
  if (result.vertices.empty()) throw FileError(file, "holds no vertices");
  if (content == MeshContent::triangles && result.triangles.empty()) throw FileError(file, "holds no triangles");
  return result;
}

std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file) {
  check_file(file);
  if (lower_case_extension(file) != ".obj") {
    throw FileError(file, "is not a file of mesh parts: its name must end in .obj");
  }
  const auto [mesh, bodies] = detail::read_obj_file(file);
  if (mesh.vertices.empty()) throw FileError(file, "holds no vertices");
  std::vector<MeshPart> parts;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t begin = bodies[i].first_polygon;
    const std::size_t end = i + 1 < bodies.size() ? bodies[i + 1].first_polygon : mesh.polygon_end.size();
    if (begin == end) continue;
    Collector collector(file);
    add_polygons(mesh, begin, end, collector);
    parts.push_back({bodies[i].name, collector.take()});
  }
  if (parts.empty()) throw FileError(file, "holds no faces");
  return parts;
}

}  // namespace abut

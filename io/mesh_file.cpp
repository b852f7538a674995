// OBJ and STL are read by assimp. Its PLY reader does not survive files that are cut short or damaged (it may hang or
// crash), so PLY has a reader here.
#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <abut/io/ply_file.h>
#include <abut/io/read_file.h>
#include <abut/io/triangulate.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>

namespace abut {
namespace {

// A reason may quote the rest of the file.
constexpr std::size_t kMaxReasonLength = 200;
constexpr std::string_view kObjBlanks = " \t\r";

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
    detail::triangulate(result_.vertices, polygon, result_.triangles);
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

// An OBJ file whose bodies are called by their numbers.
struct NumberedBodies {
  std::string text;
  std::vector<std::string> names;
};

bool is_marker(std::string_view line, char marker) {
  return line.size() > 1 && line[0] == marker && (line[1] == ' ' || line[1] == '\t');
}

// Leaves vertices and faces and a line `o NUMBER` where each body begins. The library would give faces to the wrong
// body where two have one name, and would look for the files of materials.
NumberedBodies number_bodies(std::string_view text) {
  NumberedBodies result{"o 0\n", {""}};  // what comes before the first name
  const auto for_each_line = [text](const auto& visit) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = text.substr(begin, end - begin);
      visit(line.substr(std::min(line.find_first_not_of(kObjBlanks), line.size())));
      begin = end + 1;
    }
  };
  bool has_objects = false;
  for_each_line([&](std::string_view line) { has_objects = has_objects || is_marker(line, 'o'); });
  for_each_line([&](std::string_view line) {
    if (is_marker(line, has_objects ? 'o' : 'g')) {
      result.text += "o " + std::to_string(result.names.size()) + "\n";
      std::string_view name = line.substr(2);
      name.remove_prefix(std::min(name.find_first_not_of(kObjBlanks), name.size()));
      result.names.emplace_back(name.substr(0, name.find_last_not_of(kObjBlanks) + 1));
    } else if (is_marker(line, 'v') || is_marker(line, 'f')) {
      (result.text += line) += '\n';
    }
  });
  return result;
}

// Adds a part for each node that has meshes.
void add_parts(const std::filesystem::path& file, const aiScene& scene, const aiNode& node,
               const aiMatrix4x4& world_from_parent, const std::vector<std::string>& names,
               std::vector<MeshPart>& parts) {
  const aiMatrix4x4 world_from_node = world_from_parent * node.mTransformation;
  Collector collector(file);
  add_meshes(scene, node, world_from_node, collector);
  MeshFile mesh = collector.take();
  if (!mesh.vertices.empty()) {
    const std::string_view number = node.mName.C_Str();
    std::size_t index = 0;
    std::from_chars(number.data(), number.data() + number.size(), index);
    parts.push_back({index < names.size() ? names[index] : std::string(), std::move(mesh)});
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) {
    add_parts(file, scene, *node.mChildren[i], world_from_node, names, parts);
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

// Reads OBJ and STL.
void read_with_assimp(const std::filesystem::path& file, Collector& collector) {
  Assimp::Importer importer;
  const aiScene& scene = checked_scene(file, importer.ReadFile(file.string(), 0), importer);
  if (scene.mRootNode != nullptr) add_node(scene, *scene.mRootNode, aiMatrix4x4(), collector);
}

void read_with_ply_reader(const std::filesystem::path& file, Collector& collector) {
  const detail::PlyFile content = detail::read_ply_file(file);
  std::vector<std::uint32_t> merged;
  merged.reserve(content.vertices.size());
  for (const Eigen::Vector3d& vertex : content.vertices) merged.push_back(collector.add(vertex));
  std::vector<std::uint32_t> polygon;
  for (std::size_t i = 0; i < content.polygon_end.size(); ++i) {
    polygon.clear();
    for (const std::uint32_t corner : content.polygon(i)) polygon.push_back(merged[corner]);
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
    read_with_ply_reader(file, collector);
  } else if (extension == ".obj" || extension == ".stl") {
    read_with_assimp(file, collector);
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
  const NumberedBodies bodies = number_bodies(read_file(file));
  Assimp::Importer importer;
  const aiScene* imported = importer.ReadFileFromMemory(bodies.text.data(), bodies.text.size(), 0, "obj");
  const aiScene& scene = checked_scene(file, imported, importer);
  std::vector<MeshPart> parts;
  if (scene.mRootNode != nullptr) add_parts(file, scene, *scene.mRootNode, aiMatrix4x4(), bodies.names, parts);
  if (parts.empty()) throw FileError(file, "holds no vertices");
  return parts;
}

}  // namespace abut

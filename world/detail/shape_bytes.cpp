// Shapes as bytes. Hulls, meshes and the like are written as what their constructors take, which give the same bits
// again: a hull depends on its vertices only, see ConvexHull::from_points; a mesh of with_vertices() also on the first
// ones.
#include <abut/core/error.h>
#include <abut/world/detail/shape_bytes.h>

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <variant>

namespace abut::detail {
namespace {

// The kinds are numbered as the alternatives of Geometry. Bytes that were written once hold these numbers.
template <class G, std::size_t kKind>
constexpr bool is_kind = std::is_same_v<std::variant_alternative_t<kKind, Geometry>, G>;
static_assert(std::variant_size_v<Geometry> == 16);
static_assert(is_kind<Sphere, 0> && is_kind<Ellipsoid, 1> && is_kind<Box, 2> && is_kind<Capsule, 3>);
static_assert(is_kind<Cylinder, 4> && is_kind<Cone, 5> && is_kind<ConvexHull, 6> && is_kind<Triangle, 7>);
static_assert(is_kind<PaddedPolygon, 8> && is_kind<Superquadric, 9> && is_kind<SmoothHull, 10>);
static_assert(is_kind<SmoothRevolution, 11> && is_kind<HalfSpace, 12> && is_kind<TriangleMesh, 13>);
static_assert(is_kind<HeightField, 14> && is_kind<Compound, 15>);

constexpr std::size_t kPoseBytes = 12 * sizeof(double);
constexpr std::size_t kRecordBytes = 1 + sizeof(double) + sizeof(std::uint32_t);  // of the shortest record

/// Where the data lies that copies of a shape share; null for shapes that are all in themselves.
const void* shared_data(const Geometry& geometry) {
  return std::visit(
      []<class G>(const G& shape) -> const void* {
        if constexpr (std::is_same_v<G, ConvexHull> || std::is_same_v<G, TriangleMesh>) {
          return shape.vertices().data();
        } else if constexpr (std::is_same_v<G, SmoothHull> || std::is_same_v<G, PaddedPolygon>) {
          return shape.points().data();
        } else if constexpr (std::is_same_v<G, SmoothRevolution>) {
          return shape.profile().data();
        } else if constexpr (std::is_same_v<G, HeightField>) {
          return shape.heights().data();
        } else if constexpr (std::is_same_v<G, Compound>) {
          return shape.children().data();
        } else {
          return nullptr;
        }
      },
      geometry);
}

template <class Vector>
void write_all(ByteWriter& out, std::span<const Vector> vectors) {
  out.write_count(vectors.size());
  for (const Vector& vector : vectors) out.write(vector);
}

template <int Size>
std::vector<Eigen::Matrix<double, Size, 1>> read_all(ByteReader& in, std::string_view field) {
  std::vector<Eigen::Matrix<double, Size, 1>> vectors(in.read_count(field, Size * sizeof(double)));
  for (auto& vector : vectors) vector = in.read_matrix<Size>();
  return vectors;
}

void write_numbers(ByteWriter& out, const Sphere& shape) {
  out.write(shape.radius());
}
void write_numbers(ByteWriter& out, const Ellipsoid& shape) {
  out.write(shape.radii());
}
void write_numbers(ByteWriter& out, const Box& shape) {
  out.write(shape.half_extents());
}
template <class Round>
requires std::is_same_v<Round, Capsule> || std::is_same_v<Round, Cylinder> || std::is_same_v<Round, Cone>
void write_numbers(ByteWriter& out, const Round& shape) {
  out.write(shape.radius());
  out.write(shape.half_length());
}
void write_numbers(ByteWriter& out, const ConvexHull& shape) {
  write_all(out, shape.vertices());
}
void write_numbers(ByteWriter& out, const Triangle& shape) {
  for (const Vector3d& point : shape.points()) out.write(point);
}
void write_numbers(ByteWriter& out, const PaddedPolygon& shape) {
  write_all(out, shape.points());
  out.write(shape.radius());
}
void write_numbers(ByteWriter& out, const Superquadric& shape) {
  out.write(shape.radii());
  out.write(shape.exponents());
}
void write_numbers(ByteWriter& out, const SmoothHull& shape) {
  write_all(out, shape.points());
  out.write(shape.sharpness());
}
void write_numbers(ByteWriter& out, const SmoothRevolution& shape) {
  write_all(out, shape.profile());
  out.write(shape.sharpness());
  out.write(shape.flatness());
}
void write_numbers(ByteWriter& out, const HalfSpace& shape) {
  out.write(shape.normal());
  out.write(shape.offset());
}
void write_numbers(ByteWriter& out, const TriangleMesh& shape) {
  write_all(out, shape.vertices());
  out.write_count(shape.triangles().size());
  for (const TriangleMesh::Indices& triangle : shape.triangles()) {
    for (const std::uint32_t index : triangle) out.write(index);
  }
  out.write(shape.tree_kind());
  const bool has_others = shape.first_vertices().data() != shape.vertices().data();
  out.write(has_others);
  if (has_others) write_all(out, shape.first_vertices());
}
void write_numbers(ByteWriter& out, const HeightField& shape) {
  const Eigen::MatrixXd& heights = shape.heights();
  out.write_count(static_cast<std::size_t>(heights.rows()));
  out.write_count(static_cast<std::size_t>(heights.size()));
  for (Eigen::Index i = 0; i < heights.size(); ++i) out.write(heights.data()[i]);
  out.write(shape.spacing());
  out.write(shape.base());
}

template <class Round>
Geometry read_round(ByteReader& in) {
  const auto radius = in.read<double>();
  return Round(radius, in.read<double>());
}

Geometry read_padded_polygon(ByteReader& in) {
  const auto points = read_all<2>(in, "points");
  return PaddedPolygon(points, in.read<double>());
}

Geometry read_superquadric(ByteReader& in) {
  const auto radii = in.read_matrix<3>();
  return Superquadric(radii, in.read_matrix<2>());
}

Geometry read_smooth_hull(ByteReader& in) {
  auto points = read_all<3>(in, "points");
  return SmoothHull(std::move(points), in.read<double>());
}

Geometry read_smooth_revolution(ByteReader& in) {
  auto profile = read_all<2>(in, "profile");
  const auto sharpness = in.read<double>();
  return SmoothRevolution(std::move(profile), sharpness, in.read<double>());
}

Geometry read_half_space(ByteReader& in) {
  const auto normal = in.read_matrix<3>();
  return HalfSpace(normal, in.read<double>());
}

Geometry read_triangle(ByteReader& in) {
  std::array<Vector3d, 3> points;
  for (Vector3d& point : points) point = in.read_matrix<3>();
  return Triangle(points);
}

Geometry read_mesh(ByteReader& in) {
  auto vertices = read_all<3>(in, "vertices");
  std::vector<TriangleMesh::Indices> triangles(in.read_count("triangles", sizeof(TriangleMesh::Indices)));
  for (TriangleMesh::Indices& triangle : triangles) {
    for (std::uint32_t& index : triangle) index = in.read<std::uint32_t>();
  }
  const auto tree = in.read_enum("tree", TreeKind::obb);
  if (!in.read_bool("has_first_vertices")) return TriangleMesh(std::move(vertices), std::move(triangles), tree);
  auto first = read_all<3>(in, "first_vertices");
  if (first.size() != vertices.size()) {
    throw InvalidInput("first_vertices", "must be as many as the vertices, " + std::to_string(vertices.size()),
                       static_cast<double>(first.size()));
  }
  for (const Vector3d& vertex : first) require_finite("first_vertices", vertex);
  return TriangleMesh(std::move(first), std::move(triangles), tree).with_vertices(std::move(vertices));
}

Geometry read_height_field(ByteReader& in) {
  const auto rows = in.read<std::uint64_t>();
  const std::size_t size = in.read_count("heights", sizeof(double));
  if (rows == 0 || rows > size || size % rows != 0) throw InvalidInput("heights", "must have as many in each row");
  Eigen::MatrixXd heights(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(size / rows));
  for (Eigen::Index i = 0; i < heights.size(); ++i) heights.data()[i] = in.read<double>();
  const auto spacing = in.read_matrix<2>();
  return HeightField(std::move(heights), spacing, in.read<double>());
}

void require_bounds(std::size_t depth, std::size_t leaves) {
  if (depth > kMaxShapeDepth) {
    throw InvalidInput("children", "compounds are nested deeper than " + std::to_string(kMaxShapeDepth) + " levels");
  }
  if (leaves > kMaxShapeLeaves) {
    throw InvalidInput("children", "the compounds have more than " + std::to_string(kMaxShapeLeaves) + " leaves");
  }
}

}  // namespace

void write_pose(ByteWriter& out, const Pose& pose) {
  out.write(pose.translation());
  out.write(pose.rotation());
}

Pose read_pose(ByteReader& in) {
  const auto translation = in.read_matrix<3>();
  return Pose::from_stored(translation, in.read_matrix<3, 3>());
}

void ShapeWriter::write(ByteWriter& out, const Shape& shape) {
  const Geometry& geometry = shape.geometry();
  const void* const data = shared_data(geometry);
  // First the table, whose entries must come in the order in which they refer to each other.
  const std::uint32_t entry = data == nullptr ? 0 : entry_of(geometry, data);
  out.write(static_cast<std::uint8_t>(geometry.index()));
  out.write(shape.margin());
  if (data != nullptr) {
    out.write(entry);
  } else {
    write_geometry(out, geometry);
  }
}

void ShapeWriter::write_geometry(ByteWriter& out, const Geometry& geometry) {
  std::visit(
      [&]<class G>(const G& shape) {
        if constexpr (!std::is_same_v<G, Compound>) write_numbers(out, shape);
      },
      geometry);
}

std::uint32_t ShapeWriter::entry_of(const Geometry& geometry, const void* data) {
  const std::pair<const void*, std::size_t> key(data, geometry.index());
  const auto found = entry_of_data_.find(key);
  if (found != entry_of_data_.end()) return found->second;

  Entry entry;
  ByteWriter record;
  record.write(static_cast<std::uint8_t>(geometry.index()));
  if (const auto* compound = std::get_if<Compound>(&geometry)) {
    entry.leaves = 0;
    record.write_count(compound->children().size());
    for (const CompoundChild& child : compound->children()) {
      write(record, child.shape);
      write_pose(record, child.pose);
      const void* const child_data = shared_data(child.shape.geometry());
      const Entry of_child =
          child_data == nullptr ? Entry() : entries_[entry_of_data_.at({child_data, child.shape.geometry().index()})];
      entry.depth = std::max(entry.depth, of_child.depth);
      entry.leaves += of_child.leaves;
    }
    record.write(compound->tree_kind());
    ++entry.depth;
    leaves_ += entry.leaves;
    require_bounds(entry.depth, leaves_);
  } else {
    write_geometry(record, geometry);
  }
  table_.write_bytes(record.bytes());
  entries_.push_back(entry);
  const auto place = static_cast<std::uint32_t>(entries_.size() - 1);
  entry_of_data_.emplace(key, place);
  return place;
}

void ShapeWriter::write_table(ByteWriter& out) const {
  out.write_count(entries_.size());
  out.write_bytes(table_.bytes());
}

void ShapeReader::read_table(ByteReader& in) {
  const std::size_t count = in.read_count("shapes", 1 + sizeof(std::uint64_t));
  std::size_t leaves = 0;
  for (std::size_t i = 0; i < count; ++i) {
    try {
      entries_.push_back(read_entry(in));
      if (std::holds_alternative<Compound>(entries_.back().geometry)) leaves += entries_.back().leaves;
      require_bounds(0, leaves);
    } catch (const InvalidInput& error) {
      throw error.within("shapes[" + std::to_string(i) + "]");
    }
  }
}

ShapeReader::Entry ShapeReader::read_entry(ByteReader& in) const {
  const auto kind = in.read<std::uint8_t>();
  Entry entry{Sphere(1.0)};
  switch (kind) {
    case 6:
      entry.geometry = ConvexHull::from_points(read_all<3>(in, "points"));
      break;
    case 8:
      entry.geometry = read_padded_polygon(in);
      break;
    case 10:
      entry.geometry = read_smooth_hull(in);
      break;
    case 11:
      entry.geometry = read_smooth_revolution(in);
      break;
    case 13:
      entry.geometry = read_mesh(in);
      break;
    case 14:
      entry.geometry = read_height_field(in);
      break;
    case 15:
      entry = read_compound(in);
      break;
    default:
      throw InvalidInput("kind", "must be one whose data are shared, got " + std::to_string(kind));
  }
  return entry;
}

ShapeReader::Entry ShapeReader::read_compound(ByteReader& in) const {
  Entry entry{.geometry = Sphere(1.0), .depth = 0, .leaves = 0};
  const std::size_t count = in.read_count("children", kRecordBytes + kPoseBytes);
  std::vector<CompoundChild> children;
  children.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const Entry* shared = nullptr;
      Shape shape = read(in, &shared);
      children.push_back({std::move(shape), read_pose(in)});
      entry.depth = std::max(entry.depth, shared == nullptr ? 0 : shared->depth);
      entry.leaves += shared == nullptr ? 1 : shared->leaves;
      require_bounds(entry.depth + 1, entry.leaves);
    } catch (const InvalidInput& error) {
      throw error.within("children[" + std::to_string(i) + "]");
    }
  }
  ++entry.depth;
  entry.geometry = Compound(std::move(children), in.read_enum("tree", TreeKind::obb));
  return entry;
}

Shape ShapeReader::read(ByteReader& in) const {
  const Entry* shared = nullptr;
  return read(in, &shared);
}

Shape ShapeReader::read(ByteReader& in, const Entry** shared) const {
  const auto kind = in.read<std::uint8_t>();
  const auto margin = in.read<double>();
  switch (kind) {
    case 0:
      return Shape(Sphere(in.read<double>()), margin);
    case 1:
      return Shape(Ellipsoid(in.read_matrix<3>()), margin);
    case 2:
      return Shape(Box(in.read_matrix<3>()), margin);
    case 3:
      return Shape(read_round<Capsule>(in), margin);
    case 4:
      return Shape(read_round<Cylinder>(in), margin);
    case 5:
      return Shape(read_round<Cone>(in), margin);
    case 7:
      return Shape(read_triangle(in), margin);
    case 9:
      return Shape(read_superquadric(in), margin);
    case 12:
      return Shape(read_half_space(in), margin);
    default:
      break;
  }
  const auto place = in.read<std::uint32_t>();
  if (place >= entries_.size() || entries_[place].geometry.index() != kind) {
    throw InvalidInput("shape", "kind " + std::to_string(kind) + " at place " + std::to_string(place) +
                                    " is not one of the " + std::to_string(entries_.size()) + " before it");
  }
  *shared = &entries_[place];
  return Shape(entries_[place].geometry, margin);
}

}  // namespace abut::detail

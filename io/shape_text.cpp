#include <abut/io/json_text.h>
#include <abut/io/shape_text.h>

#include <span>
#include <type_traits>
#include <variant>

namespace abut {
namespace {

using json::append_field;

// Appends ,"name":[item,item]
template <class Range, class Append>
void append_list(std::string& line, const char* name, const Range& range, const Append& append) {
  ((line += ",\"") += name) += "\":[";
  bool is_first = true;
  for (const auto& item : range) {
    if (!is_first) line += ',';
    is_first = false;
    append(item);
  }
  line += ']';
}

template <class Range>
void append_vectors(std::string& line, const char* name, const Range& vectors) {
  append_list(line, name, vectors, [&line](const auto& vector) { json::append(line, vector); });
}

void append_fields(std::string& line, const Sphere& shape) {
  append_field(line, "radius", shape.radius());
}
void append_fields(std::string& line, const Ellipsoid& shape) {
  append_field(line, "radii", shape.radii());
}
void append_fields(std::string& line, const Box& shape) {
  append_field(line, "half_extents", shape.half_extents());
}
template <class Round>
requires std::is_same_v<Round, Capsule> || std::is_same_v<Round, Cylinder> || std::is_same_v<Round, Cone>
void append_fields(std::string& line, const Round& shape) {
  append_field(line, "radius", shape.radius());
  append_field(line, "half_length", shape.half_length());
}
void append_fields(std::string& line, const ConvexHull& shape) {
  append_vectors(line, "points", shape.vertices());
}
void append_fields(std::string& line, const Triangle& shape) {
  append_vectors(line, "points", shape.points());
}
void append_fields(std::string& line, const PaddedPolygon& shape) {
  append_vectors(line, "points", shape.points());
  append_field(line, "radius", shape.radius());
}
void append_fields(std::string& line, const Superquadric& shape) {
  append_field(line, "radii", shape.radii());
  append_field(line, "exponents", shape.exponents());
}
void append_fields(std::string& line, const SmoothHull& shape) {
  append_vectors(line, "points", shape.points());
  append_field(line, "sharpness", shape.sharpness());
}
void append_fields(std::string& line, const SmoothRevolution& shape) {
  append_vectors(line, "profile", shape.profile());
  append_field(line, "sharpness", shape.sharpness());
  append_field(line, "flatness", shape.flatness());
}
void append_fields(std::string& line, const HalfSpace& shape) {
  append_field(line, "normal", shape.normal());
  append_field(line, "offset", shape.offset());
}
void append_fields(std::string& line, const TriangleMesh& shape) {
  append_vectors(line, "vertices", shape.vertices());
  append_list(line, "triangles", shape.triangles(), [&line](const TriangleMesh::Indices& triangle) {
    char separator = '[';
    for (const std::uint32_t index : triangle) {
      line += separator;
      json::append(line, std::size_t{index});
      separator = ',';
    }
    line += ']';
  });
}
void append_fields(std::string& line, const HeightField& shape) {
  append_list(line, "heights", shape.heights().rowwise(), [&line](const Eigen::RowVectorXd& row) {
    json::append(line, std::span<const double>(row.data(), static_cast<std::size_t>(row.size())));
  });
  append_field(line, "spacing", shape.spacing());
  append_field(line, "base", shape.base());
}
void append_fields(std::string& line, const Compound& shape) {
  append_list(line, "children", shape.children(), [&line](const CompoundChild& child) {
    line += "{\"shape\":";
    append_shape(line, child.shape);
    line += ",\"pose\":";
    append_pose(line, child.pose);
    line += '}';
  });
}

}  // namespace

void append_shape(std::string& line, const Shape& shape) {
  ((line += "{\"type\":\"") += shape.type_name()) += '"';
  std::visit([&line](const auto& geometry) { append_fields(line, geometry); }, shape.geometry());
  if (shape.margin() > 0.0) append_field(line, "margin", shape.margin());
  line += '}';
}

void append_pose(std::string& line, const Pose& pose) {
  static_cast<void>(Pose::from_stored(pose.translation(), pose.rotation()));  // JSON has no number that is not finite
  const Quaterniond q = pose.quaternion();
  line += "{\"translation\":";
  json::append(line, pose.translation());
  line += ",\"rotation\":";
  const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
  json::append(line, std::span<const double>(wxyz));
  if (Pose(pose.translation(), q) != pose) {
    append_list(line, "rotation_matrix", pose.rotation().rowwise(),
                [&line](const Eigen::RowVector3d& row) { json::append(line, std::span<const double>(row.data(), 3)); });
  }
  line += '}';
}

}  // namespace abut

#include <abut/io/file_error.h>
#include <abut/io/shape_json.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

struct Reader {
  ShapeFiles& files;
  UnknownFields unknown;
  int compound_depth = 0;
};

Shape read_shape(const Json& value, const Reader& reader);

// "file" and the fields that hold the same data in place exclude each other.
bool names_file(const Json& shape, const char* data, const char* more_data = nullptr) {
  const bool has_data =
      json::find(shape, data) != nullptr || (more_data != nullptr && json::find(shape, more_data) != nullptr);
  const bool has_file = json::find(shape, "file") != nullptr;
  const std::string fields = more_data == nullptr ? data : std::string(data) + " and " + more_data;
  if (has_file && has_data) throw InvalidInput("file", "excludes " + fields);
  if (!has_file && !has_data) throw InvalidInput(data, "is required (" + fields + ", or file)");
  return has_file;
}

template <class Load>
auto load(const Json& shape, Load load_file) {
  return json::within("file", [&] {
    try {
      return load_file(json::string(json::member(shape, "file")));
    } catch (const FileError& error) {
      throw InvalidInput("", error.what());
    }
  });
}

double number(const Json& shape, const char* name) {
  return json::field(shape, name, json::number);
}

template <int Size>
auto vector(const Json& shape, const char* name) {
  return json::field(shape, name, json::vector<Size>);
}

template <int Size>
auto vectors(const Json& shape, const char* name) {
  return json::field(shape, name, json::vectors<Size>);
}

Geometry read_sphere(const Json& shape, const Reader&) {
  return Sphere(number(shape, "radius"));
}

Geometry read_ellipsoid(const Json& shape, const Reader&) {
  return Ellipsoid(vector<3>(shape, "radii"));
}

Geometry read_box(const Json& shape, const Reader&) {
  return Box(vector<3>(shape, "half_extents"));
}

template <class Round>
Geometry read_round(const Json& shape, const Reader&) {
  return Round(number(shape, "radius"), number(shape, "half_length"));
}

Geometry read_convex(const Json& shape, const Reader& reader) {
  if (names_file(shape, "points")) {
    return load(shape, [&reader](const std::string& name) { return reader.files.hull(name); });
  }
  return ConvexHull::from_points(vectors<3>(shape, "points"));
}

Geometry read_triangle(const Json& shape, const Reader&) {
  const std::vector<Vector3d> points = vectors<3>(shape, "points");
  if (points.size() != 3) throw InvalidInput("points", "must be 3 points, got " + std::to_string(points.size()));
  return Triangle({points[0], points[1], points[2]});
}

Geometry read_padded_polygon(const Json& shape, const Reader&) {
  return PaddedPolygon(vectors<2>(shape, "points"), number(shape, "radius"));
}

Geometry read_superquadric(const Json& shape, const Reader&) {
  return Superquadric(vector<3>(shape, "radii"), vector<2>(shape, "exponents"));
}

Geometry read_smooth_hull(const Json& shape, const Reader&) {
  return SmoothHull(vectors<3>(shape, "points"), number(shape, "sharpness"));
}

Geometry read_smooth_revolution(const Json& shape, const Reader&) {
  return SmoothRevolution(vectors<2>(shape, "profile"), number(shape, "sharpness"), number(shape, "flatness"));
}

Geometry read_half_space(const Json& shape, const Reader&) {
  return HalfSpace(vector<3>(shape, "normal"), number(shape, "offset"));
}

TriangleMesh::Indices read_indices(const Json& value) {
  if (!value.is_array() || value.size() != 3) {
    throw InvalidInput("", "must be an array of 3 vertex indices, got " + json::describe(value));
  }
  TriangleMesh::Indices indices{};
  for (std::size_t k = 0; k < 3; ++k) {
    indices[k] = json::within(json::element("", k), [&] { return json::index(value[k]); });
  }
  return indices;
}

Geometry read_mesh(const Json& shape, const Reader& reader) {
  if (names_file(shape, "vertices", "triangles")) {
    return load(shape, [&reader](const std::string& name) { return reader.files.mesh(name); });
  }
  std::vector<Vector3d> vertices = vectors<3>(shape, "vertices");
  const Json& rows = json::member(shape, "triangles");
  json::within("triangles", [&] { json::require_array(rows); });
  std::vector<TriangleMesh::Indices> triangles;
  triangles.reserve(rows.size());
  for (const Json& row : rows) {
    triangles.push_back(json::within(json::element("triangles", triangles.size()), [&] { return read_indices(row); }));
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

Geometry read_height_field(const Json& shape, const Reader&) {
  const Json& rows = json::member(shape, "heights");
  json::within("heights", [&] { json::require_array(rows); });
  const std::size_t columns = rows.empty() || !rows[0].is_array() ? 0 : rows[0].size();
  Eigen::MatrixXd heights(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
  std::vector<double> row(columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json::within(json::element("heights", i), [&] { json::numbers(rows[i], row.data(), columns); });
    for (std::size_t j = 0; j < columns; ++j) {
      heights(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = row[j];
    }
  }
  return HeightField(std::move(heights), vector<2>(shape, "spacing"), number(shape, "base"));
}

Geometry read_compound(const Json& shape, const Reader& reader) {
  if (reader.compound_depth >= kMaxCompoundDepth) {
    throw InvalidInput("", "compounds are nested deeper than " + std::to_string(kMaxCompoundDepth) + " levels");
  }
  Reader inner = reader;
  ++inner.compound_depth;
  const Json& items = json::member(shape, "children");
  json::within("children", [&] { json::require_array(items); });
  std::vector<CompoundChild> children;
  children.reserve(items.size());
  for (const Json& item : items) {
    json::within(json::element("children", children.size()), [&] {
      json::require_object(item);
      if (inner.unknown == UnknownFields::refused) json::refuse_unknown_fields(item, {"shape", "pose"});
      children.push_back({json::field(item, "shape", [&](const Json& value) { return read_shape(value, inner); }),
                          read_pose_field(item, inner.unknown)});
    });
  }
  return Compound(std::move(children));
}

struct ShapeType {
  std::string_view name;
  Geometry (*read)(const Json&, const Reader&);
  std::array<std::string_view, 3> fields;  // beside type and margin
};

constexpr std::array kShapeTypes = {
    ShapeType{"sphere", read_sphere, {"radius"}},
    ShapeType{"ellipsoid", read_ellipsoid, {"radii"}},
    ShapeType{"box", read_box, {"half_extents"}},
    ShapeType{"capsule", read_round<Capsule>, {"radius", "half_length"}},
    ShapeType{"cylinder", read_round<Cylinder>, {"radius", "half_length"}},
    ShapeType{"cone", read_round<Cone>, {"radius", "half_length"}},
    ShapeType{"convex", read_convex, {"points", "file"}},
    ShapeType{"triangle", read_triangle, {"points"}},
    ShapeType{"padded_polygon", read_padded_polygon, {"points", "radius"}},
    ShapeType{"superquadric", read_superquadric, {"radii", "exponents"}},
    ShapeType{"smooth_hull", read_smooth_hull, {"points", "sharpness"}},
    ShapeType{"smooth_revolution", read_smooth_revolution, {"profile", "sharpness", "flatness"}},
    ShapeType{"halfspace", read_half_space, {"normal", "offset"}},
    ShapeType{"mesh", read_mesh, {"file", "vertices", "triangles"}},
    ShapeType{"height_field", read_height_field, {"heights", "spacing", "base"}},
    ShapeType{"compound", read_compound, {"children"}},
};

const ShapeType& find_type(const std::string& name) {
  const auto* found = std::find_if(kShapeTypes.begin(), kShapeTypes.end(),
                                   [&name](const ShapeType& type) { return type.name == name; });
  if (found != kShapeTypes.end()) return *found;
  if (name == "circle" || name == "polygon") {
    throw InvalidInput("type", json::quoted(name) + " is planar: it needs \"dimension\": 2 in the query");
  }
  std::string known;
  for (const ShapeType& type : kShapeTypes) (known += known.empty() ? "" : ", ") += type.name;
  throw InvalidInput("type", json::quoted(name) + " is not a shape; known are " + known);
}

Shape read_shape(const Json& value, const Reader& reader) {
  json::require_object(value);
  const ShapeType& type = find_type(json::field(value, "type", json::string));
  if (reader.unknown == UnknownFields::refused) {
    json::refuse_unknown_fields(value, {"type", type.fields[0], type.fields[1], type.fields[2], "margin"});
  }
  const Json* margin = json::find(value, "margin");
  return Shape(type.read(value, reader), margin == nullptr ? 0.0 : number(value, "margin"));
}

// The pose with the rotation matrix that its quaternion is the rounding of.
Pose exact_pose(const Pose& pose, const Json& rows) {
  constexpr double kAgreement = 1e-6;
  if (!rows.is_array() || rows.size() != 3) {
    throw InvalidInput("", "must be an array of 3 rows, got " + json::describe(rows));
  }
  Matrix3d rotation;
  for (Eigen::Index i = 0; i < 3; ++i) {
    const auto row = static_cast<std::size_t>(i);
    rotation.row(i) = json::within(json::element("", row), [&] { return json::vector<3>(rows[row]); });
  }
  const double difference = (rotation - pose.rotation()).cwiseAbs().maxCoeff();
  if (!(difference <= kAgreement)) throw InvalidInput("", "must be that of rotation, to within 1e-6", difference);
  return Pose::from_stored(pose.translation(), rotation);
}

}  // namespace

Shape read_shape(const Json& value, ShapeFiles& files, UnknownFields unknown) {
  return read_shape(value, Reader{files, unknown});
}

Pose read_pose(const Json& value, UnknownFields unknown) {
  json::require_object(value);
  if (unknown == UnknownFields::refused) json::refuse_unknown_fields(value, {"translation", "rotation"});
  Vector3d translation = Vector3d::Zero();
  Quaterniond rotation = Quaterniond::Identity();
  if (json::find(value, "translation") != nullptr) translation = vector<3>(value, "translation");
  if (json::find(value, "rotation") != nullptr) {
    const Eigen::Vector4d wxyz = vector<4>(value, "rotation");
    rotation = Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  }
  const Pose pose(translation, rotation);
  const Json* rows = unknown == UnknownFields::ignored ? json::find(value, "rotation_matrix") : nullptr;
  return rows == nullptr ? pose : json::within("rotation_matrix", [&] { return exact_pose(pose, *rows); });
}

Pose read_pose_field(const Json& object, UnknownFields unknown) {
  const Json* pose = json::find(object, "pose");
  if (pose == nullptr) return Pose();
  return json::within("pose", [&] { return read_pose(*pose, unknown); });
}

}  // namespace abut

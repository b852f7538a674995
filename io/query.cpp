#include <abut/core/error.h>
#include <abut/io/json.h>
#include <abut/io/query.h>
#include <abut/io/query_request.h>
#include <abut/io/shape_json.h>
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace abut {
namespace {

struct Body {
  Shape shape;
  Pose pose;  // world_from_body
};

Body read_body(const Json& query, const char* name, ShapeFiles& files) {
  return json::field(query, name, [&files](const Json& value) {
    json::require_object(value);
    Shape shape = json::field(value, "shape",
                              [&files](const Json& field) { return read_shape(field, files, UnknownFields::ignored); });
    return Body{std::move(shape), read_pose_field(value, UnknownFields::ignored)};
  });
}

std::string answer_spatial_query(const Json& query, detail::QueryRequest& request, ShapeFiles& files) {
  const Body a = read_body(query, "a", files);
  const Body b = read_body(query, "b", files);
  PairCache* const start = request.start ? &*request.start : nullptr;
  if (request.collide_only) {
    const bool hit = collides(a.shape, a.pose, b.shape, b.pose, request.security_margin, request.options, start);
    return detail::collide_line(request, hit);
  }
  const Separation separation = distance(a.shape, a.pose, b.shape, b.pose, request.options, start);
  const detail::Witness<Vector3d> witness{separation.point_a, separation.point_b, separation.normal};
  // A bound says nothing of the points of composites, and of depths not whether the bodies touch.
  const bool is_bound = separation.status == SolveStatus::beyond_limit;
  const bool is_unspecified = is_bound && (a.shape.is_composite() || b.shape.is_composite());
  const bool hit =
      is_bound && separation.distance <= 0.0 ? collides(a.shape, a.pose, b.shape, b.pose) : separation.distance <= 0.0;
  std::string line = detail::distance_line(request, separation, hit, is_unspecified ? nullptr : &witness);
  if (request.wants_derivatives) {
    std::optional<SeparationDerivatives> by_pose;
    if (!is_unspecified) by_pose = derivatives(a.shape, a.pose, b.shape, b.pose, separation);
    detail::append_derivatives(line, by_pose);
  }
  return line;
}

QueryAnswer answer_line(std::string_view line, std::size_t line_number, ShapeFiles& files) {
  std::optional<std::string> id;
  try {
    const Json query = json::parse(line, id, std::max<std::size_t>(line_number, 1));
    json::within("query line", [&query] { json::require_object(query); });
    static_cast<void>(json::field(query, "id", json::string));
    detail::QueryRequest request = detail::read_request(query);
    request.id = *id;
    return {request.dimension == 2 ? detail::answer_planar_query(query, request)
                                   : answer_spatial_query(query, request, files)};
  } catch (const std::exception& error) {
    return error_answer(id ? &*id : nullptr, error.what(), line_number);
  }
}

void add_files(const Json& body, std::set<std::string>& names) {
  const Json* const shape = body.is_object() ? json::find(body, "shape") : nullptr;
  if (shape == nullptr || !shape->is_object()) return;
  const Json* const file = json::find(*shape, "file");
  if (file != nullptr && file->is_string()) names.insert(file->get<std::string>());
  const Json* const children = json::find(*shape, "children");
  if (children == nullptr || !children->is_array()) return;
  for (const Json& child : *children) add_files(child, names);
}

}  // namespace

QueryAnswer error_answer(const std::string* id, std::string_view what, std::size_t line_number) {
  const std::string quoted_id = id == nullptr ? "null" : json::quoted(*id);
  std::string error;
  if (id == nullptr && line_number > 0) error = "line " + std::to_string(line_number) + ": ";
  error += what;
  return {"{\"id\":" + quoted_id + ",\"status\":\"error\",\"error\":" + json::quoted(error) + "}", true};
}

std::set<std::string> named_files(std::string_view line) {
  std::set<std::string> names;
  try {
    const Json query = json::parse(line);
    for (const char* name : {"a", "b"}) {
      const Json* const body = query.is_object() ? json::find(query, name) : nullptr;
      if (body != nullptr) add_files(*body, names);
    }
  } catch (const InvalidInput&) {
    return {};  // its answer will be an error
  }
  return names;
}

QueryAnswerer::QueryAnswerer(std::filesystem::path folder, std::filesystem::path output)
    : files_(std::move(folder), std::move(output)) {}

QueryAnswer QueryAnswerer::answer(std::string_view line, std::size_t line_number) noexcept {
  return answer_line(line, line_number, files_);
}

}  // namespace abut

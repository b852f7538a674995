// Queries with "dimension": 2: planar shapes and poses from JSON, and the answer.
#include <abut/io/query_request.h>
#include <abut/narrowphase/planar/planar_distance.h>

namespace abut::detail {
namespace {

using Eigen::Vector2d;

struct Body {
  planar::Shape shape;
  planar::Pose pose;  // world_from_body
};

planar::Shape read_planar_shape(const Json& value) {
  json::require_object(value);
  const std::string& type = json::field(value, "type", json::string);
  const double margin = json::find(value, "margin") == nullptr ? 0.0 : json::field(value, "margin", json::number);
  if (type == "circle") return planar::Shape::circle(json::field(value, "radius", json::number), margin);
  if (type == "capsule") {
    return planar::Shape::capsule(json::field(value, "radius", json::number),
                                  json::field(value, "half_length", json::number), margin);
  }
  if (type == "polygon") return planar::Shape::polygon(json::field(value, "points", json::vectors<2>), margin);
  throw InvalidInput("type", json::quoted(type) + " is not a planar shape; known are circle, polygon and capsule");
}

planar::Pose read_planar_pose(const Json& value) {
  json::require_object(value);
  Vector2d translation = Vector2d::Zero();
  double angle = 0.0;
  if (json::find(value, "translation") != nullptr) translation = json::field(value, "translation", json::vector<2>);
  if (json::find(value, "rotation") != nullptr) angle = json::field(value, "rotation", json::number);
  return {translation, angle};
}

Body read_body(const Json& query, const char* name) {
  return json::field(query, name, [](const Json& value) {
    json::require_object(value);
    Body body{json::field(value, "shape", read_planar_shape), {}};
    if (json::find(value, "pose") != nullptr) body.pose = json::field(value, "pose", read_planar_pose);
    return body;
  });
}

}  // namespace

std::string answer_planar_query(const Json& query, const QueryRequest& request) {
  if (request.options.solver != Solver::automatic && request.options.solver != Solver::gjk) {
    throw InvalidInput("solver", json::quoted(request.solver) + " does not serve planar shapes; auto and gjk do");
  }
  const Body a = read_body(query, "a");
  const Body b = read_body(query, "b");
  planar::Options options;
  if (request.options.solver == Solver::gjk) options.method = planar::Method::gjk;
  if (request.collide_only) {
    return collide_line(request, planar::collides(a.shape, a.pose, b.shape, b.pose, request.security_margin, options));
  }
  const planar::Separation planar = planar::separation(a.shape, a.pose, b.shape, b.pose, options);
  Separation separation;
  separation.distance = planar.distance;
  separation.distance_error = planar.distance_error;
  separation.iterations = planar.iterations;
  separation.solver = request.options.solver;  // that of auto has no name in the format
  const Witness<Vector2d> witness{planar.point_a, planar.point_b, planar.normal};
  return distance_line(request, separation, separation.distance <= 0.0, &witness);
}

}  // namespace abut::detail

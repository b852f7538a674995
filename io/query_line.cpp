#include <abut/core/error.h>
#include <abut/io/json.h>
#include <abut/io/json_text.h>
#include <abut/io/query_line.h>
#include <abut/io/shape_text.h>
#include <abut/io/solver_names.h>
#include <abut/narrowphase/distance.h>

#include <cmath>
#include <cstdint>

namespace abut {
namespace {

void append_body(std::string& line, const char* name, const Shape& shape, const Pose& pose) {
  ((line += ",\"") += name) += "\":{\"shape\":";
  append_shape(line, shape);
  line += ",\"pose\":";
  try {
    append_pose(line, pose);
  } catch (const InvalidInput& error) {
    throw error.within(std::string(name).append(".pose"));
  }
  line += '}';
}

bool has_start(const DistanceOptions& options, const PairCache* start) {
  if (start == nullptr) return false;
  return start->has_solution || options.warm_start != DistanceOptions().warm_start;
}

// What the query format has no field for.
void append_replay(std::string& line, const DistanceOptions& options, const PairCache* start) {
  std::string fields;
  if (std::isfinite(options.max_distance)) json::append_field(fields, "max_distance", options.max_distance);
  if (options.max_iterations != DistanceOptions().max_iterations) {
    json::append_field(fields, "max_iterations", options.max_iterations);
  }
  if (has_start(options, start)) {
    const auto& [has_solution, cores_overlap, normal_a, point_a, point_b, corners] = *start;  // all of it
    ((fields += ",\"warm_start\":\"") += warm_start_name(options.warm_start)) += '"';
    if (has_solution) {
      json::append_field(fields, "normal_a", normal_a);
      json::append_field(fields, "point_a", point_a);
      json::append_field(fields, "point_b", point_b);
      (fields += ",\"cores_overlap\":") += cores_overlap ? "true" : "false";
      fields += ",\"corners\":[";
      for (std::uint32_t i = 0; i < corners.count; ++i) {
        fields += i == 0 ? "[" : ",[";
        json::append(fields, std::size_t{corners.of_a[i]});
        fields += ',';
        json::append(fields, std::size_t{corners.of_b[i]});
        fields += ']';
      }
      fields += ']';
    }
  }
  if (fields.empty()) return;
  ((line += ",\"replay\":{") += std::string_view(fields).substr(1)) += '}';
}

}  // namespace

std::string query_line(std::string_view id, const Shape& a, const Pose& world_from_a, const Shape& b,
                       const Pose& world_from_b, const DistanceOptions& options, const PairCache* start) {
  std::string line = "{\"id\":";
  (line += json::quoted(id)) += ",\"query\":\"distance\"";
  append_body(line, "a", a, world_from_a);
  append_body(line, "b", b, world_from_b);
  if (options.solver != Solver::automatic) ((line += ",\"solver\":\"") += solver_name(options.solver)) += '"';
  if (options.tolerance > 0.0) json::append_field(line, "tolerance", options.tolerance);
  append_replay(line, options, start);
  line += '}';
  return line;
}

std::string query_line(std::string_view id, const Scene& scene, const UnconvergedPair& unconverged) {
  const auto& [pair, separation, options, start] = unconverged;
  const Shape& a = scene.shape(pair.a);
  const Shape& b = scene.shape(pair.b);
  const Pose& world_from_a = scene.pose(pair.a);
  const Pose& world_from_b = scene.pose(pair.b);
  const DistanceOptions plain{.solver = options.solver, .tolerance = options.tolerance};
  const Separation cold = distance(a, world_from_a, b, world_from_b, plain);
  PairCache memory = start;
  const Separation warm = distance(a, world_from_a, b, world_from_b, options, &memory);
  const bool is_same = cold.distance == separation.distance && cold.distance_error == separation.distance_error;
  const bool is_plain = is_same || warm.status != SolveStatus::iteration_limit;
  std::string line = is_plain ? query_line(id, a, world_from_a, b, world_from_b, plain)
                              : query_line(id, a, world_from_a, b, world_from_b, options, &start);
  line.pop_back();
  ((line += ",\"expected\":{\"status\":\"") += status_name(separation.status)) += '"';
  if (std::isfinite(separation.distance)) json::append_field(line, "distance", separation.distance);
  if (std::isfinite(separation.distance_error)) {
    json::append_field(line, "distance_error", separation.distance_error);
  }
  line += "}}";
  return line;
}

}  // namespace abut

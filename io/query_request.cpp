#include <abut/io/json_text.h>
#include <abut/io/query_request.h>
#include <abut/io/solver_names.h>

#include <cmath>
#include <limits>
#include <span>

namespace abut::detail {
namespace {

// Far beyond what any solver needs; one query must not take hours.
constexpr std::uint32_t kMostIterations = 1'000'000;

bool read_kind(const Json& value) {
  const std::string& kind = json::string(value);
  if (kind == "collide") return true;
  if (kind == "distance") return false;
  throw InvalidInput("", json::quoted(kind) + " is not a query; known are distance and collide");
}

int read_dimension(const Json& value) {
  const std::uint32_t dimension = json::index(value);
  if (dimension != 2 && dimension != 3) throw InvalidInput("", "must be 2 or 3", dimension);
  return static_cast<int>(dimension);
}

double read_length(const Json& query, const char* name) {
  const double length = json::field(query, name, json::number);
  require_not_negative(name, length);
  return length;
}

// Pairs of vertices, [of a, of b], three at most.
CornerVertices read_corners(const Json& value) {
  json::require_array(value);
  CornerVertices corners;
  if (value.size() > corners.of_a.size()) throw InvalidInput("", "must be at most 3 pairs of vertices");
  for (; corners.count < value.size(); ++corners.count) {
    json::within(json::element("", corners.count), [&] {
      const Json& pair = value[corners.count];
      if (!pair.is_array() || pair.size() != 2) {
        throw InvalidInput("", "must be an array of 2 vertices, got " + json::describe(pair));
      }
      corners.of_a[corners.count] = json::index(pair[0]);
      corners.of_b[corners.count] = json::index(pair[1]);
    });
  }
  return corners;
}

PairCache read_start(const Json& replay) {
  PairCache start;
  if (json::find(replay, "normal_a") == nullptr) return start;
  start.has_solution = true;
  start.normal_a = json::field(replay, "normal_a", json::vector<3>);
  start.point_a = json::field(replay, "point_a", json::vector<3>);
  start.point_b = json::field(replay, "point_b", json::vector<3>);
  start.cores_overlap = json::field(replay, "cores_overlap", json::boolean);
  start.corners = json::field(replay, "corners", read_corners);
  // Solvers start from it and check nothing; vertices that do not exist are not used.
  if (!(std::abs(start.normal_a.norm() - 1.0) <= 1e-3)) throw InvalidInput("normal_a", "must be unit");
  return start;
}

// What query_line() writes beside the fields of the format.
void read_replay(const Json& replay, QueryRequest& request) {
  json::require_object(replay);
  json::refuse_unknown_fields(replay, {"max_distance", "max_iterations", "warm_start", "normal_a", "point_a", "point_b",
                                       "cores_overlap", "corners"});
  if (json::find(replay, "max_distance") != nullptr) {
    request.options.max_distance = json::field(replay, "max_distance", json::number);
  }
  if (json::find(replay, "max_iterations") != nullptr) {
    const std::uint32_t limit = json::field(replay, "max_iterations", json::index);
    if (limit < 1 || limit > kMostIterations) {
      throw InvalidInput("max_iterations", "must be from 1 to " + std::to_string(kMostIterations), limit);
    }
    request.options.max_iterations = static_cast<int>(limit);
  }
  if (json::find(replay, "warm_start") != nullptr) {
    request.options.warm_start =
        json::field(replay, "warm_start", [](const Json& value) { return warm_start_from_name(json::string(value)); });
    request.start = read_start(replay);
  }
}

std::string open_line(const QueryRequest& request, bool collides) {
  return "{\"id\":" + json::quoted(request.id) + ",\"collides\":" + (collides ? "true" : "false");
}

void append_name(std::string& line, const char* field, std::string_view name) {
  ((((line += ",\"") += field) += "\":\"") += name) += '"';
}

void require_finite_result(const std::string& field, double value, SolveStatus status) {
  if (std::isfinite(value)) return;
  // A converged answer overflows; one that did not converge need not have a bound.
  const bool has_converged = status == SolveStatus::converged;
  throw InvalidInput(
      "", "the result is not finite: " + field + " is " + (std::isnan(value) ? "not a number" : "infinite") + "; " +
              (has_converged ? "the shapes or the coordinates are too large"
                             : "the solver did not converge: its status is " + std::string(status_name(status))));
}

template <class Vector>
void require_finite_vector(const char* field, const Vector& value, SolveStatus status) {
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    require_finite_result(json::element(field, static_cast<std::size_t>(i)), value[i], status);
  }
}

bool is_finite(const PoseDerivatives& by) {
  return by.distance.allFinite() && by.point_a.allFinite() && by.point_b.allFinite() && by.normal.allFinite();
}

using Row = Eigen::Matrix<double, 1, 6>;

// A matrix as the list of its rows.
void append_rows(std::string& line, const char* field, const Eigen::Matrix<double, 3, 6>& matrix) {
  ((line += ",\"") += field) += "\":";
  char separator = '[';
  for (int i = 0; i < 3; ++i) {
    line += separator;
    const Row row = matrix.row(i);
    json::append(line, std::span<const double>(row.data(), 6));
    separator = ',';
  }
  line += ']';
}

void append_pose_derivatives(std::string& line, const char* field, const PoseDerivatives* by) {
  ((line += ",\"") += field) += "\":";
  if (by == nullptr) {
    line += "null";
    return;
  }
  line += "{\"distance\":";
  json::append(line, std::span<const double>(by->distance.data(), 6));
  append_rows(line, "point_a", by->point_a);
  append_rows(line, "point_b", by->point_b);
  append_rows(line, "normal", by->normal);
  line += '}';
}

}  // namespace

QueryRequest read_request(const Json& query) {
  QueryRequest request;
  request.collide_only = json::field(query, "query", read_kind);
  if (json::find(query, "dimension") != nullptr) request.dimension = json::field(query, "dimension", read_dimension);
  if (json::find(query, "solver") != nullptr) {
    request.solver = json::field(query, "solver", json::string);
    request.options.solver = json::within("solver", [&] { return solver_from_name(request.solver); });
  }
  if (json::find(query, "tolerance") != nullptr) request.options.tolerance = read_length(query, "tolerance");
  if (json::find(query, "security_margin") != nullptr) {
    request.security_margin = read_length(query, "security_margin");
    if (!request.collide_only) throw InvalidInput("security_margin", "is for collide queries only");
  }
  if (json::find(query, "derivatives") != nullptr) {
    request.wants_derivatives = json::field(query, "derivatives", json::boolean);
    if (request.wants_derivatives && request.collide_only) {
      throw InvalidInput("derivatives", "are for distance queries only");
    }
    if (request.wants_derivatives && request.dimension == 2) {
      throw InvalidInput("derivatives", "not available in the plane in this version");
    }
  }
  if (const Json* replay = json::find(query, "replay"); replay != nullptr) {
    if (request.dimension == 2) throw InvalidInput("replay", "not available in the plane");
    json::within("replay", [&] { read_replay(*replay, request); });
  }
  return request;
}

std::string collide_line(const QueryRequest& request, bool collides) {
  std::string line = open_line(request, collides);
  append_name(line, "solver", request.solver);
  append_name(line, "status", status_name(SolveStatus::converged));
  line += '}';
  return line;
}

template <class Vector>
std::string distance_line(const QueryRequest& request, const Separation& separation, bool collides,
                          const Witness<Vector>* witness) {
  const bool has_error = separation.status != SolveStatus::beyond_limit ||
                         separation.distance_error < std::numeric_limits<double>::infinity();
  require_finite_result("distance", separation.distance, separation.status);
  if (has_error) require_finite_result("distance_error", separation.distance_error, separation.status);
  if (witness != nullptr) {
    require_finite_vector("point_a", witness->point_a, separation.status);
    require_finite_vector("point_b", witness->point_b, separation.status);
    require_finite_vector("normal", witness->normal, separation.status);
  }
  std::string line = open_line(request, collides);
  json::append_field(line, "distance", separation.distance);
  if (witness != nullptr) {
    json::append_field(line, "point_a", witness->point_a);
    json::append_field(line, "point_b", witness->point_b);
    json::append_field(line, "normal", witness->normal);
  }
  append_name(line, "solver", answering_solver_name(separation.solver));
  json::append_field(line, "iterations", separation.iterations);
  append_name(line, "status", status_name(separation.status));
  if (has_error) json::append_field(line, "distance_error", separation.distance_error);
  line += '}';
  return line;
}

void append_derivatives(std::string& line, const std::optional<SeparationDerivatives>& derivatives) {
  if (derivatives && !(is_finite(derivatives->by_a) && is_finite(derivatives->by_b))) {
    throw InvalidInput("", "the derivatives are not finite: the shapes or the coordinates are too large");
  }
  line.pop_back();
  append_pose_derivatives(line, "derivatives", derivatives ? &derivatives->by_b : nullptr);
  append_pose_derivatives(line, "derivatives_a", derivatives ? &derivatives->by_a : nullptr);
  if (derivatives) {
    const auto flag = [](bool is_smooth) { return is_smooth ? "true" : "false"; };
    (line += ",\"derivatives_smooth\":{\"distance\":") += flag(derivatives->is_distance_smooth);
    (line += ",\"points\":") += flag(derivatives->are_points_smooth);
    (line += ",\"normal\":") += flag(derivatives->is_normal_smooth);
    line += '}';
  }
  line += '}';
}

template std::string distance_line(const QueryRequest&, const Separation&, bool, const Witness<Eigen::Vector2d>*);
template std::string distance_line(const QueryRequest&, const Separation&, bool, const Witness<Eigen::Vector3d>*);

}  // namespace abut::detail

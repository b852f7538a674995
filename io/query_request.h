// The fields of a query beside its two bodies, and the result line: what queries in space and in the plane share.
#pragma once

#include <abut/io/json.h>
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/separation.h>

#include <optional>
#include <string>

namespace abut::detail {

struct QueryRequest {
  std::string id;
  bool collide_only = false;
  int dimension = 3;
  DistanceOptions options;
  double security_margin = 0.0;  // metres; 0 in a distance query
  std::string solver = "auto";   // as asked for
  bool wants_derivatives = false;
  std::optional<PairCache> start;  // of a query that is asked again, see query_line.h
};

/// @throws InvalidInput  naming the field. The id is not read here: an error needs it too.
[[nodiscard]] QueryRequest read_request(const Json& query);

/// {"id":..,"collides":..,"status":"converged","solver":..}: the answer to a collide query.
[[nodiscard]] std::string collide_line(const QueryRequest& request, bool collides);

/// What an answer to a distance query says of its points; vectors of two or three coordinates.
template <class Vector>
struct Witness {
  const Vector& point_a;
  const Vector& point_b;
  const Vector& normal;
};

/// The answer to a distance query.
/// @param separation  Its distance, status, solver and iterations are written, and distance_error, but for the infinite
///                    one of an answer beyond the limit.
/// @param collides    Whether the bodies touch or overlap: a bound on the distance need not tell.
/// @param witness     nullptr leaves the points and the normal out.
/// @throws InvalidInput  without a field, when a number is not finite: the message names it. Either the coordinates are
///                       near the end of the range of double, or the solver stopped without a bound on the error.
template <class Vector>
[[nodiscard]] std::string distance_line(const QueryRequest& request, const Separation& separation, bool collides,
                                        const Witness<Vector>* witness);

/// Adds "derivatives", "derivatives_a" and "derivatives_smooth" (the flags of SeparationDerivatives) to a result; the
/// first two null and the last left out where there is no answer to differentiate.
void append_derivatives(std::string& line, const std::optional<SeparationDerivatives>& derivatives);

/// The answer to a planar query, from the bodies of `query`. @throws InvalidInput  naming the field.
[[nodiscard]] std::string answer_planar_query(const Json& query, const QueryRequest& request);

}  // namespace abut::detail

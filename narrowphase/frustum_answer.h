// The answer of a cylinder or a cone and a polytope, or of two such, from a normal and vertices that are near it: by
// the planes of frustum_planes.h.
#pragma once

#include <abut/narrowphase/frustum_planes.h>
#include <abut/narrowphase/polytope_answer.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace abut::detail {

/// How near a normal has to be to the axis for its end to be tried first: cos of 0.05 radians.
inline constexpr double kAlongAxis = 0.99875;
/// How near it has to be to those of the side for this to be tried: sines, of about 0.2 radians.
inline constexpr double kAlongSide = 0.2;
/// The plane of a face, an edge or a vertex of the other body against a frustum. Vertices across whose side the answer
/// lies are dropped.
/// @param out    About out of the other body.
/// @param least  See rim_vertex_guess.
[[nodiscard]] inline std::optional<PlaneGuess> feature_guess(const PlacedFrustum& frustum, FeatureVertices& feature,
                                                             const Vector3d& out, double least) {
  if (feature.count == 3) {
    std::optional<PlaneGuess> guess = face_guess(frustum, feature, out);
    if (!guess || guess->margin >= 0.0) return guess;
  }
  const auto& points = feature.points;
  if (feature.count == 2) {
    const Vector3d e = points[1] - points[0];
    std::optional<PlaneGuess> guess = crossing_guess(frustum, points[0], e, out);
    const bool is_on_line = guess && guess->out.dot(out) >= kLargestTurn &&
                            std::abs((guess->on_curved - frustum.center).dot(frustum.axis)) <= frustum.half_length;
    if (!is_on_line) guess = rim_edge_guess(frustum, points[0], e, out);
    if (!guess) return std::nullopt;
    if (guess->margin >= 0.0) return guess;
    feature.drop((guess->on_other - points[0]).dot(e) < 0.5 * e.squaredNorm() ? 1 : 0);
  }
  const double rise = -out.dot(frustum.axis);
  const double end = frustum.end_towards(rise);
  // The end where the normal is nearer to the axis than to those of the side, by the cosine of twice half the angle.
  if (end * rise > 0.0 && 2.0 * rise * rise > 1.0 + end * frustum.side_sine && frustum.radius(end) > 0.0) {
    const PlaneGuess guess = end_guess(frustum, end, points[0]);
    if (guess.margin >= 0.0) return guess;
  }
  std::optional<PlaneGuess> guess = side_guess(frustum, points[0]);
  if (guess && guess->margin < 0.0) guess = rim_vertex_guess(frustum, end, points[0], least);
  return guess;
}

/// A polytope and a frustum: first an end of the frustum whose axis is about the normal.
/// @param normal     About from a to b, unit. @param corners  Vertices that most likely carry the answer.
/// @param tolerance  Gap to close, metres.
/// @return           See proven().
template <class Difference, class Polytope>
[[nodiscard]] std::optional<EpaResult> frustum_answer(const Difference& difference, const Polytope& polytope,
                                                      const PlacedFrustum& frustum, const Vector3d& normal,
                                                      const CornerVertices& corners, double tolerance) {
  const Vector3d out = Polytope::kBodyIsA ? normal : Vector3d(-normal);  // of the polytope
  const double along = out.dot(frustum.axis);
  const double end = along < 0.0 ? 1.0 : -1.0;
  if (std::abs(along) >= kAlongAxis && frustum.radius(end) > 0.0) {
    const Vector3d highest = polytope.highest(-end * frustum.axis).point;
    const PlaneGuess guess = end_guess(frustum, end, highest);
    if (auto answer = proven(difference, frustum, guess, Polytope::kBodyIsA, highest, tolerance)) return answer;
  }
  return polytope_answer(difference, polytope, frustum, normal, corners, tolerance);
}

/// In either order.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> frustum_answer(const Difference& difference, const Vector3d& normal,
                                                      const CornerVertices& corners, double tolerance) {
  using A = typename std::remove_cvref_t<decltype(difference.a())>::Geometry;
  using B = typename std::remove_cvref_t<decltype(difference.b())>::Geometry;
  const Pose& a_from_b = difference.a_from_b();
  if constexpr (kIsPolytope<A>) {
    const PlacedPolytope<A, true> polytope{difference.a().geometry(), a_from_b};
    return frustum_answer(difference, polytope, PlacedFrustum(difference.b().geometry(), a_from_b), normal, corners,
                          tolerance);
  } else {
    const PlacedPolytope<B, false> polytope{difference.b().geometry(), a_from_b};
    return frustum_answer(difference, polytope, PlacedFrustum(difference.a().geometry(), Pose()), normal, corners,
                          tolerance);
  }
}

/// Two frustums: an end of either, two side lines across each other, the side of one across a rim of the other, or rim
/// across rim.
/// @param normal  About from a to b, unit.
/// @return        See proven().
template <class Difference>
[[nodiscard]] std::optional<EpaResult> two_frustums_answer(const Difference& difference, const Vector3d& normal,
                                                           double tolerance) {
  const PlacedFrustum a(difference.a().geometry(), Pose());
  const PlacedFrustum b(difference.b().geometry(), difference.a_from_b());
  const auto proven_of_b = [&](const PlaneGuess& guess) {
    return proven(difference, b, guess, /*other_is_a=*/true, a.farthest(guess.out), tolerance);
  };
  const auto proven_of_a = [&](const PlaneGuess& guess) {
    return proven(difference, a, guess, /*other_is_a=*/false, b.farthest(guess.out), tolerance);
  };
  const double rise_a = normal.dot(a.axis);  // of the normal out of a
  const double rise_b = -normal.dot(b.axis);
  const double end_a = rise_a < 0.0 ? -1.0 : 1.0;
  const double end_b = rise_b < 0.0 ? -1.0 : 1.0;
  if (std::abs(rise_a) >= kAlongAxis && a.radius(end_a) > 0.0) {
    if (auto answer = proven_of_a(end_guess(a, end_a, b.farthest(-end_a * a.axis)))) return answer;
  }
  if (std::abs(rise_b) >= kAlongAxis && b.radius(end_b) > 0.0) {
    if (auto answer = proven_of_b(end_guess(b, end_b, a.farthest(-end_b * b.axis)))) return answer;
  }
  const bool is_along_side_a = std::abs(rise_a - a.side_sine) <= kAlongSide;
  const bool is_along_side_b = std::abs(rise_b - b.side_sine) <= kAlongSide;
  std::optional<PlaneGuess> guess;
  if (is_along_side_a && is_along_side_b && (guess = sides_guess(b, a, normal))) {
    if (auto answer = proven_of_b(*guess)) return answer;
  }
  if (is_along_side_a && (guess = rim_side_guess(b, a, normal))) {
    if (auto answer = proven_of_b(*guess)) return answer;
  }
  if (is_along_side_b && (guess = rim_side_guess(a, b, -normal))) {
    if (auto answer = proven_of_a(*guess)) return answer;
  }
  if ((guess = rims_guess(b, a, normal))) return proven_of_b(*guess);
  return std::nullopt;
}

}  // namespace abut::detail

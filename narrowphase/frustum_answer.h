// The answer of a cylinder or a cone and a polytope, or of two such, from a normal and vertices that are near it: the
// last answer of the pair, or where GJK or EPA has come to. Planes that may carry it are tried in turn
// (frustum_planes.h), and one that is proven ends the search.
//
// In all of them the plane's offset is the support value of both bodies along the normal, which one look-up decides.
// Where that finds a vertex that lies higher it joins the ones before, and one across whose side the answer lies leaves
// them: so the search goes from feature to feature, and bodies that roll are followed.
#pragma once

#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/frustum_planes.h>
#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/remembered_corners.h>
#include <abut/narrowphase/separation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace abut::detail {

/// Features of the other body that are tried in turn.
inline constexpr int kMaxLooks = 8;

/// How near a normal has to be to the axis for its end to be tried first: cos of 0.05 radians.
inline constexpr double kAlongAxis = 0.99875;
/// How near it has to be to those of the side for this to be tried: sines, of about 0.2 radians.
inline constexpr double kAlongSide = 0.2;
/// How far a normal may turn from one guess to the next: cos of 60°.
inline constexpr double kLargestTurn = 0.5;

/// The answer that a guess stands for, where it is proven. Of overlap that is for the directions within guess.reach:
/// where others are left, the answer has not converged.
/// @param other_is_a  Of the two bodies of D the frustum is b.
/// @param highest     Of the other body along guess.out, frame of a.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> proven(const Difference& difference, const PlacedFrustum& frustum,
                                              const PlaneGuess& guess, bool other_is_a, const Vector3d& highest,
                                              double tolerance) {
  if (!(guess.margin >= 0.0)) return std::nullopt;
  const Vector3d lowest = frustum.farthest(-guess.out);
  const double gap = guess.out.dot(highest - lowest) - guess.depth;
  if (!(std::abs(gap) <= tolerance)) return std::nullopt;
  // The two points lie that far apart along it, and, as those of another normal would not, hardly beside each other.
  const Vector3d off = (guess.on_other - guess.on_frustum) - guess.depth * guess.out;
  if (!(std::abs(off.dot(guess.out)) <= tolerance)) return std::nullopt;
  if (!(off.squaredNorm() <= 2.0 * tolerance * difference.extent())) return std::nullopt;
  const Vector3d normal = other_is_a ? guess.out : Vector3d(-guess.out);
  EpaResult result;
  result.distance = -guess.depth;
  result.distance_error = std::max(0.0, gap);
  result.normal = normal;
  result.point_a = other_is_a ? guess.on_other : guess.on_frustum;
  result.point_b = other_is_a ? guess.on_frustum : guess.on_other;
  result.iterations = 1;
  result.converged = !(guess.depth > 0.0) || std::isinf(guess.reach);
  result.reach = guess.reach;
  return result;
}

/// Up to three vertices of one body, in the frame of a.
struct FeatureVertices {
  std::array<Vector3d, 3> points;
  std::array<std::uint32_t, 3> numbers{};
  std::size_t count = 0;

  FeatureVertices() = default;
  /// Those that there are, each once.
  template <class G>
  FeatureVertices(const G& shape, const Pose& a_from_shape, std::span<const std::uint32_t> vertices) {
    for (const std::uint32_t vertex : vertices) {
      Vector3d point;
      if (!has(vertex) && core_vertex(shape, vertex, point)) add(vertex, a_from_shape * point);
    }
  }

  [[nodiscard]] bool has(std::uint32_t vertex) const {
    const auto known = std::span(numbers).first(count);
    return std::find(known.begin(), known.end(), vertex) != known.end();
  }
  void add(std::uint32_t vertex, const Vector3d& point) {
    numbers[count] = vertex;
    points[count++] = point;
  }
  void drop(std::size_t i) {
    --count;
    numbers[i] = numbers[count];
    points[i] = points[count];
  }
};

/// The plane of a face, an edge or a vertex of the other body against a frustum. Vertices across whose side the answer
/// lies are dropped.
/// @param out    About out of the other body.
/// @param least  See rim_vertex_guess.
[[nodiscard]] inline std::optional<PlaneGuess> feature_guess(const PlacedFrustum& frustum, FeatureVertices& feature,
                                                             const Vector3d& out, double least) {
  const auto& points = feature.points;
  if (feature.count == 3) {
    const Vector3d e = points[1] - points[0];
    const Vector3d f = points[2] - points[0];
    const Vector3d across = e.cross(f);
    const double across_norm = across.norm();
    const double longest_sq = std::max(e.squaredNorm(), f.squaredNorm());
    if (!(across_norm * across_norm > kSliverSq * longest_sq * longest_sq)) return std::nullopt;
    const double turn = across.dot(out) < 0.0 ? -1.0 : 1.0;
    PlaneGuess guess;
    guess.out = turn / across_norm * across;
    guess.on_frustum = frustum.farthest(-guess.out);
    guess.depth = guess.out.dot(points[0] - guess.on_frustum);
    guess.on_other = guess.on_frustum + guess.depth * guess.out;
    // Inside the triangle, and how far from its sides.
    guess.margin = std::numeric_limits<double>::infinity();
    std::size_t outer = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d side = points[(i + 1) % 3] - points[i];
      const double inside = turn * side.cross(guess.on_other - points[i]).dot(guess.out) / side.norm();
      if (inside < guess.margin) outer = i;
      guess.margin = std::min(guess.margin, inside);
    }
    guess.reach = reach_of_disc(guess.depth, guess.margin);
    if (guess.margin >= 0.0) return guess;
    feature.drop((outer + 2) % 3);
  }
  if (feature.count == 2) {
    const Vector3d e = points[1] - points[0];
    std::optional<PlaneGuess> guess = crossing_guess(frustum, points[0], e, out);
    const bool is_on_line = guess && guess->out.dot(out) >= kLargestTurn &&
                            std::abs((guess->on_frustum - frustum.center).dot(frustum.axis)) <= frustum.half_length;
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

/// A polytope and a frustum, in either order.
/// @param normal     About from a to b, unit. @param corners  Vertices that most likely carry the answer.
/// @param tolerance  Gap to close, metres.
/// @return           See proven().
template <class Difference>
[[nodiscard]] std::optional<EpaResult> frustum_answer(const Difference& difference, const Vector3d& normal,
                                                      const CornerVertices& corners, double tolerance) {
  using A = typename std::remove_cvref_t<decltype(difference.a())>::Geometry;
  constexpr bool kOtherIsA = kIsPolytope<A>;
  const Pose& a_from_b = difference.a_from_b();
  const auto highest_of_other = [&](const Vector3d& direction) -> CorePoint {
    if constexpr (kOtherIsA) {
      return difference.a().support_point(direction);
    } else {
      const CorePoint on_b = difference.b().support_point(a_from_b.unrotate(direction));
      return {a_from_b * on_b.point, on_b.vertex};
    }
  };
  const PlacedFrustum frustum = [&] {
    if constexpr (kOtherIsA) {
      return PlacedFrustum(difference.b().geometry(), a_from_b);
    } else {
      return PlacedFrustum(difference.a().geometry(), Pose());
    }
  }();
  const Vector3d out = kOtherIsA ? normal : Vector3d(-normal);  // of the other body

  const double along = out.dot(frustum.axis);
  const double end = along < 0.0 ? 1.0 : -1.0;
  if (std::abs(along) >= kAlongAxis && frustum.radius(end) > 0.0) {
    const Vector3d highest = highest_of_other(-end * frustum.axis).point;
    const PlaneGuess guess = end_guess(frustum, end, highest);
    if (auto answer = proven(difference, frustum, guess, kOtherIsA, highest, tolerance)) return answer;
  }
  const std::size_t count = std::min<std::size_t>(corners.count, 3);
  FeatureVertices feature = [&] {
    if constexpr (kOtherIsA) {
      return FeatureVertices(difference.a().geometry(), Pose(), std::span(corners.of_a).first(count));
    } else {
      return FeatureVertices(difference.b().geometry(), a_from_b, std::span(corners.of_b).first(count));
    }
  }();
  Vector3d about = out;
  std::uint32_t last_added = kNoVertex;
  for (int look = 0; look < kMaxLooks && feature.count > 0; ++look) {
    const std::optional<PlaneGuess> guess = feature_guess(frustum, feature, about, kTouching * difference.extent());
    if (!guess || !(guess->margin >= 0.0)) return std::nullopt;
    if (!(guess->out.dot(about) >= kLargestTurn)) return std::nullopt;  // the features of another answer
    const CorePoint highest = highest_of_other(guess->out);
    if (auto answer = proven(difference, frustum, *guess, kOtherIsA, highest.point, tolerance)) {
      answer->iterations = look + 1;
      for (std::size_t i = 0; i < feature.count; ++i) {
        answer->corners.of_a[i] = kOtherIsA ? feature.numbers[i] : kNoVertex;
        answer->corners.of_b[i] = kOtherIsA ? kNoVertex : feature.numbers[i];
      }
      answer->corners.count = static_cast<std::uint32_t>(feature.count);
      return answer;
    }
    if (feature.has(highest.vertex) || highest.vertex == last_added) return std::nullopt;
    last_added = highest.vertex;
    if (feature.count == 3) {
      feature.drop(corner_displaced_by(highest.point, feature.points, guess->on_other, guess->out));
    }
    feature.add(highest.vertex, highest.point);
    about = guess->out;
  }
  return std::nullopt;
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

// The answer of a polytope and a curved body from a normal and vertices that are near it: the last answer of the pair,
// or where GJK or EPA has come to. Planes that may carry it are tried in turn, and one that is proven ends the search.
//
// In all of them the plane's offset is the support value of both bodies along the normal, which one look-up decides.
// Where that finds a vertex that lies higher it joins the ones before, and one across whose side the answer lies leaves
// them: so the search goes from feature to feature, and bodies that roll are followed. Which planes a face, an edge or
// a vertex may have with it the curved body knows (frustum_answer.h, smooth/smooth_features.h).
#pragma once

#include <abut/narrowphase/core_vertex.h>
#include <abut/narrowphase/epa.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/plane_guess.h>
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

namespace abut::detail {

/// Features of the polytope that are tried in turn.
inline constexpr int kMaxLooks = 8;

/// How far a normal may turn from one guess to the next: cos of 60°.
inline constexpr double kLargestTurn = 0.5;

/// The answer that a guess stands for, where it is proven. Of overlap that is for the directions within guess.reach:
/// where others are left, the answer has not converged.
/// @param curved      One of the two bodies of D. @param other_is_a  Which: b.
/// @param highest     Of the other body along guess.out, frame of a.
template <class Difference, class Curved>
[[nodiscard]] std::optional<EpaResult> proven(const Difference& difference, const Curved& curved,
                                              const PlaneGuess& guess, bool other_is_a, const Vector3d& highest,
                                              double tolerance) {
  if (!(guess.margin >= 0.0)) return std::nullopt;
  const Vector3d lowest = curved.farthest(-guess.out);
  const double gap = guess.out.dot(highest - lowest) - guess.depth;
  if (!(std::abs(gap) <= tolerance && guess.doubt <= tolerance)) return std::nullopt;
  // The two points lie that far apart along it, and, as those of another normal would not, hardly beside each other.
  const Vector3d off = (guess.on_other - guess.on_curved) - guess.depth * guess.out;
  if (!(std::abs(off.dot(guess.out)) <= tolerance)) return std::nullopt;
  if (!(off.squaredNorm() <= 2.0 * tolerance * difference.extent())) return std::nullopt;
  const Vector3d normal = other_is_a ? guess.out : Vector3d(-guess.out);
  EpaResult result;
  result.distance = -guess.depth;
  result.distance_error = std::max(0.0, gap) + guess.doubt;
  result.normal = normal;
  result.point_a = other_is_a ? guess.on_other : guess.on_curved;
  result.point_b = other_is_a ? guess.on_curved : guess.on_other;
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

/// A polytope in the frame of a.
/// @tparam kIsA  Whether it is a, whose pose is not asked for.
template <class G, bool kIsA>
struct PlacedPolytope {
  static constexpr bool kBodyIsA = kIsA;

  const G& shape;
  const Pose& a_from_b;

  /// A vertex farthest along a direction.
  [[nodiscard]] CorePoint highest(const Vector3d& direction) const {
    if constexpr (kIsA) {
      return core_point(shape, direction);
    } else {
      const CorePoint on_b = core_point(shape, a_from_b.unrotate(direction));
      return {a_from_b * on_b.point, on_b.vertex};
    }
  }
  [[nodiscard]] FeatureVertices feature(const CornerVertices& corners) const {
    const std::size_t count = std::min<std::size_t>(corners.count, 3);
    if constexpr (kIsA) {
      return FeatureVertices(shape, Pose(), std::span(corners.of_a).first(count));
    } else {
      return FeatureVertices(shape, a_from_b, std::span(corners.of_b).first(count));
    }
  }
};

/// The plane of a triangle of vertices. A margin below zero tells that the answer lies outside of it; then the corner
/// behind the side that it lies farthest beyond is dropped.
/// @param out  About out of the polytope.
/// @return     Nothing of a sliver.
template <class Curved>
[[nodiscard]] std::optional<PlaneGuess> face_guess(const Curved& curved, FeatureVertices& feature,
                                                   const Vector3d& out) {
  const auto& points = feature.points;
  const Vector3d e = points[1] - points[0];
  const Vector3d f = points[2] - points[0];
  const Vector3d across = e.cross(f);
  const double across_norm = across.norm();
  const double longest_sq = std::max(e.squaredNorm(), f.squaredNorm());
  if (!(across_norm * across_norm > kSliverSq * longest_sq * longest_sq)) return std::nullopt;
  const double turn = across.dot(out) < 0.0 ? -1.0 : 1.0;
  PlaneGuess guess;
  guess.out = turn / across_norm * across;
  guess.on_curved = curved.farthest(-guess.out);
  guess.depth = guess.out.dot(points[0] - guess.on_curved);
  guess.on_other = guess.on_curved + guess.depth * guess.out;
  // Inside the triangle, and how far from its sides.
  guess.margin = std::numeric_limits<double>::infinity();
  std::size_t outer = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector3d side = points[(i + 1) % 3] - points[i];
    const double inside = turn * side.cross(guess.on_other - points[i]).dot(guess.out) / side.norm();
    if (inside < guess.margin) outer = i;
    guess.margin = std::min(guess.margin, inside);
  }
  if (guess.depth > 0.0) guess.reach = reach_of_disc(guess.depth, guess.margin, curved.touching_ball(-guess.out));
  if (guess.margin < 0.0) feature.drop((outer + 2) % 3);
  return guess;
}

/// From feature to feature.
/// @param polytope, curved  The two bodies of D. feature_guess(curved, feature, out, least) gives a plane of them, with
///                          a margin >= 0, and may drop vertices; nothing where it knows none.
/// @param normal     About from a to b, unit. @param corners  Vertices that most likely carry the answer.
/// @param tolerance  Gap to close, metres.
/// @return           See proven().
template <class Difference, class Polytope, class Curved>
[[nodiscard]] std::optional<EpaResult> polytope_answer(const Difference& difference, const Polytope& polytope,
                                                       const Curved& curved, const Vector3d& normal,
                                                       const CornerVertices& corners, double tolerance) {
  constexpr bool kOtherIsA = Polytope::kBodyIsA;
  Vector3d about = kOtherIsA ? normal : Vector3d(-normal);
  FeatureVertices feature = polytope.feature(corners);
  std::uint32_t last_added = kNoVertex;
  for (int look = 0; look < kMaxLooks && feature.count > 0; ++look) {
    const std::optional<PlaneGuess> guess = feature_guess(curved, feature, about, kTouching * difference.extent());
    if (!guess || !(guess->margin >= 0.0)) return std::nullopt;
    if (!(guess->out.dot(about) >= kLargestTurn)) return std::nullopt;  // the features of another answer
    const CorePoint highest = polytope.highest(guess->out);
    if (auto answer = proven(difference, curved, *guess, kOtherIsA, highest.point, tolerance)) {
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

}  // namespace abut::detail

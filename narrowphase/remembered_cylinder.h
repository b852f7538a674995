// The last answer of a cylinder and a polytope, or of two cylinders, asked again at the present pose: see
// remembered_corners.h. On a curved body EPA closes in on its answer slowly; most contacts of a cylinder are of a kind
// whose normal has a closed form, once it is known which:
//   - an end of the cylinder under the other's highest point: the normal is the axis, and a disc within the end carries
//   it;
//   - a face of the polytope under the cylinder's highest point: the face's normal, a disc within three of its corners;
//   - an edge, or the other's side line, across a side line: the normal across both, a disc within the parallelogram of
//     their difference;
//   - a vertex before the side: the radius through it. Here a ball within the cylinder touches it from inside, and
//   depths
//     up to its radius are proven by that alone: with c = (d - s) n, h(m) >= c·m + s >= d for s >= d.
// In all of them the plane's offset is the support value of both bodies along the normal, up to the polytope's, which
// one look-up decides.
#pragma once

#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/epa.h>
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

/// A cylinder in the frame of a.
struct PlacedCylinder {
  Vector3d center;
  Vector3d axis;  ///< Unit.
  double radius;  ///< Metres, like the next.
  double half_length;

  PlacedCylinder(const Cylinder& cylinder, const Pose& a_from_cylinder)
      : center(a_from_cylinder.translation()),
        axis(a_from_cylinder.rotation().col(2)),
        radius(cylinder.radius()),
        half_length(cylinder.half_length()) {}
};

/// A plane that may carry the answer, between the cylinder and the other body.
struct PlaneGuess {
  Vector3d out;         ///< Unit, out of the other body, into the cylinder where they overlap; frame of a.
  double depth = 0.0;   ///< Along it; negative: apart.
  double radius = 0.0;  ///< Of a disc in D about the origin's projection on the plane; negative: that is not in D.
  double ball = 0.0;    ///< Of a ball in D that touches the plane from inside at that projection.
  Vector3d on_cylinder;
  Vector3d on_other;
};

/// How near a remembered normal has to be to a cylinder's axis for its end to be tried: cos of 0.05 radians.
inline constexpr double kAlongAxis = 0.99875;
/// Lines that are more parallel than this do not cross: sin of the angle.
inline constexpr double kCrossing = 1e-3;

/// An end of the cylinder over a point of the other that is its highest along the axis.
[[nodiscard]] inline PlaneGuess end_guess(const PlacedCylinder& cylinder, double side, const Vector3d& highest) {
  PlaneGuess guess;
  guess.out = -side * cylinder.axis;
  const Vector3d from = highest - cylinder.center;
  const double along = from.dot(cylinder.axis);
  guess.depth = cylinder.half_length - side * along;
  guess.radius = cylinder.radius - (from - along * cylinder.axis).norm();
  guess.on_other = highest;
  guess.on_cylinder = highest - guess.depth * guess.out;
  return guess;
}

/// Two lines across each other: p + s e of the other body, s in 0 … 1, and the side line of the cylinder that faces it.
/// @param out  About out of the other body.
[[nodiscard]] inline std::optional<PlaneGuess> crossing_guess(const PlacedCylinder& cylinder, const Vector3d& p,
                                                              const Vector3d& e, const Vector3d& out) {
  const Vector3d across = e.cross(cylinder.axis);
  const double across_norm = across.norm();
  if (!(across_norm > kCrossing * e.norm())) return std::nullopt;
  PlaneGuess guess;
  guess.out = (across.dot(out) < 0.0 ? -1.0 : 1.0) / across_norm * across;
  const Vector3d q = cylinder.center - cylinder.radius * guess.out;  // the middle of the side line
  const Vector3d from = q - p;
  guess.depth = -from.dot(guess.out);
  // p + s e = q + t axis but for the depth.
  const double sign_sq = across_norm * across_norm;
  const double s = from.cross(cylinder.axis).dot(across) / sign_sq;
  const double t = from.cross(e).dot(across) / sign_sq;
  const double to_edge_ends = std::min(s, 1.0 - s) * across_norm;                             // across the axis
  const double to_line_ends = (cylinder.half_length - std::abs(t)) * across_norm / e.norm();  // across the edge
  guess.radius = std::min(to_edge_ends, to_line_ends);
  guess.on_other = p + s * e;
  guess.on_cylinder = q + t * cylinder.axis;
  return guess;
}

/// A vertex before the side.
[[nodiscard]] inline std::optional<PlaneGuess> side_guess(const PlacedCylinder& cylinder, const Vector3d& vertex) {
  const Vector3d from = vertex - cylinder.center;
  const double along = from.dot(cylinder.axis);
  const Vector3d radial = from - along * cylinder.axis;
  const double length = radial.norm();
  if (!(length > kTouching * cylinder.radius)) return std::nullopt;
  PlaneGuess guess;
  guess.out = -radial / length;
  guess.depth = cylinder.radius - length;
  guess.radius = cylinder.half_length - std::abs(along);
  // The side is curved: no disc lies in D here. None is asked for: the depth is at most cylinder.radius, so that a ball
  // too small for it has guess.radius, and a disc no larger than the depth proves nothing.
  guess.ball = std::min(cylinder.radius, guess.radius);
  guess.on_other = vertex;
  guess.on_cylinder = vertex - guess.depth * guess.out;
  return guess;
}

/// The answer that a guess stands for, where it is proven.
/// @param other_is_a  Of the two bodies of D the cylinder is b.
/// @param highest     Of the other body along guess.out, frame of a.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> proven(const Difference& difference, const PlaneGuess& guess, bool other_is_a,
                                              const Vector3d& highest, double tolerance) {
  if (!(guess.radius >= 0.0)) return std::nullopt;
  const double gap = guess.out.dot(highest - guess.on_other);
  if (!(gap <= tolerance)) return std::nullopt;
  const Vector3d normal = other_is_a ? guess.out : Vector3d(-guess.out);
  if (guess.depth > 0.0 && !(guess.ball >= guess.depth) && !is_deepest(difference, normal, guess.depth, guess.radius)) {
    return std::nullopt;
  }
  EpaResult result;
  result.distance = -guess.depth;
  result.distance_error = std::max(0.0, gap);
  result.normal = normal;
  result.point_a = other_is_a ? guess.on_other : guess.on_cylinder;
  result.point_b = other_is_a ? guess.on_cylinder : guess.on_other;
  result.iterations = 1;
  result.converged = true;
  return result;
}

/// The remembered vertices of one body that differ, in the frame of a.
struct DistinctVertices {
  std::array<Vector3d, 3> points;
  std::size_t count = 0;

  template <class G>
  DistinctVertices(const G& shape, const Pose& a_from_shape, std::span<const std::uint32_t> vertices) {
    std::array<std::uint32_t, 3> known{};
    for (const std::uint32_t vertex : vertices) {
      if (std::find(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count), vertex) !=
          known.begin() + static_cast<std::ptrdiff_t>(count)) {
        continue;
      }
      Vector3d point;
      if (!core_vertex(shape, vertex, point)) continue;
      known[count] = vertex;
      points[count++] = a_from_shape * point;
    }
  }
};

/// A polytope and a cylinder, in either order.
/// @param tolerance  Gap to close, metres.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> cylinder_answer(const Difference& difference, const PairCache& cache,
                                                       double tolerance) {
  using A = typename std::remove_cvref_t<decltype(difference.a())>::Geometry;
  constexpr bool kOtherIsA = !std::is_same_v<A, Cylinder>;
  const Pose& a_from_b = difference.a_from_b();
  const auto support_a = [&](const Vector3d& direction) -> Vector3d { return difference.a().support(direction); };
  const auto support_b = [&](const Vector3d& direction) -> Vector3d {
    return a_from_b * difference.b().support(a_from_b.unrotate(direction));
  };
  const auto other_support = [&](const Vector3d& direction) {
    return kOtherIsA ? support_a(direction) : support_b(direction);
  };
  const auto cylinder_support = [&](const Vector3d& direction) {
    return kOtherIsA ? support_b(direction) : support_a(direction);
  };
  const PlacedCylinder cylinder = [&] {
    if constexpr (kOtherIsA) {
      return PlacedCylinder(difference.b().geometry(), a_from_b);
    } else {
      return PlacedCylinder(difference.a().geometry(), Pose());
    }
  }();
  const Vector3d out = kOtherIsA ? cache.normal_a : Vector3d(-cache.normal_a);  // of the other body, as it was

  const double along = out.dot(cylinder.axis);
  if (std::abs(along) >= kAlongAxis) {
    const double side = along < 0.0 ? 1.0 : -1.0;
    const Vector3d highest = other_support(-side * cylinder.axis);
    const auto answer = proven(difference, end_guess(cylinder, side, highest), kOtherIsA, highest, tolerance);
    if (answer) return answer;
  }
  const std::size_t count = std::min<std::size_t>(cache.corners.count, 3);
  const DistinctVertices vertices = [&] {
    if constexpr (kOtherIsA) {
      return DistinctVertices(difference.a().geometry(), Pose(), std::span(cache.corners.of_a).first(count));
    } else {
      return DistinctVertices(difference.b().geometry(), a_from_b, std::span(cache.corners.of_b).first(count));
    }
  }();
  const auto& points = vertices.points;
  if (vertices.count == 3) {
    const Vector3d e = points[1] - points[0];
    const Vector3d f = points[2] - points[0];
    const Vector3d across = e.cross(f);
    const double across_norm = across.norm();
    const double longest_sq = std::max(e.squaredNorm(), f.squaredNorm());
    if (!(across_norm * across_norm > kSliverSq * longest_sq * longest_sq)) return std::nullopt;
    PlaneGuess guess;
    guess.out = (across.dot(out) < 0.0 ? -1.0 : 1.0) / across_norm * across;
    guess.on_cylinder = cylinder_support(-guess.out);
    guess.depth = guess.out.dot(points[0] - guess.on_cylinder);
    guess.on_other = guess.on_cylinder + guess.depth * guess.out;
    // Inside the triangle, and how far from its sides.
    guess.radius = std::numeric_limits<double>::infinity();
    const double turn = across.dot(guess.out) < 0.0 ? -1.0 : 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Vector3d side = points[(i + 1) % 3] - points[i];
      const double inside = turn * side.cross(guess.on_other - points[i]).dot(guess.out) / side.norm();
      guess.radius = std::min(guess.radius, inside);
    }
    return proven(difference, guess, kOtherIsA, other_support(guess.out), tolerance);
  }
  std::optional<PlaneGuess> guess;
  if (vertices.count == 2) guess = crossing_guess(cylinder, points[0], points[1] - points[0], out);
  if (vertices.count == 1) guess = side_guess(cylinder, points[0]);
  if (!guess) return std::nullopt;
  return proven(difference, *guess, kOtherIsA, other_support(guess->out), tolerance);
}

/// Two cylinders: an end of either, or two side lines across each other.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> two_cylinders_answer(const Difference& difference, const PairCache& cache,
                                                            double tolerance) {
  const Pose& a_from_b = difference.a_from_b();
  const PlacedCylinder a(difference.a().geometry(), Pose());
  const PlacedCylinder b(difference.b().geometry(), a_from_b);
  const Vector3d& normal = cache.normal_a;
  const double along_a = normal.dot(a.axis);
  if (std::abs(along_a) >= kAlongAxis) {  // the end of a that looks to b
    const double side = along_a < 0.0 ? -1.0 : 1.0;
    const Vector3d highest = a_from_b * difference.b().support(a_from_b.unrotate(-side * a.axis));
    const auto answer = proven(difference, end_guess(a, side, highest), /*other_is_a=*/false, highest, tolerance);
    if (answer) return answer;
  }
  const double along_b = normal.dot(b.axis);
  if (std::abs(along_b) >= kAlongAxis) {
    const double side = along_b < 0.0 ? 1.0 : -1.0;
    const Vector3d highest = difference.a().support(-side * b.axis);
    const auto answer = proven(difference, end_guess(b, side, highest), /*other_is_a=*/true, highest, tolerance);
    if (answer) return answer;
  }
  // The side line of a that faces b, and that of b.
  Vector3d across = a.axis.cross(b.axis);
  const double across_norm = across.norm();
  if (!(across_norm > kCrossing)) return std::nullopt;
  across *= (across.dot(normal) < 0.0 ? -1.0 : 1.0) / across_norm;
  const Vector3d line = a.center + a.radius * across;
  const std::optional<PlaneGuess> guess =
      crossing_guess(b, line - a.half_length * a.axis, 2.0 * a.half_length * a.axis, across);
  if (!guess) return std::nullopt;
  return proven(difference, *guess, /*other_is_a=*/true, guess->on_other, tolerance);
}

}  // namespace abut::detail

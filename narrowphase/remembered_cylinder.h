// The last answer of a cylinder and a polytope, or of two cylinders, asked again at the present pose: see
// remembered_corners.h. On a curved body EPA closes in on its answer slowly; most contacts of a cylinder are of a kind
// whose normal has a closed form, once it is known which:
//   - an end of the cylinder under the other's highest point: the normal is the axis, and a disc within the end carries
//   it;
//   - a face of the polytope under the cylinder's highest point: the face's normal, a disc within three of its corners;
//   - an edge, or the other's side line, across a side line: the normal across both, a disc within the parallelogram of
//     their difference;
//   - a vertex before the side: the radius through it. Here a ball within the cylinder touches it from inside, and
//     depths up to its radius are proven by that alone: with c = (d - s) n, h(m) >= c·m + s >= d for s >= d;
//   - an edge across a rim: the normal is at right angles to the edge and one angle is left. Newton's method finds it,
//     between two where the depth falls and rises; the ball is one that rolls in what the edge sweeps out along the
//     end, seen along the edge an ellipse;
//   - the side of another cylinder across a rim: the same of its axis, carried out by its radius;
//   - a vertex before a rim, apart: the line through both.
// Features end somewhere, and there a ball as large as the depth need not lie in the difference: then what is left of
// it proves a cone of directions, and what lies around the features has to prove the others.
//
// In all of them the plane's offset is the support value of both bodies along the normal, up to the polytope's, which
// one look-up decides. Where that finds a vertex that lies higher it joins the remembered ones, and one across whose
// side the answer has moved leaves them: bodies that roll are followed from feature to feature.
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

  /// A point that is farthest along a direction, unit.
  [[nodiscard]] Vector3d farthest(const Vector3d& direction) const {
    const double along = direction.dot(axis);
    Vector3d radial = direction - along * axis;
    radial -= radial.dot(axis) * axis;  // of a direction close to the axis the first rest is rounding, along it as well
    const double length = radial.norm();
    const double scale = length > std::numeric_limits<double>::epsilon() ? radius / length : 0.0;
    return center + std::copysign(half_length, along) * axis + scale * radial;
  }
};

/// Features of the other body that are tried in turn.
inline constexpr int kMaxLooks = 8;

/// A plane that may carry the answer, between the cylinder and the other body.
struct PlaneGuess {
  Vector3d out;         ///< Unit, out of the other body, into the cylinder where they overlap; frame of a.
  double depth = 0.0;   ///< Along it; negative: apart.
  double margin = 0.0;  ///< To the nearest end of the features that carry it; negative: beyond it.
  double reach = 0.0;   ///< In overlap: up to which angle from `out` they prove the depth; tangent of its half.
  Vector3d on_cylinder;
  Vector3d on_other;
};

/// How near a remembered normal has to be to a cylinder's axis for its end to be tried: cos of 0.05 radians.
inline constexpr double kAlongAxis = 0.99875;
/// How near it has to be for a vertex to be tried before the end and not before the side: cos of about 45°.
inline constexpr double kTowardsEnd = 0.7;
/// How near to a right angle it has to be for its side to be tried: sin of 0.05 radians.
inline constexpr double kAcrossAxis = 0.05;
/// How far a normal may turn from one guess to the next: cos of 60°.
inline constexpr double kLargestTurn = 0.5;
/// Lines that are more parallel than this do not cross: sin of the angle.
inline constexpr double kCrossing = 1e-3;

/// The reach of a disc in D about the origin's projection. A ball in D that touches the plane there from inside and is
/// no smaller than the depth proves it for all directions.
/// @param radius  Of the disc, the next of the ball, metres; >= 0.
[[nodiscard]] inline double reach_of_disc(double depth, double radius, double ball = 0.0) {
  return ball < depth ? radius / depth : std::numeric_limits<double>::infinity();
}

/// The reach of a dome in D: of balls of one radius that touch the plane from inside, the part that is seen along the
/// normal within a disc about the origin's projection. From a ball no smaller than the depth d the dome proves angles t
/// up to where the ball touches planes beyond its rim, and from there on the points of its rim do.
/// @param roundness  Of the balls, the next of the disc, metres; >= 0.
[[nodiscard]] inline double reach_of_dome(double depth, double roundness, double width) {
  if (!(roundness >= depth)) return 0.0;
  const double w = std::min(width, roundness);
  const double drop = roundness - std::sqrt((roundness - w) * (roundness + w));
  return reach_of_points(w, drop, depth, std::numeric_limits<double>::infinity());
}

/// An end of the cylinder over a point of the other that is its highest along the axis.
[[nodiscard]] inline PlaneGuess end_guess(const PlacedCylinder& cylinder, double side, const Vector3d& highest) {
  PlaneGuess guess;
  guess.out = -side * cylinder.axis;
  const Vector3d from = highest - cylinder.center;
  const double along = from.dot(cylinder.axis);
  guess.depth = cylinder.half_length - side * along;
  guess.margin = cylinder.radius - (from - along * cylinder.axis).norm();
  guess.reach = reach_of_disc(guess.depth, guess.margin);
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
  guess.margin = std::min(to_edge_ends, to_line_ends);
  guess.reach = reach_of_disc(guess.depth, guess.margin);
  guess.on_other = p + s * e;
  guess.on_cylinder = q + t * cylinder.axis;
  return guess;
}

/// The reach where a line sweeps along the end of a cylinder, carried out by a radius across itself. Seen along the
/// line the end is an ellipse with half axes r and r c. With rho the cosine of its normal's elevation over the end's
/// plane its radius of curvature is r c² / rho³, and where rho is no larger, a disc of that radius rolls in it. What is
/// seen farther along its short axis lies sin/c of that farther along the line.
/// @param carried  The radius that the line is carried out by, metres.
/// @param margin   From where they touch to the line's nearest end, metres.
/// @param c        Cosine of the angle between the line and the cylinder's axis.
/// @param normal_along_axis  Cosine of the angle between the plane's normal and the cylinder's axis.
[[nodiscard]] inline double reach_of_sweep(double depth, double radius, double carried, double margin, double c,
                                           double normal_along_axis) {
  const double sine = std::sqrt(std::max(0.0, 1.0 - c * c));
  const double least_round = radius * c * c;
  // What of a ball is seen along the line is up to twice its radius away.
  if (std::min(least_round, margin * c / (c + 2.0 * sine)) >= depth) return std::numeric_limits<double>::infinity();
  // Angles in the plane across the line, from the ellipse's short axis.
  const double cos_here = std::min(1.0, std::abs(normal_along_axis) / sine);
  const double sin_here = std::sqrt((1.0 - cos_here) * (1.0 + cos_here));
  double round = least_round;
  double width = std::numeric_limits<double>::infinity();
  if (round + carried < depth) {
    // Between what it has to be and what it is here, and how far the rim is so round.
    const double rho_sq = std::max(0.0, 1.0 - normal_along_axis * normal_along_axis);
    round = std::sqrt((depth - carried) * least_round / (rho_sq * std::sqrt(rho_sq)));
    const double highest_rho = std::cbrt(least_round / round);
    const double cos_there = std::sqrt(std::max(0.0, 1.0 - highest_rho * highest_rho)) / sine;
    const double sin_there = std::sqrt(std::max(0.0, 1.0 - cos_there * cos_there));
    width = (round + carried) * std::max(0.0, sin_there * cos_here - cos_there * sin_here);
  }
  // A point at a distance y across the normal, and no more than y²/round below the plane, is there if
  //   y + sin/c (sin_here y + cos_here y²/round) <= margin.
  const double shear = sine / c;
  const double linear = 1.0 + shear * sin_here;
  const double square = shear * cos_here / round;
  const double within = 2.0 * margin / (linear + std::sqrt(linear * linear + 4.0 * square * margin));
  return reach_of_dome(depth, round + carried, std::min(width, within));
}

/// An edge of the other body, p + s e, s in 0 … 1, across the rim of an end.
/// @param out  About out of the other body.
[[nodiscard]] inline std::optional<PlaneGuess> rim_edge_guess(const PlacedCylinder& cylinder, const Vector3d& p,
                                                              const Vector3d& e, const Vector3d& out) {
  constexpr int kSteps = 16;
  constexpr double kLongestTurn = 0.5;  // radians a step
  constexpr double kLastTurn = 1e-8;    // its square is rounding
  constexpr double kFlat = 1e-10;       // of the squared sine between normal and axis: the end lies flat
  const double length = e.norm();
  if (!(length > 0.0)) return std::nullopt;
  const Vector3d along = e / length;
  Vector3d normal = (out - out.dot(along) * along).normalized();
  Vector3d turned = along.cross(normal);
  const double side = normal.dot(cylinder.axis) < 0.0 ? -1.0 : 1.0;
  const Vector3d to_edge = p - cylinder.center + side * cylinder.half_length * cylinder.axis;
  const double c = std::abs(along.dot(cylinder.axis));
  // The depth is n·to_edge + r rho with n·axis = sin and rho = cos of the normal's elevation over the end's plane. Its
  // least is between the angles, about, from `out` where it falls and where it rises.
  double sine = 0.0;
  double rho = 0.0;
  double angle = 0.0;
  double falls = -std::numeric_limits<double>::infinity();
  double rises = std::numeric_limits<double>::infinity();
  for (int step = 0;; ++step) {
    sine = normal.dot(cylinder.axis);
    const double rho_sq = normal.cross(cylinder.axis).squaredNorm();
    if (!(rho_sq > kFlat)) return std::nullopt;
    rho = std::sqrt(rho_sq);
    const double depth = normal.dot(to_edge) + cylinder.radius * rho;
    const double slope = turned.dot(to_edge) - cylinder.radius * sine * turned.dot(cylinder.axis) / rho;
    const double curvature = cylinder.radius * c * c / (rho * rho_sq) - depth;
    (slope < 0.0 ? falls : rises) = angle;
    const bool is_bowl = curvature > 0.0;
    double turn = is_bowl ? -slope / curvature : std::copysign(kLongestTurn, -slope);
    if (is_bowl && std::abs(turn) <= kLastTurn) break;
    if (step == kSteps) return std::nullopt;
    turn = std::clamp(turn, -kLongestTurn, kLongestTurn);
    if (!(angle + turn > falls && angle + turn < rises)) turn = 0.5 * (falls + rises) - angle;
    angle += turn;
    const double t = 0.5 * turn;  // a rotation by 2 atan(t)
    const double f = 1.0 / (1.0 + t * t);
    const Vector3d next = f * ((1.0 - t * t) * normal + 2.0 * t * turned);
    turned = f * ((1.0 - t * t) * turned - 2.0 * t * normal);
    normal = next;
  }
  if (!(side * sine > 0.0)) return std::nullopt;
  PlaneGuess guess;
  guess.out = normal;
  guess.depth = normal.dot(to_edge) + cylinder.radius * rho;
  guess.on_cylinder = cylinder.center - side * cylinder.half_length * cylinder.axis -
                      cylinder.radius / rho * (normal - sine * cylinder.axis);
  const double s = (guess.on_cylinder - p).dot(along) / length;
  guess.on_other = p + s * e;
  guess.margin = std::min(s, 1.0 - s) * length;
  guess.reach = reach_of_sweep(guess.depth, cylinder.radius, 0.0, guess.margin, c, sine);
  return guess;
}

/// The side of one cylinder across the rim of another: its axis across that rim, carried out by its radius, which is
/// the same along all normals at right angles to it. The ball is one in it before the rim's point, as in side_guess.
/// @param out  About out of the side.
[[nodiscard]] inline std::optional<PlaneGuess> rim_side_guess(const PlacedCylinder& rim, const PlacedCylinder& side,
                                                              const Vector3d& out) {
  const Vector3d half_axis = side.half_length * side.axis;
  std::optional<PlaneGuess> guess = rim_edge_guess(rim, side.center - half_axis, 2.0 * half_axis, out);
  if (!guess) return std::nullopt;
  guess->depth += side.radius;
  // The side alone before the rim's point, as in side_guess, or both bodies.
  const double of_side = side.radius >= guess->depth
                             ? reach_of_disc(guess->depth, guess->margin, std::min(side.radius, guess->margin))
                             : 0.0;
  const double of_both = reach_of_sweep(guess->depth, rim.radius, side.radius, guess->margin,
                                        std::abs(rim.axis.dot(side.axis)), guess->out.dot(rim.axis));
  guess->reach = std::max(of_side, of_both);
  guess->on_other += side.radius * guess->out;
  return guess;
}

/// A vertex before a rim, both apart.
/// @param least  No smaller distance has a normal, metres.
[[nodiscard]] inline std::optional<PlaneGuess> rim_vertex_guess(const PlacedCylinder& cylinder, const Vector3d& vertex,
                                                                double least) {
  const Vector3d from = vertex - cylinder.center;
  const double along = from.dot(cylinder.axis);
  const Vector3d radial = from - along * cylinder.axis;
  const double length = radial.norm();
  if (!(length > cylinder.radius)) return std::nullopt;
  PlaneGuess guess;
  guess.on_cylinder =
      cylinder.center + std::copysign(cylinder.half_length, along) * cylinder.axis + cylinder.radius / length * radial;
  guess.on_other = vertex;
  const Vector3d apart = guess.on_cylinder - vertex;
  const double distance = apart.norm();
  if (!(distance > least)) return std::nullopt;
  guess.out = apart / distance;
  guess.depth = -distance;
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
  guess.margin = cylinder.half_length - std::abs(along);
  // No disc lies in D here, but it proves as much as one. With M the margin and k the sine of the angle between the
  // axis and the way from the normal n to a direction at an angle t from it,
  //   h >= (d - r) cos t + r √(1 - k² sin² t) + k M sin t,
  // which is concave in k: its least is that of k = 0, at least d for d <= r, or that of k = 1, as of a disc.
  guess.reach = reach_of_disc(guess.depth, guess.margin, std::min(cylinder.radius, guess.margin));
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
  if (!(guess.margin >= 0.0)) return std::nullopt;
  const double gap = guess.out.dot(highest - guess.on_other);
  if (!(gap <= tolerance)) return std::nullopt;
  const Vector3d normal = other_is_a ? guess.out : Vector3d(-guess.out);
  const bool is_known = !(guess.depth > 0.0) || std::isinf(guess.reach);
  if (!is_known && !is_deepest(difference, normal, guess.depth, guess.reach)) return std::nullopt;
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

/// The plane of a face, an edge or a vertex of the other body against a cylinder. Vertices across whose side the answer
/// lies are dropped.
/// @param out    About out of the other body.
/// @param least  See rim_vertex_guess.
[[nodiscard]] inline std::optional<PlaneGuess> feature_guess(const PlacedCylinder& cylinder, FeatureVertices& feature,
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
    guess.on_cylinder = cylinder.farthest(-guess.out);
    guess.depth = guess.out.dot(points[0] - guess.on_cylinder);
    guess.on_other = guess.on_cylinder + guess.depth * guess.out;
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
    std::optional<PlaneGuess> guess = crossing_guess(cylinder, points[0], e, out);
    const bool is_on_line = guess && guess->out.dot(out) >= kLargestTurn &&
                            std::abs((guess->on_cylinder - cylinder.center).dot(cylinder.axis)) <= cylinder.half_length;
    if (!is_on_line) guess = rim_edge_guess(cylinder, points[0], e, out);
    if (!guess) return std::nullopt;
    if (guess->margin >= 0.0) return guess;
    feature.drop((guess->on_other - points[0]).dot(e) < 0.5 * e.squaredNorm() ? 1 : 0);
  }
  const double along = out.dot(cylinder.axis);
  if (std::abs(along) > kTowardsEnd) {
    const PlaneGuess guess = end_guess(cylinder, along < 0.0 ? 1.0 : -1.0, points[0]);
    if (guess.margin >= 0.0) return guess;
  }
  std::optional<PlaneGuess> guess = side_guess(cylinder, points[0]);
  if (guess && guess->margin < 0.0) guess = rim_vertex_guess(cylinder, points[0], least);
  return guess;
}

/// A polytope and a cylinder, in either order.
/// @param tolerance  Gap to close, metres.
template <class Difference>
[[nodiscard]] std::optional<EpaResult> cylinder_answer(const Difference& difference, const PairCache& cache,
                                                       double tolerance) {
  using A = typename std::remove_cvref_t<decltype(difference.a())>::Geometry;
  constexpr bool kOtherIsA = !std::is_same_v<A, Cylinder>;
  const Pose& a_from_b = difference.a_from_b();
  const auto highest_of_other = [&](const Vector3d& direction) -> CorePoint {
    if constexpr (kOtherIsA) {
      return difference.a().support_point(direction);
    } else {
      const CorePoint on_b = difference.b().support_point(a_from_b.unrotate(direction));
      return {a_from_b * on_b.point, on_b.vertex};
    }
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
    const Vector3d highest = highest_of_other(-side * cylinder.axis).point;
    const auto answer = proven(difference, end_guess(cylinder, side, highest), kOtherIsA, highest, tolerance);
    if (answer) return answer;
  }
  const std::size_t count = std::min<std::size_t>(cache.corners.count, 3);
  FeatureVertices feature = [&] {
    if constexpr (kOtherIsA) {
      return FeatureVertices(difference.a().geometry(), Pose(), std::span(cache.corners.of_a).first(count));
    } else {
      return FeatureVertices(difference.b().geometry(), a_from_b, std::span(cache.corners.of_b).first(count));
    }
  }();
  Vector3d about = out;
  std::uint32_t last_added = kNoVertex;
  for (int look = 0; look < kMaxLooks && feature.count > 0; ++look) {
    const std::optional<PlaneGuess> guess = feature_guess(cylinder, feature, about, kTouching * difference.extent());
    if (!guess || !(guess->margin >= 0.0)) return std::nullopt;
    if (!(guess->out.dot(about) >= kLargestTurn)) return std::nullopt;  // the features of another answer
    const CorePoint highest = highest_of_other(guess->out);
    if (std::optional<EpaResult> answer = proven(difference, *guess, kOtherIsA, highest.point, tolerance)) {
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

/// Two cylinders: an end of either, two side lines across each other, or the side of one across a rim of the other.
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
  if (across_norm > kCrossing) {
    across *= (across.dot(normal) < 0.0 ? -1.0 : 1.0) / across_norm;
    const Vector3d line = a.center + a.radius * across;
    const std::optional<PlaneGuess> guess =
        crossing_guess(b, line - a.half_length * a.axis, 2.0 * a.half_length * a.axis, across);
    if (guess) {
      const auto answer = proven(difference, *guess, /*other_is_a=*/true, guess->on_other, tolerance);
      if (answer) return answer;
    }
  }
  // The side of either across a rim of the other.
  if (std::abs(along_a) <= kAcrossAxis) {
    const std::optional<PlaneGuess> guess = rim_side_guess(b, a, normal);
    if (guess) {
      const auto answer = proven(difference, *guess, /*other_is_a=*/true, a.farthest(guess->out), tolerance);
      if (answer) return answer;
    }
  }
  if (std::abs(along_b) <= kAcrossAxis) {
    const std::optional<PlaneGuess> guess = rim_side_guess(a, b, -normal);
    if (guess) return proven(difference, *guess, /*other_is_a=*/false, b.farthest(guess->out), tolerance);
  }
  return std::nullopt;
}

}  // namespace abut::detail

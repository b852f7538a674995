// Planes that may carry the answer of a cylinder or a cone and another body. On a curved body GJK and EPA close in on
// their answer slowly; most answers are of a kind whose normal has a closed form, once it is known which:
//   - an end under the other's highest point: the normal is the axis, and a disc within the end carries it;
//   - a face of a polytope under the highest point: the face's normal, a disc within three of its corners;
//   - an edge, or a side line of another, across a side line: the normal across both, a disc within the parallelogram
//     of their difference;
//   - a vertex before the side: the side's normal through it. Here a ball within the body touches it from inside, and
//     depths up to its radius are proven by that alone: with c = (d - s) n, h(m) >= c·m + s >= d for s >= d;
//   - an edge across a rim: the normal is at right angles to the edge and one angle is left. Newton's method finds it,
//     between two where the depth falls and rises; the ball is one that rolls in what the edge sweeps out along the
//     end, seen along the edge an ellipse;
//   - the side of another across a rim: the same of normals at a right angle to its side lines. Of a cylinder it is its
//     axis that sweeps along the end, carried out by its radius;
//   - a rim across a rim: Newton's method in two angles; balls that roll in the difference of the two discs;
//   - a vertex before a rim, apart: the line through both.
// Features end somewhere, and there a ball as large as the depth need not lie in the difference: then what is left of
// it proves a cone of directions, and what lies around the features has to prove the others (support_ring.h).
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/cone.h>
#include <abut/core/shapes/cylinder.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/plane_guess.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

namespace abut::detail {

/// A cylinder or a cone.
template <class G>
inline constexpr bool kIsFrustum = std::is_same_v<G, Cylinder> || std::is_same_v<G, Cone>;

/// A cylinder or a cone in the frame of a: round about its axis, between two discs of which the second may be a point.
/// Its top is the end along the axis.
struct PlacedFrustum {
  Vector3d center;     ///< Half way between the ends.
  Vector3d axis;       ///< Unit.
  double half_length;  ///< Metres, like the next two.
  double bottom_radius;
  double top_radius;
  double side_sine;    ///< Of the angle by which normals of the side rise over the bottom; 0 of a cylinder.
  double side_cosine;  ///< Of the same.

  PlacedFrustum(const Cylinder& cylinder, const Pose& a_from_cylinder)
      : center(a_from_cylinder.translation()),
        axis(a_from_cylinder.rotation().col(2)),
        half_length(cylinder.half_length()),
        bottom_radius(cylinder.radius()),
        top_radius(cylinder.radius()),
        side_sine(0.0),
        side_cosine(1.0) {}
  PlacedFrustum(const Cone& cone, const Pose& a_from_cone)
      : center(a_from_cone.translation()),
        axis(a_from_cone.rotation().col(2)),
        half_length(cone.half_length()),
        bottom_radius(cone.radius()),
        top_radius(0.0) {
    const double slant = std::hypot(cone.radius(), 2.0 * cone.half_length());
    side_sine = cone.radius() / slant;
    side_cosine = 2.0 * cone.half_length() / slant;
  }

  [[nodiscard]] double radius(double end) const { return end > 0.0 ? top_radius : bottom_radius; }
  [[nodiscard]] Vector3d end_center(double end) const { return center + end * half_length * axis; }
  [[nodiscard]] double middle_radius() const { return 0.5 * (bottom_radius + top_radius); }
  /// Of a side line, metres. @note The side has lines only where it is not flat.
  [[nodiscard]] double half_slant() const { return half_length / side_cosine; }
  /// Of a cone without length the side is its top.
  [[nodiscard]] bool has_side() const { return half_length > 0.0; }
  /// Unit, up the side line whose normal lies above `radial`, a unit vector across the axis.
  [[nodiscard]] Vector3d side_line(const Vector3d& radial) const { return side_cosine * axis - side_sine * radial; }
  /// 1: the top, whose rim has normals that rise more than those of the side, or -1. @param sine  Of a normal's rise.
  [[nodiscard]] double end_towards(double sine) const { return sine < side_sine ? -1.0 : 1.0; }

  /// Radius of a ball in it that touches its plane along a direction: none is known beforehand.
  [[nodiscard]] double touching_ball(const Vector3d& /*direction*/) const { return 0.0; }

  /// What of a vector is across the axis. Of one close to the axis the first rest is rounding, along it as well.
  [[nodiscard]] Vector3d across_axis(const Vector3d& v) const {
    const Vector3d rest = v - v.dot(axis) * axis;
    return rest - rest.dot(axis) * axis;
  }

  /// A point that is farthest along a direction, unit.
  [[nodiscard]] Vector3d farthest(const Vector3d& direction) const {
    const double along = direction.dot(axis);
    const Vector3d radial = across_axis(direction);
    const double length = radial.norm();
    const double end = 2.0 * half_length * along < (bottom_radius - top_radius) * length ? -1.0 : 1.0;
    const double scale = length > std::numeric_limits<double>::epsilon() ? radius(end) / length : 0.0;
    return center + end * half_length * axis + scale * radial;
  }
};

/// Lines that are more parallel than this do not cross: sin of the angle.
inline constexpr double kCrossing = 1e-3;

/// An end over a point of the other that is its highest along the axis. @param end  1: the top, -1: the bottom.
[[nodiscard]] inline PlaneGuess end_guess(const PlacedFrustum& frustum, double end, const Vector3d& highest) {
  PlaneGuess guess;
  guess.out = -end * frustum.axis;
  const Vector3d from = highest - frustum.center;
  const double along = from.dot(frustum.axis);
  guess.depth = frustum.half_length - end * along;
  guess.margin = frustum.radius(end) - frustum.across_axis(from).norm();
  guess.reach = reach_of_disc(guess.depth, guess.margin);
  guess.on_other = highest;
  guess.on_curved = highest - guess.depth * guess.out;
  return guess;
}

/// Two lines across each other, in a plane each of the two bodies that have the same normal: p + s e of the other body,
/// s in 0 … 1, and q + t g of the frustum, t in ±half_length.
/// @param out  Unit, at right angles to both. @param g  Unit.
[[nodiscard]] inline std::optional<PlaneGuess> lines_guess(const Vector3d& p, const Vector3d& e, const Vector3d& q,
                                                           const Vector3d& g, double half_length, const Vector3d& out) {
  const Vector3d across = e.cross(g);
  const double across_sq = across.squaredNorm();
  const double length_sq = e.squaredNorm();
  if (!(across_sq > kCrossing * kCrossing * length_sq)) return std::nullopt;
  PlaneGuess guess;
  guess.out = out;
  const Vector3d from = q - p;
  guess.depth = -from.dot(out);
  // p + s e = q + t g but for the depth.
  const double s = from.cross(g).dot(across) / across_sq;
  const double t = from.cross(e).dot(across) / across_sq;
  const double across_norm = std::sqrt(across_sq);
  const double to_ends_of_e = std::min(s, 1.0 - s) * across_norm;                                // across g
  const double to_ends_of_g = (half_length - std::abs(t)) * across_norm / std::sqrt(length_sq);  // across e
  guess.margin = std::min(to_ends_of_e, to_ends_of_g);
  guess.reach = reach_of_disc(guess.depth, guess.margin);
  guess.on_other = p + s * e;
  guess.on_curved = q + t * g;
  return guess;
}

/// An edge of the other body, p + s e, s in 0 … 1, across the side line that faces it.
/// @param out  About out of the other body.
[[nodiscard]] inline std::optional<PlaneGuess> crossing_guess(const PlacedFrustum& frustum, const Vector3d& p,
                                                              const Vector3d& e, const Vector3d& out) {
  const double length = e.norm();
  const Vector3d across = e.cross(frustum.axis);
  const double across_norm = across.norm();
  if (!frustum.has_side() || !(across_norm > kCrossing * length)) return std::nullopt;
  // Of normals at right angles to the edge the two that rise as the side does.
  const double sine = across_norm / length;
  const double rise = frustum.side_sine / sine;  // along the part of the axis that is across the edge
  if (!(rise < 1.0)) return std::nullopt;
  const double beside = std::sqrt((1.0 - rise) * (1.0 + rise)) / across_norm;
  const Vector3d up = (rise / (sine * length * length)) * across.cross(e);
  const Vector3d normal =  // out of the frustum
      (up + (across.dot(out) < 0.0 ? beside : -beside) * across).normalized();
  const Vector3d radial = (normal - frustum.side_sine * frustum.axis) / frustum.side_cosine;
  return lines_guess(p, e, frustum.center + frustum.middle_radius() * radial, frustum.side_line(radial),
                     frustum.half_slant(), -normal);
}

/// The side lines of two frustums across each other.
/// @param out  About out of `other`.
[[nodiscard]] inline std::optional<PlaneGuess> sides_guess(const PlacedFrustum& frustum, const PlacedFrustum& other,
                                                           const Vector3d& out) {
  if (!frustum.has_side() || !other.has_side()) return std::nullopt;
  // The normal in x axis + y other.axis + what is across both: it rises with the sides of both.
  const double cosine = frustum.axis.dot(other.axis);
  const Vector3d across = frustum.axis.cross(other.axis);
  const double sine_sq = across.squaredNorm();
  if (!(sine_sq > kCrossing * kCrossing)) return std::nullopt;
  const double x = (-frustum.side_sine - cosine * other.side_sine) / sine_sq;
  const double y = (other.side_sine + cosine * frustum.side_sine) / sine_sq;
  const Vector3d rise = x * frustum.axis + y * other.axis;
  const double rest_sq = 1.0 - rise.squaredNorm();
  if (!(rest_sq > 0.0)) return std::nullopt;
  const double beside = std::sqrt(rest_sq / sine_sq);
  const Vector3d normal = (rise + (across.dot(out) < 0.0 ? -beside : beside) * across).normalized();
  const Vector3d radial = (-normal - frustum.side_sine * frustum.axis) / frustum.side_cosine;
  const Vector3d radial_of_other = (normal - other.side_sine * other.axis) / other.side_cosine;
  const Vector3d line = 2.0 * other.half_slant() * other.side_line(radial_of_other);
  const Vector3d middle = other.center + other.middle_radius() * radial_of_other;
  return lines_guess(middle - 0.5 * line, line, frustum.center + frustum.middle_radius() * radial,
                     frustum.side_line(radial), frustum.half_slant(), normal);
}

/// The radius of a ball in a frustum that touches its side from inside, metres.
/// @param height  Of where it touches, along the axis from the centre, metres.
[[nodiscard]] inline double ball_in_side(const PlacedFrustum& frustum, double height) {
  const double radius = frustum.middle_radius() - height * frustum.side_sine / frustum.side_cosine;
  const double to_ends = std::min((frustum.half_length - height) / (1.0 - frustum.side_sine),
                                  (frustum.half_length + height) / (1.0 + frustum.side_sine));
  return std::max(0.0, std::min(radius / frustum.side_cosine, to_ends));
}

/// The reach of a point before the side.
/// @param margin  To the nearest end of the side line, metres. @param ball  See ball_in_side.
[[nodiscard]] inline double reach_before_side(const PlacedFrustum& frustum, double depth, double margin, double ball) {
  if (ball >= depth) return std::numeric_limits<double>::infinity();
  // No disc lies in D here, but before a cylinder it proves as much as one. With M the margin and k the sine of the
  // angle between the axis and the way from the normal n to a direction at an angle t from it,
  //   h >= (d - r) cos t + r √(1 - k² sin² t) + k M sin t,
  // which is concave in k: its least is that of k = 0, at least d for d <= r, or that of k = 1, as of a disc.
  const bool is_cylinder = frustum.side_sine == 0.0;
  return is_cylinder && frustum.bottom_radius >= depth ? reach_of_disc(depth, margin) : 0.0;
}

/// A vertex before the side.
[[nodiscard]] inline std::optional<PlaneGuess> side_guess(const PlacedFrustum& frustum, const Vector3d& vertex) {
  const Vector3d from = vertex - frustum.center;
  const Vector3d radial = frustum.across_axis(from);
  const double length = radial.norm();
  if (!frustum.has_side() || !(length > kTouching * frustum.bottom_radius)) return std::nullopt;
  const Vector3d outward = radial / length;
  PlaneGuess guess;
  guess.out = -frustum.side_cosine * outward - frustum.side_sine * frustum.axis;
  guess.depth = frustum.middle_radius() * frustum.side_cosine + from.dot(guess.out);
  const Vector3d line = frustum.side_line(outward);
  const double along_line = from.dot(line) - frustum.middle_radius() * outward.dot(line);
  guess.margin = frustum.half_slant() - std::abs(along_line);
  guess.reach =
      reach_before_side(frustum, guess.depth, guess.margin, ball_in_side(frustum, along_line * frustum.side_cosine));
  guess.on_other = vertex;
  guess.on_curved = vertex - guess.depth * guess.out;
  return guess;
}

/// A vertex before the rim of an end, both apart.
/// @param least  No smaller distance has a normal, metres.
[[nodiscard]] inline std::optional<PlaneGuess> rim_vertex_guess(const PlacedFrustum& frustum, double end,
                                                                const Vector3d& vertex, double least) {
  const Vector3d from = vertex - frustum.center;
  const Vector3d radial = frustum.across_axis(from);
  const double length = radial.norm();
  if (!(length > 0.0)) return std::nullopt;
  PlaneGuess guess;
  guess.on_curved = frustum.end_center(end) + frustum.radius(end) / length * radial;
  guess.on_other = vertex;
  const Vector3d apart = guess.on_curved - vertex;
  const double distance = apart.norm();
  if (!(distance > least)) return std::nullopt;
  guess.out = apart / distance;
  guess.depth = -distance;
  return guess;
}

/// The reach where a line sweeps along the end of a frustum, carried out by a radius across itself. Seen along the
/// line the end is an ellipse with half axes r and r c. With rho the cosine of its normal's elevation over the end's
/// plane its radius of curvature is r c² / rho³, and where rho is no larger, a disc of that radius rolls in it. What is
/// seen farther along its short axis lies sin/c of that farther along the line.
/// @param radius   Of the end, metres.
/// @param carried  The radius that the line is carried out by, metres.
/// @param margin   From where they touch to the line's nearest end, metres.
/// @param c        Cosine of the angle between the line and the frustum's axis.
/// @param normal_along_axis  Cosine of the angle between the plane's normal and the frustum's axis.
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

/// Newton's method ends with the first turn whose square is rounding. None turns farther than the next, radians.
inline constexpr double kLastTurn = 1e-8;
inline constexpr double kLongestTurn = 0.5;
/// Of the squared sine between normal and axis: less, and an end lies flat.
inline constexpr double kFlatEnd = 1e-10;

/// A rim, and the plane across it that has the least depth of those whose normals have one angle to a vector.
struct RimPlane {
  Vector3d out;        ///< Unit, into the frustum.
  Vector3d around;     ///< Unit: what of `out` is across the vector.
  double depth = 0.0;  ///< Along `out`, of the point that the other body turns, metres.
  double rise = 0.0;   ///< Cosine of the angle between `out` and the frustum's axis.
  Vector3d on_rim;
};

/// @param about  Unit, the vector. @param sine, cosine  What the normals have of it and across it.
/// @param point  Of the other body: its offset along such a normal is that of this point, up to a constant.
/// @param out    About the normal.
[[nodiscard]] inline std::optional<RimPlane> rim_plane(const PlacedFrustum& frustum, const Vector3d& about, double sine,
                                                       double cosine, const Vector3d& point, const Vector3d& out) {
  constexpr int kSteps = 16;
  RimPlane plane;
  const Vector3d rest = out - out.dot(about) * about;
  plane.around = (rest - rest.dot(about) * about).normalized();
  Vector3d turned = about.cross(plane.around);
  const double end = frustum.end_towards(-(sine * about + cosine * plane.around).dot(frustum.axis));
  const double radius = frustum.radius(end);
  const Vector3d to_point = point - frustum.end_center(end);
  // The depth is out·to_point + r rho with rho the cosine of the normal's elevation over the end's plane. Its least is
  // between the angles, about, from where it starts where it falls and where it rises.
  Vector3d radial;
  double rho = 0.0;
  double angle = 0.0;
  double falls = -std::numeric_limits<double>::infinity();
  double rises = std::numeric_limits<double>::infinity();
  bool is_settled = false;
  for (int step = 0;; ++step) {
    plane.out = sine * about + cosine * plane.around;
    plane.rise = plane.out.dot(frustum.axis);
    radial = frustum.across_axis(plane.out);
    const double rho_sq = radial.squaredNorm();
    if (!(rho_sq > kFlatEnd)) return std::nullopt;
    rho = std::sqrt(rho_sq);
    if (is_settled) break;
    if (step == kSteps) return std::nullopt;
    const double rise_turned = cosine * turned.dot(frustum.axis);
    const double slope = cosine * turned.dot(to_point) - radius * plane.rise * rise_turned / rho;
    const double curvature =
        cosine * (radius * plane.rise / rho * plane.around.dot(frustum.axis) - plane.around.dot(to_point)) -
        radius * rise_turned * rise_turned / (rho * rho_sq);
    (slope < 0.0 ? falls : rises) = angle;
    const bool is_bowl = curvature > 0.0;
    double turn = is_bowl ? -slope / curvature : std::copysign(kLongestTurn, -slope);
    is_settled = is_bowl && std::abs(turn) <= kLastTurn;
    turn = std::clamp(turn, -kLongestTurn, kLongestTurn);
    if (!is_settled && !(angle + turn > falls && angle + turn < rises)) turn = 0.5 * (falls + rises) - angle;
    angle += turn;
    const double t = 0.5 * turn;  // a rotation by 2 atan(t)
    const double f = 1.0 / (1.0 + t * t);
    const Vector3d next = f * ((1.0 - t * t) * plane.around + 2.0 * t * turned);
    turned = f * ((1.0 - t * t) * turned - 2.0 * t * plane.around);
    plane.around = next;
  }
  if (!(end * (-plane.rise - frustum.side_sine) > 0.0)) return std::nullopt;  // another feature's normal
  plane.depth = plane.out.dot(to_point) + radius * rho;
  plane.on_rim = frustum.end_center(end) - radius / rho * radial;
  return plane;
}

/// An edge of the other body, p + s e, s in 0 … 1, across the rim of an end.
/// @param out  About out of the other body.
[[nodiscard]] inline std::optional<PlaneGuess> rim_edge_guess(const PlacedFrustum& frustum, const Vector3d& p,
                                                              const Vector3d& e, const Vector3d& out) {
  const double length = e.norm();
  if (!(length > 0.0)) return std::nullopt;
  const Vector3d along = e / length;
  const std::optional<RimPlane> plane = rim_plane(frustum, along, 0.0, 1.0, p, out);
  if (!plane) return std::nullopt;
  PlaneGuess guess;
  guess.out = plane->out;
  guess.depth = plane->depth;
  guess.on_curved = plane->on_rim;
  const double s = (guess.on_curved - p).dot(along) / length;
  guess.on_other = p + s * e;
  guess.margin = std::min(s, 1.0 - s) * length;
  guess.reach = reach_of_sweep(guess.depth, frustum.radius(frustum.end_towards(-plane->rise)), 0.0, guess.margin,
                               std::abs(along.dot(frustum.axis)), plane->rise);
  return guess;
}

/// The side of another frustum across the rim of one: along normals that rise as the side does its offset is that of a
/// point on its axis, up to a constant.
/// @param rim  Into which out points. @param out  About out of the side.
[[nodiscard]] inline std::optional<PlaneGuess> rim_side_guess(const PlacedFrustum& rim, const PlacedFrustum& side,
                                                              const Vector3d& out) {
  if (!side.has_side()) return std::nullopt;
  const std::optional<RimPlane> plane = rim_plane(rim, side.axis, side.side_sine, side.side_cosine, side.center, out);
  if (!plane) return std::nullopt;
  PlaneGuess guess;
  guess.out = plane->out;
  guess.depth = plane->depth + side.middle_radius() * side.side_cosine;
  guess.on_curved = plane->on_rim;
  const Vector3d middle = side.center + side.middle_radius() * plane->around;
  const Vector3d line = side.side_line(plane->around);
  const double along_line = (guess.on_curved - middle).dot(line);
  guess.on_other = middle + along_line * line;
  guess.margin = side.half_slant() - std::abs(along_line);
  // The side alone before the rim's point, as in side_guess, or both bodies: of a cylinder its axis that is carried
  // out, of a cone one side line.
  const double of_side =
      reach_before_side(side, guess.depth, guess.margin, ball_in_side(side, along_line * side.side_cosine));
  const bool is_cylinder = side.side_sine == 0.0;
  const double of_both =
      reach_of_sweep(guess.depth, rim.radius(rim.end_towards(-plane->rise)), is_cylinder ? side.bottom_radius : 0.0,
                     guess.margin, std::abs(rim.axis.dot(line)), plane->rise);
  guess.reach = std::max(of_side, of_both);
  return guess;
}

/// The reach of two discs that touch at their rims. With z how far into a disc from the plane across its radius there,
/// and y along that plane, points y²/(2 r) kRound deep lie in it up to half of its radius r away. A point of one and
/// one of the other then differ, in coordinates y, y' along both tangents, by no more than y²/(2 a) + y'²/(2 a')
/// across the normal, where a = r/rho with rho the cosine of the normal's elevation over the disc; sideways by no more
/// than `shift` of the square of their length, so that they reach all points within a circle a little smaller.
/// @param a, b  r/rho of both, metres. @param r, s  Radii, metres.
/// @param sine  Of the angle between their tangents.
/// @param rise_a, rise_b  Sines of the normal's elevations.
[[nodiscard]] inline double reach_of_rims(double depth, double a, double b, double r, double s, double sine,
                                          double rise_a, double rise_b) {
  constexpr double kRound = 1.08;
  const double sine_sq = sine * sine;
  const double half_sum = 0.5 * (a + b);
  // The least eigenvalue of a t tᵀ + b t' t'ᵀ.
  const double least = a * b * sine_sq / (half_sum + std::sqrt(half_sum * half_sum - a * b * sine_sq));
  const double shift = 0.5 * kRound / sine_sq * (rise_a / r + rise_b / s);
  const double spare = 1.0 - std::sqrt(kRound * depth / least);
  if (!(spare > 0.0)) return 0.0;
  const double length = std::min(0.5 * std::abs(sine) * std::min(r, s), 0.5 * spare / shift);
  const double shrunk = 1.0 - shift * length;
  return reach_of_dome(depth, least * shrunk * shrunk / kRound, length * shrunk);
}

/// A rim of one frustum across a rim of another.
/// @param out  About out of `other`, into `frustum`.
[[nodiscard]] inline std::optional<PlaneGuess> rims_guess(const PlacedFrustum& frustum, const PlacedFrustum& other,
                                                          const Vector3d& out) {
  constexpr int kSteps = 16;
  constexpr double kFlatBowl = 0.01;
  PlaneGuess guess;
  guess.out = out;
  guess.margin = std::numeric_limits<double>::infinity();
  bool is_settled = false;
  for (int step = 0;; ++step) {
    const double rise = guess.out.dot(frustum.axis);
    const double rise_of_other = guess.out.dot(other.axis);
    const double end = frustum.end_towards(-rise);
    const double end_of_other = other.end_towards(rise_of_other);
    const double r = frustum.radius(end);
    const double s = other.radius(end_of_other);
    const Vector3d radial = frustum.across_axis(guess.out);
    const Vector3d radial_of_other = other.across_axis(guess.out);
    const double rho_sq = radial.squaredNorm();
    const double rho_of_other_sq = radial_of_other.squaredNorm();
    if (!(rho_sq > kFlatEnd && rho_of_other_sq > kFlatEnd)) return std::nullopt;
    const double rho = std::sqrt(rho_sq);
    const double rho_of_other = std::sqrt(rho_of_other_sq);
    guess.on_curved = frustum.end_center(end) - r / rho * radial;
    guess.on_other = other.end_center(end_of_other) + s / rho_of_other * radial_of_other;
    const Vector3d apart = guess.on_other - guess.on_curved;
    guess.depth = apart.dot(guess.out);
    // The depth's second derivatives are a t tᵀ + b t' t'ᵀ - depth, with the tangents t and t' of the rims.
    const Vector3d t = frustum.axis.cross(guess.out) / rho;
    const Vector3d u = guess.out.cross(t);
    const Vector3d tangent_of_other = other.axis.cross(guess.out) / rho_of_other;
    const double cosine = tangent_of_other.dot(t);
    const double sine = tangent_of_other.dot(u);
    const double a = r / rho;
    const double b = s / rho_of_other;
    if (is_settled) {
      if (guess.depth > 0.0) {
        guess.reach = reach_of_rims(guess.depth, a, b, r, s, sine, std::abs(rise), std::abs(rise_of_other));
      }
      return guess;
    }
    if (step == kSteps) return std::nullopt;
    // Where they are no bowl, the depth is left out of them, and where they are flat still, more is added.
    double tt = a + b * cosine * cosine - guess.depth;
    const double tu = b * cosine * sine;
    double uu = b * sine * sine - guess.depth;
    double determinant = tt * uu - tu * tu;
    const bool is_bowl = determinant > 0.0 && tt > 0.0;
    if (!is_bowl) {
      const double more = guess.depth + kFlatBowl * (a + b);
      tt += more;
      uu += more;
      determinant = tt * uu - tu * tu;
    }
    const double slope_t = apart.dot(t);
    const double slope_u = apart.dot(u);
    const double turn_t = (tu * slope_u - uu * slope_t) / determinant;
    const double turn_u = (tu * slope_t - tt * slope_u) / determinant;
    const double turn = std::hypot(turn_t, turn_u);
    is_settled = is_bowl && turn <= kLastTurn;
    const double part = std::min(1.0, kLongestTurn / turn);
    guess.out = (guess.out + part * (turn_t * t + turn_u * u)).normalized();
  }
}

}  // namespace abut::detail

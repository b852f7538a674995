// Planes that may carry the answer of a smooth body and another one that has faces, edges and corners. Of a face the
// normal is known; at right angles to an edge there is one angle left, and before a corner or along a curved edge two,
// which Newton's method finds from the second derivatives of the body's support function. GJK and EPA close in on such
// answers slowly: each of their steps adds one point of the curved side.
//
// The depth along a unit normal n out of the other body is n·p + h(-n), p of the feature and h the smooth body's
// support function. Turning n by t across it changes the slope by the radii of curvature of both less the depth: above
// zero where the depth is least there, and always where the bodies are apart. In overlap a ball in the body that
// touches the plane from inside and is no smaller than the depth proves it for all directions (inner_ball.h).
#pragma once

#include <abut/narrowphase/plane_guess.h>
#include <abut/narrowphase/smooth/curvature_bound.h>
#include <abut/narrowphase/smooth/eigenvalues.h>
#include <abut/narrowphase/smooth/inner_ball.h>
#include <abut/narrowphase/smooth/smooth_core.h>
#include <abut/narrowphase/smooth/tangent_frame.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace abut::detail {

/// A smooth body in the frame of a.
template <SmoothGeometry G>
struct PlacedSmooth {
  const G& shape;
  const Pose& a_from_shape;

  /// A point that is farthest along a direction.
  [[nodiscard]] Vector3d farthest(const Vector3d& direction) const {
    return a_from_shape * shape.core_support(a_from_shape.unrotate(direction));
  }
  /// Radius of a ball in it that touches its plane along a direction, unit.
  [[nodiscard]] double touching_ball(const Vector3d& direction) const {
    return inner_ball_radius(shape, a_from_shape.unrotate(direction));
  }
  /// Up to which angle from a direction its surface bends no more than a ball of that radius: the tangent of its half.
  [[nodiscard]] double touching_cap(const Vector3d& direction, double radius) const {
    const TangentFrame at = tangent_frame(a_from_shape.unrotate(direction));
    for (const double tangent : {0.5, 0.2, 0.08, 0.03}) {
      if (smallest_eigenvalue(curvature_bound(shape, at, tangent)) >= radius) {
        return tangent / (1.0 + std::sqrt(1.0 + tangent * tangent));
      }
    }
    return 0.0;
  }
  [[nodiscard]] TangentExpansion expansion(const TangentFrame& at) const {
    TangentExpansion result =
        expand(shape, {a_from_shape.unrotate(at.normal), a_from_shape.unrotate(at.u), a_from_shape.unrotate(at.v)});
    result.point = a_from_shape * result.point;
    return result;
  }
};

/// What is less than this fraction of the coordinates is rounding.
inline constexpr double kNoDoubt = 1e-16;
/// Of Newton's method, each step of which but the first two has to halve what is left.
inline constexpr int kMaxNewtonSteps = 12;
/// Radians; the second derivatives say little beyond.
inline constexpr double kLongestNewtonStep = 0.5;

/// Completes a guess whose normal and point of the curved body are known.
/// @param on_other  The other body's.
/// @param slope     Of the depth by the angle, metres: how far the two points are beside each other.
/// @param disc      Radius of one about on_other, across the normal, that lies in the other body, metres.
template <class G>
void complete(PlaneGuess& guess, const PlacedSmooth<G>& body, const Vector3d& on_other, double slope,
              double disc = 0.0) {
  guess.on_other = on_other;
  guess.depth = guess.out.dot(on_other - guess.on_curved);
  const auto doubt_of = [&](double bend) { return bend > 0.0 ? std::min(slope, 0.5 * slope * slope / bend) : slope; };
  guess.doubt = doubt_of(-guess.depth);
  if (!(guess.depth > 0.0) && guess.doubt <= kNoDoubt * on_other.lpNorm<1>()) return;
  const double ball = body.touching_ball(-guess.out);
  guess.doubt = doubt_of(ball - guess.depth);
  if (!(guess.depth > 0.0)) return;
  guess.reach = reach_of_disc(guess.depth, disc, ball);
  if (std::isinf(guess.reach)) return;
  // With n + y for the unit normal, y across n, the support function of D is at least d + yᵀGy / 2 on the cap, where G,
  // what the curvature is at least, is d or more: no less than d √(1 + y²).
  constexpr double kBent = 1.1;
  const double cap = body.touching_cap(-guess.out, kBent * guess.depth);
  if (!(cap > guess.reach)) return;
  guess.reach = cap;
  guess.doubt = doubt_of((kBent - 1.0) * guess.depth);
}

/// Whether Newton's method has ended. @param least  See edge_guess. @param bend  Second derivative of the depth,
/// metres.
inline bool is_level(double slope, double bend, double least) {
  // Of `least`, itself kTouching of the size, this is rounding of a distance.
  constexpr double kRounding = 1e-6;
  return slope <= least && slope * slope <= kRounding * least * bend;
}

/// @param start, edge  A corner of the other body and the way to the next, metres. @param out  About out of it.
/// @param least        Slope of the depth that is rounding, metres.
template <class G>
[[nodiscard]] std::optional<PlaneGuess> edge_guess(const PlacedSmooth<G>& body, const Vector3d& start,
                                                   const Vector3d& edge, const Vector3d& out, double least) {
  const double length = edge.norm();
  const Vector3d along = edge / length;
  Vector3d n = (out - out.dot(along) * along).normalized();
  if (!n.allFinite()) return std::nullopt;
  double slope_before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxNewtonSteps; ++k) {
    const Vector3d t = along.cross(n);
    const TangentExpansion at = body.expansion({-n, t, along});
    const Vector3d between = start - at.point;
    const double slope = t.dot(between);
    const double bend = at.uu - n.dot(between);
    if (is_level(std::abs(slope), bend, least)) {
      PlaneGuess guess;
      guess.out = n;
      guess.on_curved = at.point;
      const double from_start = -between.dot(along);
      guess.margin = std::min(from_start, length - from_start);
      complete(guess, body, start + from_start * along, std::abs(slope));
      return guess;
    }
    if (!(bend > 0.0) || !(k < 2 || std::abs(slope) < 0.5 * slope_before)) return std::nullopt;
    slope_before = std::abs(slope);
    n = (n - std::clamp(slope / bend, -kLongestNewtonStep, kLongestNewtonStep) * t).normalized();
  }
  return std::nullopt;
}

/// A corner of the other body, or the point of a curved edge that is its farthest along n.
struct FarPoint {
  Vector3d point;
  Vector3d tangent = Vector3d::Zero();  ///< Of the edge there, unit.
  double bend = 0.0;                    ///< Second derivative of the edge's support function along it, metres.
};

/// @param far_point  Of the other body, by a unit normal out of it: FarPoint(const Vector3d&). @param out  About out.
/// @param least      See edge_guess.
template <class G, class OtherPoint>
[[nodiscard]] std::optional<PlaneGuess> point_guess(const PlacedSmooth<G>& body, const OtherPoint& far_point,
                                                    const Vector3d& out, double least) {
  Vector3d n = out;
  double slope_before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxNewtonSteps; ++k) {
    const TangentFrame frame = tangent_frame(-n);
    const TangentExpansion at = body.expansion(frame);
    const FarPoint other = far_point(n);
    const Vector3d between = other.point - at.point;
    const double slope_u = frame.u.dot(between);
    const double slope_v = frame.v.dot(between);
    const double slope = std::sqrt(slope_u * slope_u + slope_v * slope_v);
    const double depth = n.dot(between);
    const double tangent_u = frame.u.dot(other.tangent);
    const double tangent_v = frame.v.dot(other.tangent);
    const double uu = at.uu + other.bend * tangent_u * tangent_u - depth;
    const double uv = at.uv + other.bend * tangent_u * tangent_v;
    const double vv = at.vv + other.bend * tangent_v * tangent_v - depth;
    const double determinant = uu * vv - uv * uv;
    // Of the least the two eigenvalues are, about.
    const double bend = determinant / (uu + vv);
    if (is_level(slope, bend, least)) {
      PlaneGuess guess;
      guess.out = n;
      guess.on_curved = at.point;
      guess.margin = std::numeric_limits<double>::infinity();
      complete(guess, body, other.point, slope);
      return guess;
    }
    if (!(uu > 0.0 && determinant > 0.0) || !(k < 2 || slope < 0.5 * slope_before)) return std::nullopt;
    slope_before = slope;
    const double turn_u = (vv * slope_u - uv * slope_v) / determinant;
    const double turn_v = (uu * slope_v - uv * slope_u) / determinant;
    const double shortened = std::min(1.0, kLongestNewtonStep / std::sqrt(turn_u * turn_u + turn_v * turn_v));
    n = (n - shortened * (turn_u * frame.u + turn_v * frame.v)).normalized();
  }
  return std::nullopt;
}

}  // namespace abut::detail

// Where a ray meets a convex set that has a support function: GJK ray cast.
// Source: van den Bergen, "Ray Casting against General Convex Objects with Application to Continuous Collision
// Detection" (2004). The distance to a convex set is convex along a line, so that every supporting plane gives a step
// that passes no point of the set; the planes come from GJK, whose simplex is kept while the point moves. Departures:
// the set is a core ⊕ ball, and steps go to the plane shifted by the ball's radius; a point nearer than the tolerance
// ends the march with a bound on how near it is.
#pragma once

#include <abut/narrowphase/simplex.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// @tparam Point  Of the set; has a member `position`.
template <class Point>
struct GjkRayResult {
  enum class Outcome : std::uint8_t {
    miss,     ///< A plane proves that nothing is met by max_t.
    hit,      ///< The point at t is within `gap` of the set.
    stopped,  ///< Out of iterations or of digits: nothing is met before t.
  };
  Outcome outcome = Outcome::stopped;
  double t = 0.0;
  Vector3d normal = Vector3d::Zero();  ///< Unit, out of the set: of the last plane; zero where there was none.
  double gap = 0.0;                    ///< Of a hit, metres.
  int iterations = 0;
  // Points of the core whose mean with these weights is the one nearest to the point at t.
  std::array<Point, 4> points;
  std::array<double, 3> weights{};
  std::array<int, 3> carriers{};  ///< Indices into points.
  int carrier_count = 0;          ///< 0: the point at t lies inside the hull of points.
};

/// @param core       Has support(direction), a Point farthest along a direction of any length.
/// @param radius     Of the ball, metres.
/// @param guess      From the middle of the core towards the origin, best; not zero.
/// @param begin_t, max_t  The part of the ray that counts; begin_t is finite.
/// @param tolerance  Metres, > 0.
template <class Point, class Core>
[[nodiscard]] GjkRayResult<Point> gjk_ray(const Core& core, double radius, const Vector3d& origin,
                                          const Vector3d& direction, const Vector3d& guess, double begin_t,
                                          double max_t, double tolerance, int max_iterations) {
  constexpr double kRounding = 1e-15;
  GjkRayResult<Point> result;
  result.t = begin_t;
  Vector3d x = origin + begin_t * direction;
  Vector3d v = guess;
  std::array<Vector3d, 4> from_x;  // points - x
  int size = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int k = 0; k < max_iterations; ++k) {
    result.iterations = k + 1;
    const double length = v.norm();
    const Point s = core.support(v);
    const double rounding = kRounding * (x.template lpNorm<1>() + s.position.template lpNorm<1>() + radius);
    // The core lies behind the plane through s across v, the set behind that plane shifted by the radius.
    const double gap = v.dot(x - s.position) / length - radius;
    if (!std::isfinite(gap)) return result;
    bool has_moved = false;
    if (gap > rounding) {
      const double rate = -v.dot(direction) / length;
      // Written so that a step that is not finite, along the plane, ends here.
      const double t = rate > 0.0 ? result.t + gap / rate : std::numeric_limits<double>::infinity();
      if (!(t <= max_t) || !std::isfinite(t)) {
        result.outcome = GjkRayResult<Point>::Outcome::miss;
        return result;
      }
      result.normal = v / length;
      has_moved = t > result.t;
      result.t = t;
      if (has_moved) best_distance = std::numeric_limits<double>::infinity();
      x = origin + t * direction;
    }
    bool is_known = false;
    for (int i = 0; i < size; ++i)
      is_known = is_known || result.points[static_cast<std::size_t>(i)].position == s.position;
    if (!is_known) result.points[static_cast<std::size_t>(size++)] = s;

    std::array<const Vector3d*, 4> positions{};
    for (int i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      from_x[at] = result.points[at].position - x;
      positions[at] = &from_x[at];
    }
    const NearestOnHull nearest = nearest_on_hull(positions, size);
    result.carrier_count = nearest.size;
    result.carriers = nearest.index;
    result.weights = nearest.weight;
    if (nearest.size == 0) {
      result.gap = 0.0;
      result.outcome = GjkRayResult<Point>::Outcome::hit;
      return result;
    }
    const double distance = nearest.closest.norm();
    const double floor = std::max(tolerance, 4.0 * rounding);
    result.gap = std::max(distance - radius, 0.0);
    if (distance - radius <= floor) {
      result.outcome = GjkRayResult<Point>::Outcome::hit;
      return result;
    }
    // Neither a step nor a nearer point: rounding is all that is left.
    if (!has_moved && !(distance < best_distance)) return result;
    best_distance = std::min(best_distance, distance);
    v = -nearest.closest;
    // Only the points that carry the nearest one are kept.
    std::array<Point, 4> kept;
    for (int i = 0; i < nearest.size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      kept[at] = result.points[static_cast<std::size_t>(nearest.index[at])];
      result.carriers[at] = i;
    }
    result.points = kept;
    size = nearest.size;
  }
  return result;
}

}  // namespace abut::detail

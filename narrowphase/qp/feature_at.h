// Which feature of a flat core holds its nearest point, and with how much room: the active set, read off the solution.
#pragma once

#include <abut/narrowphase/qp/pill_core.h>
#include <abut/narrowphase/qp/qp_sensitivity.h>

#include <Eigen/Core>

#include <limits>

namespace abut::detail {

/// An active set is strictly complementary where each row has either this much slack, in units of the core, or this
/// much force, as the sine of an angle of the normal. Derivatives nearer to a change of the active set hold only in
/// that tiny neighbourhood.
inline constexpr double kStrict = 1e-7;

/// What counts as nothing.
struct ActiveTolerances {
  double slack;  ///< Metres.
  double sine;   ///< Of the angle between the normal and the direction that a row's force would leave it.
};

/// Sets free_count, u, v, end and is_strict.
/// @param point   Nearest point of the core, measured as its center.
/// @param normal  Unit, from this core to the other.
inline void set_feature(const SegmentCore& core, const Vector3d& point, const Vector3d& normal,
                        const ActiveTolerances& tolerances, BodyAtSolution& body) {
  const double pull = core.axis.dot(normal);
  const double along = core.axis.dot(point - core.center);
  const bool has_length = core.half_length > 0.0;
  const double sign = has_length ? along : pull;  // of the end in question
  const bool is_at_end = core.half_length - std::abs(along) <= tolerances.slack;
  const bool is_pulled = (sign > 0.0 ? pull : -pull) > tolerances.sine;
  const bool is_end = is_at_end && is_pulled;  // a point that would grow across the normal stays nearest
  body.free_count = is_end || !has_length ? 0 : 1;
  body.u = core.axis;
  body.end = (is_end ? (sign > 0.0 ? 1.0 : -1.0) : 0.0) * core.axis;
  body.is_strict = !has_length || is_at_end == is_pulled;
  body.would_lie_level = !has_length && !is_pulled;
}

inline void set_feature(const PolygonCore& core, const Vector3d& point, const Vector3d& normal,
                        const ActiveTolerances& tolerances, BodyAtSolution& body) {
  // The two sides with the least slack.
  const Vector3d from_center = point - core.center;
  const Eigen::Vector2d place =
      Eigen::Vector2d(core.u.dot(from_center), core.v.dot(from_center)) + core.polygon.center().head<2>();
  const auto sides = core.polygon.sides();
  std::size_t first = 0;
  std::size_t second = 0;
  double least = std::numeric_limits<double>::infinity();
  double next = least;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double slack = sides[i].offset - sides[i].normal.dot(place);
    if (slack < least) {
      next = least;
      second = first;
      least = slack;
      first = i;
    } else if (slack < next) {
      next = slack;
      second = i;
    }
  }
  body.end.setZero();
  body.free_count = 2;
  body.u = core.u;
  body.v = core.v;
  body.is_strict = least > tolerances.slack;
  if (body.is_strict) return;  // inside the face

  const Eigen::Vector2d pull(core.u.dot(normal), core.v.dot(normal));
  const auto along = [&](std::size_t side) {  // of the pull, counter-clockwise
    return sides[side].normal.x() * pull.y() - sides[side].normal.y() * pull.x();
  };
  std::size_t side = first;
  bool is_edge_strict = true;
  if (next <= tolerances.slack) {
    // In a corner: held where the pull goes forward along the side before it, and back along the side after it.
    const bool is_first_before = second == first + 1 || (second == 0 && first + 1 == sides.size());
    const std::size_t before = is_first_before ? first : second;
    const std::size_t after = is_first_before ? second : first;
    const double forward = along(before);
    const double back = -along(after);
    if (forward > tolerances.sine && back > tolerances.sine) {
      body.free_count = 0;
      body.is_strict = true;
      return;
    }
    is_edge_strict = false;
    side = forward <= back ? before : after;
  }
  if (sides[side].normal.dot(pull) > tolerances.sine) {
    body.free_count = 1;
    body.u = core.tangent(side);
    body.is_strict = is_edge_strict;
  }
}

}  // namespace abut::detail

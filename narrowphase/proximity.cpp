// The kinds of the two shapes, the frame that both cores are measured in, and the radii around the cores.
#include <abut/core/error.h>
#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/qp/feature_at.h>
#include <abut/narrowphase/qp/pill_pair.h>
#include <abut/narrowphase/qp/qp_sensitivity.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace abut {
namespace {

double largest(const Vector3d& v) {
  return std::max({std::abs(v.x()), std::abs(v.y()), std::abs(v.z())});
}

}  // namespace

namespace detail {

void refuse_pair(const Shape& a, const Shape& b) {
  throw InvalidInput("shape", "proximity needs two capsules or padded polygons of at most 64 sides, not " +
                                  std::string(a.type_name()) + " and " + std::string(b.type_name()));
}

}  // namespace detail

bool has_proximity(const Shape& a, const Shape& b) {
  return detail::is_pill(a) && detail::is_pill(b);
}

Proximity proximity(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                    QpMethod method) {
  return detail::with_cores(a, world_from_a, b, world_from_b, [&](const auto& core_a, const auto& core_b) {
    const detail::CoreAnswer answer = detail::nearest_points(core_a, core_b, method);
    const double radius_a = detail::radius_of(a);
    const double radius_b = detail::radius_of(b);
    const double radii = radius_a + radius_b;
    // With the way of a polygon from the origin of its frame.
    const double coordinates = detail::coordinates_of(core_a, core_b) + largest(core_a.center) + largest(core_b.center);
    Proximity result;
    // What is rounding counts as crossing.
    const double distance = answer.is_touching ? 0.0 : answer.distance;
    result.phi = (distance - radii) * (distance + radii);
    result.distance = distance - radii;
    result.core_point_a = world_from_a.translation() + answer.points.point_a;
    result.core_point_b = world_from_a.translation() + answer.points.point_b;
    result.normal = answer.normal;
    result.point_a = result.core_point_a + radius_a * answer.normal;
    result.point_b = result.core_point_b - radius_b * answer.normal;
    const double doubt = std::max(0.0, distance - std::max(answer.lower_bound, 0.0));
    result.distance_error = doubt + detail::kQpRounding * (2.0 * coordinates + radii);
    result.status = doubt <= 1e-12 * coordinates ? SolveStatus::converged : SolveStatus::iteration_limit;
    result.iterations = answer.iterations;
    return result;
  });
}

ProximityDerivatives derivatives(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                 const Proximity& proximity) {
  ProximityDerivatives result;
  detail::with_cores(a, world_from_a, b, world_from_b, [&](const auto& core_a, const auto& core_b) {
    const Vector3d& origin_a = world_from_a.translation();
    const Vector3d& origin_b = world_from_b.translation();
    const Vector3d point_a = proximity.core_point_a - origin_a;
    const Vector3d point_b = proximity.core_point_b - origin_a;
    detail::BodyAtSolution at_a;
    detail::BodyAtSolution at_b;
    at_a.radius = detail::radius_of(a);
    at_b.radius = detail::radius_of(b);
    at_a.arm = point_a;
    at_b.arm = proximity.core_point_b - origin_b;

    // Rounding of the gap, of its direction, and of the points in the world.
    const double coordinates = detail::coordinates_of(core_a, core_b);
    const double rounding = detail::kQpRounding * (8.0 * coordinates + at_a.radius + at_b.radius);
    double distance = proximity.distance + (at_a.radius + at_b.radius);
    if (!(distance > rounding)) distance = 0.0;
    const double sine = detail::kStrict + (distance > 0.0 ? rounding / distance : 1.0);
    const double world =
        4.0 * detail::kQpRounding * (largest(origin_a) + largest(core_a.center) + largest(core_b.center) + coordinates);
    set_feature(core_a, point_a, proximity.normal, {detail::kStrict * core_a.reach() + world, sine}, at_a);
    set_feature(core_b, point_b, -proximity.normal, {detail::kStrict * core_b.reach() + world, sine}, at_b);
    detail::set_sensitivity(at_a, at_b, proximity.normal, distance, result);
  });
  return result;
}

}  // namespace abut

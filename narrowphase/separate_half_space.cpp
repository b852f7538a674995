// Half-space against a convex shape: the point of b that lies deepest, against the plane.
#include <abut/narrowphase/closed/core_gap.h>
#include <abut/narrowphase/separate.h>

#include <cmath>

namespace abut::detail {

Separation separate_half_space(const HalfSpace& a, double margin_a, const ConvexCore& b, const Pose& a_from_b) {
  Separation result;
  result.normal = a.normal();
  const Vector3d support = b.support(a_from_b.unrotate(-result.normal));
  const Vector3d deepest = a_from_b * support;
  const double above_plane = result.normal.dot(deepest) - a.offset();
  result.distance = above_plane - margin_a - b.radius();
  result.point_a = deepest - (above_plane - margin_a) * result.normal;
  result.point_b = deepest - b.radius() * result.normal;
  // Along the plane nothing is rounded, however far its origin is; of the pose that is given.
  const double coordinates =
      result.normal.cwiseAbs().dot(a_from_b.translation().cwiseAbs()) + support.lpNorm<1>() + std::abs(a.offset());
  result.distance_error = kClosedRounding * (coordinates + margin_a + b.radius());
  return result;
}

}  // namespace abut::detail

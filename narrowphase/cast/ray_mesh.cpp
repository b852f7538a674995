// Rays against triangle meshes, by the mesh's tree; what is met is decided in doubles (sheared_ray.h).
#include <abut/narrowphase/cast/ray_crossings.h>
#include <abut/narrowphase/cast/ray_mesh.h>

#include <abut/core/error.h>
#include <abut/narrowphase/cast/tree_ray_walk.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

void check(const Vector3d& origin, const Vector3d& direction, double max_t) {
  if (!origin.allFinite()) require_finite("origin", origin);
  if (!direction.allFinite()) require_finite("direction", direction);
  if (!(direction.cwiseAbs().maxCoeff() > 0.0)) throw InvalidInput("direction", "must not be zero");
  if (!(max_t >= 0.0)) throw InvalidInput("max_t", "must be >= 0", max_t);
}

}  // namespace

std::optional<MeshHit> first_hit(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction,
                                 double max_t) {
  check(origin, direction, max_t);
  const detail::FirstTriangle first = detail::MeshRay(mesh, origin.data(), direction.data()).first(max_t);
  if (first.triangle == detail::FirstTriangle::kNone) return std::nullopt;
  return MeshHit{first.t, first.triangle};
}

bool any_hit(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction, double max_t) {
  check(origin, direction, max_t);
  return detail::MeshRay(mesh, origin.data(), direction.data()).meets_any(max_t);
}

void all_hits(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction, double max_t,
              std::vector<MeshHit>& hits) {
  check(origin, direction, max_t);
  hits.clear();
  detail::MeshRay(mesh, origin.data(), direction.data())
      .visit(max_t, [&](std::uint32_t triangle, const detail::TriangleMeeting& meeting) {
        if (meeting.t >= 0.0 && meeting.t <= max_t) hits.push_back({meeting.t, triangle});
        return max_t;
      });
  std::sort(hits.begin(), hits.end(),
            [](const MeshHit& x, const MeshHit& y) { return x.t != y.t ? x.t < y.t : x.triangle < y.triangle; });
}

namespace detail {

double surface_rounding(const TriangleMesh& mesh, const Vector3d& point) {
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  return kRounding * point.cwiseAbs().maxCoeff() + kRounding * mesh.aabb().lower.cwiseAbs().maxCoeff() +
         kRounding * mesh.aabb().upper.cwiseAbs().maxCoeff();
}

std::optional<RayCrossings> ray_crossings(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction) {
  constexpr double kForEver = std::numeric_limits<double>::infinity();
  constexpr double kEnd = -1.0;
  RayCrossings result;
  bool is_doubtful = false;
  const double largest = direction.cwiseAbs().maxCoeff();
  const double on_surface = surface_rounding(mesh, origin) / largest;
  Eigen::Index axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  // Where the ray runs up its axis, a triangle whose normal does so as well has negative products; the shear mirrors
  // the others.
  const double outward = direction[axis] > 0.0 ? -1.0 : 1.0;
  MeshRay(mesh, origin.data(), direction.data()).visit(kForEver, [&](std::uint32_t, const TriangleMeeting& meeting) {
    if (std::abs(meeting.t) <= on_surface) {
      result.is_on_surface = true;
      return kEnd;
    }
    is_doubtful = is_doubtful || meeting.is_on_edge;
    if (meeting.t > 0.0) result.winding += meeting.facing * outward > 0.0 ? 1 : -1;
    return kForEver;
  });
  if (is_doubtful && !result.is_on_surface) return std::nullopt;
  return result;
}

}  // namespace detail
}  // namespace abut

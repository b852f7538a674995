// The faces by which a ray may enter, and whether it starts inside.
#include <abut/core/cross.h>
#include <abut/narrowphase/cast/ray_field.h>

#include <limits>

namespace abut::detail {

FieldRay::FieldRay(const HeightField& field, const LocalRay& ray) : field_(field), ray_(ray) {
  const Aabb& box = field.aabb();
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  rounding_ = kRounding * (ray.origin.cwiseAbs().maxCoeff() +
                           std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff()));
  if (ray.direction.isZero(0.0)) return;
  const double in_plane = in_plane_bound(box.lower.data(), box.upper.data(), ray.origin.data());
  sheared_ = sheared_ray(ray.origin.data(), ray.direction.data(), in_plane);
  // Where the ray runs up its axis, a triangle whose normal does so as well has negative products; the shear mirrors
  // the others.
  outwards_ = sheared_.scale > 0.0 ? -1.0 : 1.0;
}

std::optional<ScaledHit> FieldRay::meet(std::uint32_t prism) const {
  const HeightField::Prism points = field_.prism(prism);
  if (starts_in(points)) return ScaledHit{};
  if (ray_.direction.isZero(0.0)) return std::nullopt;
  std::optional<Entry> first;
  meet_face({points[0], points[1], points[2]}, (points[1] - points[0]).cross(points[2] - points[0]), first);
  if (ray_.origin.z() <= field_.base()) meet_face({points[3], points[5], points[4]}, -Vector3d::UnitZ(), first);
  meet_walls(points, prism, first);
  if (!first) return std::nullopt;
  return first->hit;
}

bool FieldRay::starts_in(const HeightField::Prism& prism) const {
  const Vector3d& origin = ray_.origin;
  if (!(origin.z() >= field_.base() - rounding_)) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Vector2d along = (prism[(i + 1) % 3] - prism[i]).head<2>();
    const double inside = cross(along, (origin - prism[i]).head<2>());
    if (!(inside >= -rounding_ * along.lpNorm<1>())) return false;
  }
  const Vector3d normal = (prism[1] - prism[0]).cross(prism[2] - prism[0]);
  return normal.dot(origin - prism[0]) <= rounding_ * normal.lpNorm<1>();
}

void FieldRay::meet_walls(const HeightField::Prism& prism, std::uint32_t index, std::optional<Entry>& first) const {
  const auto rows = static_cast<std::uint32_t>(field_.heights().rows() - 1);
  const auto columns = static_cast<std::uint32_t>(field_.heights().cols() - 1);
  const std::uint32_t row = index / 2 / columns;
  const std::uint32_t column = index / 2 % columns;
  const auto meet_wall = [&](std::size_t i, std::size_t j, Vector3d outward) {
    if (prism[i].z() <= field_.base() && prism[j].z() <= field_.base()) {
      // A wall of no height is the rim of the ground, where rounding may have let the ray pass the ground itself by.
      outward = (prism[1] - prism[0]).cross(prism[2] - prism[0]);
      if (!(outward.dot(ray_.direction) < 0.0)) outward = -Vector3d::UnitZ();
    }
    meet_face({prism[i], prism[3 + i], prism[3 + j]}, outward, first);
    meet_face({prism[i], prism[3 + j], prism[j]}, outward, first);
  };
  const Vector3d& origin = ray_.origin;
  if (index % 2 == 0) {
    if (row == 0 && origin.y() <= prism[0].y()) meet_wall(0, 1, -Vector3d::UnitY());
    if (column + 1 == columns && origin.x() >= prism[1].x()) meet_wall(1, 2, Vector3d::UnitX());
  } else {
    if (row + 1 == rows && origin.y() >= prism[1].y()) meet_wall(1, 2, Vector3d::UnitY());
    if (column == 0 && origin.x() <= prism[0].x()) meet_wall(2, 0, -Vector3d::UnitX());
  }
}

// A face in whose plane the ray lies counts where the ray enters no other: in exact numbers it always enters one, at an
// end of such faces. Where a wall has no height its faces are lines, and such faces too.
void FieldRay::meet_face(const Corners& corners, const Vector3d& outward, std::optional<Entry>& first) const {
  const TriangleMeeting meeting = detail::meet(sheared_, corners[0].data(), corners[1].data(), corners[2].data());
  Entry entry{{}, meeting.is_edge_on};
  if (meeting.is_edge_on) {
    if (first) return;
    const InPlaneMeeting within = meet_in_plane(sheared_, corners[0].data(), corners[1].data(), corners[2].data());
    const LineInterval met = intersection({within.enter, within.leave}, {0.0, ray_.max_t});
    if (met.is_empty()) return;
    entry.hit.t = met.enter;
    entry.hit.distance_error = within.distance_error;
  } else {
    const bool is_entered = meeting.facing * outwards_ < 0.0 && meeting.t >= 0.0 && meeting.t <= ray_.max_t;
    if (!is_entered || (first && !first->is_edge_on && first->hit.t <= meeting.t)) return;
    entry.hit.t = meeting.t;
  }
  if (entry.hit.t > 0.0) entry.hit.normal = outward;
  first = entry;
}

}  // namespace abut::detail

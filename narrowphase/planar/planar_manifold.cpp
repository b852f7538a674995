#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_manifold.h>
#include <abut/narrowphase/planar/plane_vector.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace abut::planar {
namespace {

using detail::Outline;
using detail::plane_vector;
using detail::PlaneMotion;
using detail::PlaneVector;

// Sine of an angle: a side within it of the tangent is level.
constexpr double kLevel = 1e-6;
// Fraction of the sizes: points nearer than this are one.
constexpr double kSame = 1e-9;

PlaneVector along_line(PlaneVector start, PlaneVector end, double fraction) {
  return start + fraction * (end - start);
}

// What a shape turns to the other one: a side of its boundary, or a corner. Places are along the tangent, metres.
struct Facing {
  Outline::Index corner = 0;  // the highest
  Outline::Index side = 0;
  bool has_side = false;
  double tilt = 0.0;  // of the side against the tangent, sine
  PlaneVector low_end{0.0, 0.0};
  PlaneVector high_end{0.0, 0.0};
  double low = 0.0;
  double high = 0.0;
  Outline::Index low_corner = 0;
  Outline::Index high_corner = 0;

  [[nodiscard]] PlaneVector at(double place) const {
    return along_line(low_end, high_end, std::clamp((place - low) / (high - low), 0.0, 1.0));
  }
};

std::uint32_t corner_code(Outline::Index corner) {
  return 2 * corner;
}
std::uint32_t side_code(Outline::Index side) {
  return 2 * side + 1;
}

// @param frame_from_core  Into the frame of the normal and the tangent. @param outward  Of this shape, unit.
Facing facing_of(const Shape& shape, const PlaneMotion& frame_from_core, PlaneVector outward, PlaneVector tangent,
                 double max_sine) {
  const Outline& core = shape.outline();
  const PlaneVector direction = frame_from_core.unrotate(outward);
  Facing facing;
  facing.corner = core.support(direction);
  if (core.size() < 2) return facing;
  const Outline::Index before = core.previous(facing.corner);
  const PlaneVector ahead = plane_vector(core.normals()[facing.corner]);
  const PlaneVector behind = plane_vector(core.normals()[before]);
  const bool is_ahead = direction.dot(ahead) >= direction.dot(behind);
  const PlaneVector normal = is_ahead ? ahead : behind;
  facing.side = is_ahead ? facing.corner : before;
  facing.tilt = direction.dot(normal) > 0.0 ? std::abs(direction.cross(normal)) : 1.0;
  if (facing.tilt > max_sine) return facing;
  facing.has_side = true;
  const PlaneVector rounding = shape.radius() * normal;
  facing.low_corner = facing.side;
  facing.high_corner = core.next(facing.side);
  facing.low_end = frame_from_core * (plane_vector(core.corner(facing.low_corner)) + rounding);
  facing.high_end = frame_from_core * (plane_vector(core.corner(facing.high_corner)) + rounding);
  facing.low = facing.low_end.dot(tangent);
  facing.high = facing.high_end.dot(tangent);
  if (facing.low > facing.high) {
    std::swap(facing.low_corner, facing.high_corner);
    std::swap(facing.low_end, facing.high_end);
    std::swap(facing.low, facing.high);
  }
  return facing;
}

std::uint64_t feature_id(std::uint32_t of_a, std::uint32_t of_b) {
  return static_cast<std::uint64_t>(of_a) << 32 | of_b;
}

std::uint32_t part_of(const Facing& facing) {
  return facing.has_side && facing.tilt <= kLevel ? side_code(facing.side) : corner_code(facing.corner);
}

}  // namespace

ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                 const Separation& separation, const ManifoldOptions& options) {
  if (std::isnan(options.max_distance)) throw InvalidInput("max_distance", "must be a number", options.max_distance);
  if (!(options.max_tilt >= 0.0 && options.max_tilt <= 0.5)) {
    throw InvalidInput("max_tilt", "must be 0 ... 0.5 radians", options.max_tilt);
  }
  const PlaneMotion a_from_b = detail::relative_motion(world_from_a, world_from_b);
  const PlaneVector normal = plane_vector(world_from_a.unrotate(separation.normal));
  const PlaneVector tangent{-normal.y, normal.x};
  const double max_sine = std::sin(options.max_tilt);
  const Facing of_a = facing_of(a, {{0.0, 0.0}, 1.0, 0.0}, normal, tangent, max_sine);
  const Facing of_b = facing_of(b, a_from_b, -normal, tangent, max_sine);

  ContactManifold manifold;
  const ContactPoint witness{separation.point_a, separation.point_b, separation.distance,
                             feature_id(part_of(of_a), part_of(of_b))};
  const double same = kSame * (a.outline().reach() + b.outline().reach() + a.radius() + b.radius());
  const double low = std::max(of_a.low, of_b.low);
  const double high = std::min(of_a.high, of_b.high);
  if (!of_a.has_side || !of_b.has_side || !(high - low > same)) {
    manifold.storage_[0] = witness;
    manifold.count_ = 1;
    return manifold;
  }

  const auto point_at = [&](double place, std::uint32_t code_a, std::uint32_t code_b) {
    const PlaneVector on_a = of_a.at(place);
    const PlaneVector on_b = of_b.at(place);
    return ContactPoint{world_from_a * to_eigen(on_a), world_from_a * to_eigen(on_b), (on_b - on_a).dot(normal),
                        feature_id(code_a, code_b)};
  };
  const bool is_low_of_a = of_a.low >= of_b.low;
  const bool is_high_of_a = of_a.high <= of_b.high;
  std::array<ContactPoint, 2> ends = {
      point_at(low, is_low_of_a ? corner_code(of_a.low_corner) : side_code(of_a.side),
               is_low_of_a ? side_code(of_b.side) : corner_code(of_b.low_corner)),
      point_at(high, is_high_of_a ? corner_code(of_a.high_corner) : side_code(of_a.side),
               is_high_of_a ? side_code(of_b.side) : corner_code(of_b.high_corner))};
  if (ends[1].distance < ends[0].distance) std::swap(ends[0], ends[1]);
  if (ends[0].distance > separation.distance + same) ends[0] = witness;  // rounded ends are deeper than their sides
  manifold.storage_ = ends;
  // Both ends of level sides, however they are rounded.
  manifold.count_ = ends[1].distance <= std::max(options.max_distance, separation.distance + same) ? 2 : 1;
  return manifold;
}

}  // namespace abut::planar

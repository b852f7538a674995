// Boxes, segments and round bodies; see polytope_face.h for polytopes given by vertices.
#include <abut/narrowphase/sensitivity/polytope_face.h>
#include <abut/narrowphase/sensitivity/support_face.h>
#include <abut/narrowphase/smooth/smooth_core.h>
#include <abut/narrowphase/smooth/tangent_frame.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace abut::detail {
namespace {

// Below this a rim's curvature is taken as that of this distance from the axis: its inverse stays finite.
constexpr double kSmallestRadial = 1e-12;

// One straight axis of a box or segment: `place` in ±half, `slope` the normal's component along it.
void add_axis(const Vector3d& direction, double place, double half, double slope, const FaceTolerance& tolerance,
              SupportFace& face) {
  const double inside = half - std::abs(place);
  if (std::abs(slope) <= tolerance.slope && inside > tolerance.point) {
    face.add_free(direction, inside);
    return;
  }
  if (std::abs(slope) <= tolerance.level) face.add_level(direction);
  face.limit_turn(slope * std::copysign(1.0, place));
}

SupportFace face_of(const Box& box, const Vector3d& outward, const Vector3d& point, const FaceTolerance& tolerance) {
  SupportFace face;
  face.point = point;
  const Vector3d& half = box.half_extents();
  for (int i = 0; i < 3; ++i) {
    add_axis(Vector3d::Unit(i), point[i], half[i], outward[i], tolerance, face);
  }
  // What is not free lies on the surface.
  for (int i = 0; i < 3; ++i) {
    const bool is_free =
        (face.free_count > 0 && face.along[0][i] != 0.0) || (face.free_count > 1 && face.along[1][i] != 0.0);
    if (!is_free)
      face.point[i] = std::copysign(half[i], std::abs(outward[i]) > tolerance.slope ? outward[i] : point[i]);
  }
  return face;
}

SupportFace face_of(const Capsule& capsule, const Vector3d& outward, const Vector3d& point,
                    const FaceTolerance& tolerance) {
  SupportFace face;
  const double half = capsule.half_length();
  if (half > 0.0) add_axis(Vector3d::UnitZ(), point.z(), half, outward.z(), tolerance, face);
  face.point = {0.0, 0.0, face.free_count > 0 ? point.z() : std::copysign(half, point.z())};
  return face;
}

// Unit vectors across an axis, along a direction and at right angles to it.
struct Radial {
  double length;
  Vector3d out;
  Vector3d around;

  Radial(const Vector3d& direction, const Vector3d& otherwise) : length(std::hypot(direction.x(), direction.y())) {
    const Vector3d& use = length > 0.0 ? direction : otherwise;
    const double norm = std::hypot(use.x(), use.y());
    out = norm > 0.0 ? Vector3d(use.x() / norm, use.y() / norm, 0.0) : Vector3d(Vector3d::UnitX());
    around = {-out.y(), out.x(), 0.0};
  }
};

// The circle of `radius` at height z. @param turn  By what the normal may turn before a side takes over.
SupportFace rim_face(double radius, double z, const Radial& radial, double turn, const FaceTolerance& tolerance) {
  SupportFace face;
  face.point = radius * radial.out + Vector3d(0.0, 0.0, z);
  face.set_hessian((radius / std::max(radial.length, kSmallestRadial)) * radial.around * radial.around.transpose());
  face.limit_turn(std::min(turn, radial.length));
  if (radial.length <= tolerance.level) {
    face.add_level(Vector3d::UnitX());
    face.add_level(Vector3d::UnitY());
  }
  return face;
}

SupportFace end_disc(const Vector3d& point, double z, double room) {
  SupportFace face;
  face.point = {point.x(), point.y(), z};
  face.add_free(Vector3d::UnitX(), room);
  face.add_free(Vector3d::UnitY(), room);
  return face;
}

SupportFace face_of(const Cylinder& cylinder, const Vector3d& outward, const Vector3d& point,
                    const FaceTolerance& tolerance) {
  const double radius = cylinder.radius();
  const double half = cylinder.half_length();
  const Radial radial(outward, point);
  const double inside = radius - std::hypot(point.x(), point.y());
  if (radial.length <= tolerance.slope && inside > tolerance.point) {
    return end_disc(point, std::copysign(half, outward.z()), inside);
  }
  const double room = half - std::abs(point.z());
  if (std::abs(outward.z()) <= tolerance.slope && room > tolerance.point) {
    SupportFace face;
    face.point = radius * radial.out + Vector3d(0.0, 0.0, point.z());
    face.set_hessian(radius * radial.around * radial.around.transpose());
    face.add_free(Vector3d::UnitZ(), room);
    return face;
  }
  const double end = std::copysign(1.0, half > 0.0 ? point.z() : outward.z());
  const double turn = half > 0.0 ? end * outward.z() : std::numeric_limits<double>::infinity();
  SupportFace face = rim_face(radius, end * half, radial, turn, tolerance);
  if (half > 0.0 && std::abs(outward.z()) <= tolerance.level) face.add_level(Vector3d::UnitZ());
  return face;
}

SupportFace face_of(const Cone& cone, const Vector3d& outward, const Vector3d& point, const FaceTolerance& tolerance) {
  const double radius = cone.radius();
  const double half = cone.half_length();
  if (!(half > 0.0)) return face_of(Cylinder(radius, 0.0), outward, point, tolerance);
  const Radial radial(outward, point);
  const double from_axis = std::hypot(point.x(), point.y());
  if (outward.z() < 0.0 && radial.length <= tolerance.slope && radius - from_axis > tolerance.point) {
    return end_disc(point, -half, radius - from_axis);
  }
  const double length = std::hypot(radius, 2.0 * half);
  const Vector3d ruling = (radius * radial.out - Vector3d(0.0, 0.0, 2.0 * half)) / length;  // from the apex down
  const double slope = outward.dot(ruling);
  const double from_apex = (half - point.z()) * length / (2.0 * half);
  const double room = std::min(from_apex, length - from_apex);
  if (std::abs(slope) <= tolerance.slope && room > tolerance.point) {
    SupportFace face;
    face.point = Vector3d(0.0, 0.0, half) + from_apex * ruling;
    const double bend = from_apex * (radius / length) / std::max(radial.length, kSmallestRadial);
    face.set_hessian(bend * radial.around * radial.around.transpose());
    face.add_free(ruling, room);
    return face;
  }
  if (from_apex < 0.5 * length) {
    SupportFace face;
    face.point = {0.0, 0.0, half};
    face.limit_turn(-slope);
    if (std::abs(slope) <= tolerance.level) face.add_level(ruling);
    return face;
  }
  SupportFace face = rim_face(radius, -half, radial, slope, tolerance);
  if (std::abs(slope) <= tolerance.level) face.add_level(ruling);
  return face;
}

SupportFace face_of(const HalfSpace& half_space, const Vector3d& /*outward*/, const Vector3d& point,
                    const FaceTolerance& /*tolerance*/) {
  const TangentFrame frame = tangent_frame(half_space.normal());
  SupportFace face;
  face.point = point - (point.dot(frame.normal) - half_space.offset()) * frame.normal;
  face.add_free(frame.u, std::numeric_limits<double>::infinity());
  face.add_free(frame.v, std::numeric_limits<double>::infinity());
  return face;
}

// Where the second derivatives of the support function end: radians to there, about.
template <class G>
double distance_to_kink(const G& shape, const Vector3d& outward, double value) {
  if constexpr (std::is_same_v<G, Superquadric>) {
    // The pole of an ellipsoid's meridians over a section that is none: no single matrix there.
    if (shape.exponents().x() == 1.0 && shape.exponents().y() > 1.0) return std::hypot(outward.x(), outward.y());
  }
  if (shape.is_twice_differentiable()) return std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<G, Superquadric>) {
    const Vector3d size = outward.cwiseAbs();
    double nearest = std::numeric_limits<double>::infinity();
    if (shape.exponents().y() < 1.0) nearest = std::min(size.x(), size.y());
    if (shape.exponents().x() < 1.0) nearest = std::min({nearest, size.z(), std::hypot(size.x(), size.y())});
    return nearest;
  } else {
    return value / core_extent(shape);  // the support function is flat where it vanishes
  }
}

// A superquadric of an exponent below 1 is flat where the normal is across an axis of it: the point slides along that
// axis with a power of the normal's turn that is below 1.
void add_flat_axes(const Superquadric& shape, const Vector3d& outward, double level, SupportFace& face) {
  const Vector3d size = outward.cwiseAbs();
  const bool is_pole = shape.exponents().x() < 1.0 && std::hypot(size.x(), size.y()) <= level;
  const bool is_flat_across = shape.exponents().y() < 1.0;
  if (is_pole || (is_flat_across && size.x() <= level)) face.add_level(Vector3d::UnitX());
  if (is_pole || (is_flat_across && size.y() <= level)) face.add_level(Vector3d::UnitY());
  if (shape.exponents().x() < 1.0 && size.z() <= level) face.add_level(Vector3d::UnitZ());
}

template <SmoothGeometry G>
SupportFace face_of(const G& shape, const Vector3d& outward, const Vector3d& /*point*/,
                    const FaceTolerance& tolerance) {
  SupportFace face;
  if constexpr (!std::is_same_v<G, Sphere>) {  // the core of a sphere is a point
    const SupportExpansion at = shape.core_expansion(outward);
    face.point = at.point;
    face.set_hessian(at.hessian);
    face.turn = distance_to_kink(shape, outward, at.value);
    if constexpr (std::is_same_v<G, Superquadric>) add_flat_axes(shape, outward, tolerance.level, face);
  }
  return face;
}

SupportFace face_of(const ConvexHull& hull, const Vector3d& outward, const Vector3d& point,
                    const FaceTolerance& tolerance) {
  return face_of_hull(hull, outward, point, tolerance);
}
SupportFace face_of(const PaddedPolygon& polygon, const Vector3d& outward, const Vector3d& point,
                    const FaceTolerance& tolerance) {
  return face_of_polygon(polygon, outward, point, tolerance);
}
SupportFace face_of(const Triangle& triangle, const Vector3d& outward, const Vector3d& point,
                    const FaceTolerance& tolerance) {
  return face_of_points(triangle.points(), outward, point, tolerance);
}

}  // namespace

SupportFace find_support_face(const Part& part, const Vector3d& outward, const Vector3d& point,
                              const FaceTolerance& tolerance) {
  if (part.kind() == kPartKind<PointSet>) {
    return face_of_points(part.as<PointSet>().points(), outward, point, tolerance);
  }
  if (part.shape() == nullptr) return face_of(part.as<Triangle>(), outward, point, tolerance);
  return std::visit(
      [&]<class G>(const G& geometry) -> SupportFace {
        if constexpr (CompositeGeometry<G>) {
          return {};
        } else {
          return face_of(geometry, outward, point, tolerance);
        }
      },
      part.shape()->geometry());
}

SupportFace find_support_face(const Part& part, const Pose& world_from_part, const Vector3d& outward,
                              const Vector3d& point, const FaceTolerance& tolerance) {
  const Matrix3d& rotation = world_from_part.rotation();
  SupportFace face = find_support_face(part, world_from_part.unrotate(outward),
                                       world_from_part.unrotate(point - world_from_part.translation()), tolerance);
  face.point = world_from_part * face.point;
  for (int i = 0; i < face.level_count; ++i) {
    Vector3d& direction = face.along[static_cast<std::size_t>(i)];
    direction = world_from_part.rotate(direction);
  }
  if (face.is_curved) face.hessian = rotation * face.hessian * rotation.transpose();
  return face;
}

}  // namespace abut::detail

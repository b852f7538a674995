// A sphere against a sphere, capsule, box, cylinder or cone: how far its centre lies from their core, signed.
// Source: Ericson, Real-Time Collision Detection (2005), sections 5.1.2 and 5.1.3. Inside a core the nearest face
// answers; solids of revolution are measured in the half-plane of their axis and the centre.
//
// The core of b is nearest at distance * normal from the centre.
#include <abut/narrowphase/closed/closed_form.h>
#include <abut/narrowphase/closed/core_gap.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

Separation from_center(const PlacedSphere& a, double core_distance, const Vector3d& normal, double radius_b,
                       double coordinates, double doubt = 0.0) {
  Separation result;
  result.distance = core_distance - (a.radius + radius_b);
  result.normal = normal;
  result.point_a = a.center + a.radius * normal;
  result.point_b = a.center + (core_distance - radius_b) * normal;
  result.distance_error = doubt + kClosedRounding * (coordinates + a.radius + radius_b);
  return result;
}

// A point in the half-plane of a solid of revolution: distance from the axis and height.
struct Revolved {
  Vector3d center;   // of the sphere, frame of the solid
  double cos = 1.0;  // the radial direction
  double sin = 0.0;
  double rho;

  Revolved(const Vector3d& center_a, const Pose& from_b) : center(from_b.unrotate(center_a - from_b.translation())) {
    rho = std::sqrt(center.x() * center.x() + center.y() * center.y());
    if (rho > 0.0) {
      cos = center.x() / rho;
      sin = center.y() / rho;
    }
  }

  // The outward direction of the solid, given in the half-plane, as a normal from the sphere to the solid.
  [[nodiscard]] Vector3d normal(const Pose& from_b, double radial, double axial) const {
    return -from_b.rotate({radial * cos, radial * sin, axial});
  }
};

}  // namespace

Separation separate_closed(const PlacedSphere& a, const PlacedSphere& b) {
  const Vector3d between = b.center - a.center;
  const double distance = between.norm();
  const Vector3d normal = distance > 0.0 ? Vector3d(between / distance) : Vector3d(Vector3d::UnitX());
  return grown(distance, normal, a.center, b.center, a.radius, b.radius, distance);
}

Separation separate_closed(const PlacedSphere& a, const PlacedCapsule& b) {
  const Vector3d between = b.center - a.center;
  const double half = b.half_length;
  const Vector3d nearest = between + std::clamp(-between.dot(b.axis), -half, half) * b.axis;
  const double coordinates = half + between.lpNorm<1>();
  const double distance = nearest.norm();
  if (distance > kNearFraction * coordinates) {
    return from_center(a, distance, nearest / distance, b.radius, coordinates);
  }
  BestNormal best;
  const auto gap_along = [&](const Vector3d& n) { return between.dot(n) - half * std::abs(b.axis.dot(n)); };
  best.offer(nearest, gap_along);
  best.offer(perpendicular_part(nearest, b.axis), gap_along);
  best.offer(any_perpendicular(b.axis), gap_along);
  return from_center(a, distance, best.normal(), b.radius, coordinates, std::max(0.0, distance - best.gap()));
}

Separation separate_closed(const PlacedSphere& a, const Box& b, double margin_b, const Pose& from_b) {
  const Vector3d center = from_b.unrotate(a.center - from_b.translation());
  const Vector3d& half = b.half_extents();
  const Vector3d outside = center - center.cwiseMin(half).cwiseMax(-half);
  const double coordinates = half.sum() + center.lpNorm<1>();
  const double distance_sq = outside.squaredNorm();
  if (distance_sq > 0.0) {
    const double distance = std::sqrt(distance_sq);
    return from_center(a, distance, -from_b.rotate(outside / distance), margin_b, coordinates);
  }
  // The nearest face, the first of equals.
  const Vector3d gaps = center.cwiseAbs() - half;
  const int face = gaps.x() >= gaps.y() ? (gaps.x() >= gaps.z() ? 0 : 2) : (gaps.y() >= gaps.z() ? 1 : 2);
  const Vector3d normal = std::copysign(1.0, -center[face]) * from_b.rotation().col(face);
  return from_center(a, gaps[face], normal, margin_b, coordinates);
}

Separation separate_closed(const PlacedSphere& a, const Cylinder& b, double margin_b, const Pose& from_b) {
  const Revolved at(a.center, from_b);
  const double coordinates = b.radius() + b.half_length() + at.rho + std::abs(at.center.z());
  const double past_side = at.rho - b.radius();
  const double past_cap = std::abs(at.center.z()) - b.half_length();
  double distance;
  double radial = 1.0;
  double axial = 0.0;
  if (past_side > 0.0 && past_cap > 0.0) {  // the rim
    distance = std::sqrt(past_side * past_side + past_cap * past_cap);
    if (distance > 0.0) {
      radial = past_side / distance;
      axial = past_cap / distance;
    }
  } else {
    distance = std::max(past_side, past_cap);
    if (past_cap >= past_side) {
      radial = 0.0;
      axial = 1.0;
    }
  }
  const Vector3d normal = at.normal(from_b, radial, std::copysign(axial, at.center.z()));
  return from_center(a, distance, normal, margin_b, coordinates);
}

Separation separate_closed(const PlacedSphere& a, const Cone& b, double margin_b, const Pose& from_b) {
  const Revolved at(a.center, from_b);
  const double coordinates = b.radius() + b.half_length() + at.rho + std::abs(at.center.z());
  // In the half-plane the cone is a triangle: base, slant, axis. (along_r, along_z) climbs the slant from the rim to
  // the apex, its outward normal is (along_z, -along_r).
  const double height = 2.0 * b.half_length();
  const double slant = std::sqrt(b.radius() * b.radius() + height * height);
  const double along_r = -b.radius() / slant;
  const double along_z = height / slant;
  const double below_base = -b.half_length() - at.center.z();
  const double from_rim = at.rho - b.radius();
  const double from_apex = at.center.z() - b.half_length();
  const double past_slant = along_z * at.rho - along_r * from_apex;

  double distance;
  double radial;
  double axial;
  if (below_base >= past_slant && from_rim <= 0.0) {  // the base, also from within
    distance = below_base;
    radial = 0.0;
    axial = -1.0;
  } else if (from_rim > 0.0 && along_r * from_rim - along_z * below_base < 0.0) {  // the rim
    distance = std::sqrt(from_rim * from_rim + below_base * below_base);
    radial = from_rim / distance;
    axial = -below_base / distance;
  } else if (past_slant > 0.0 && along_r * at.rho + along_z * from_apex > 0.0) {  // the apex
    distance = std::sqrt(at.rho * at.rho + from_apex * from_apex);
    radial = at.rho / distance;
    axial = from_apex / distance;
  } else {  // the slant, also from within
    distance = past_slant;
    radial = along_z;
    axial = -along_r;
  }
  return from_center(a, distance, at.normal(from_b, radial, axial), margin_b, coordinates);
}

}  // namespace abut::detail

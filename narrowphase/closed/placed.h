// Spheres and capsules where they are, in any frame: a sphere needs no more of its pose than its centre, a capsule no
// more than its axis.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/capsule.h>
#include <abut/core/shapes/sphere.h>

namespace abut::detail {

/// A sphere where it is, in any frame.
struct PlacedSphere {
  Vector3d center;  ///< Metres.
  double radius;    ///< With the margin, metres.
};

/// A capsule where it is, in any frame: the points within the radius of center + t * axis, |t| <= half_length.
struct PlacedCapsule {
  Vector3d center;     ///< Metres.
  Vector3d axis;       ///< Unit.
  double half_length;  ///< Metres.
  double radius;       ///< With the margin, metres.
};

/// @param margin      Metres, >= 0.
/// @param from_shape  The pose of the shape in the frame in which it is placed.
[[nodiscard]] inline PlacedSphere place(const Sphere& sphere, double margin, const Pose& from_shape) {
  return {from_shape.translation(), sphere.radius() + margin};
}
[[nodiscard]] inline PlacedCapsule place(const Capsule& capsule, double margin, const Pose& from_shape) {
  return {from_shape.translation(), from_shape.rotation().col(2), capsule.half_length(), capsule.radius() + margin};
}
/// In its own frame.
[[nodiscard]] inline PlacedSphere place(const Sphere& sphere, double margin) {
  return {Vector3d::Zero(), sphere.radius() + margin};
}
[[nodiscard]] inline PlacedCapsule place(const Capsule& capsule, double margin) {
  return {Vector3d::Zero(), Vector3d::UnitZ(), capsule.half_length(), capsule.radius() + margin};
}

}  // namespace abut::detail

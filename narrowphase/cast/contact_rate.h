// How fast two convex parts in contact can come closer at once.
//
// At a point x the parts approach each other along the normal n, from a to b, at f(x) = n·(v_a(x) - v_b(x)). With n
// turned along with b, the plane across it at b's face keeps bounding the distance from below, which therefore falls no
// faster than f at those points of a that are farthest along n. With n turned along with a, it falls no faster than f
// at those points of b that are farthest along -n. Where n is the only normal and what touches of one part covers what
// touches of the other, the smaller of the two is the rate itself: at a half-space that of a always is.
//
// f is affine, with the gradient n×ω of the relative turn ω: the points of a face at which it is largest are those that
// support the part along n tilted by a hair towards the gradient.
#pragma once

#include <abut/narrowphase/cast/rigid_motion.h>
#include <abut/narrowphase/convex_core.h>

namespace abut::detail {

class ContactRate {
 public:
  /// The hair, radians: on a face of a metre, points within a tenth of a micrometre touch, far below the tolerance of a
  /// contact. With less, rounding would choose the corner that stands for a face.
  static constexpr double kTilt = 1e-7;

  /// @param normal  At t = 0, from a to b, world frame.
  ContactRate(const RigidMotion& motion_a, const RigidMotion& motion_b, const Vector3d& normal)
      : normal_(normal),
        linear_(motion_a.linear - motion_b.linear),
        turn_a_(motion_a.angular),
        turn_b_(motion_b.angular),
        pivot_a_(motion_a.start * motion_a.pivot),
        pivot_b_(motion_b.start * motion_b.pivot) {
    const Vector3d turn = turn_a_ - turn_b_;
    const double rate = turn.stableNorm();
    if (rate > 0.0) tilt_ = kTilt * normal.cross(turn / rate);
  }

  /// Velocity of a relative to b at a point, world frame.
  [[nodiscard]] Vector3d velocity(const Vector3d& point) const {
    return linear_ + turn_a_.cross(point - pivot_a_) - turn_b_.cross(point - pivot_b_);
  }
  /// The largest approach at the points of a part that touch the other.
  /// @param outward  The normal for a, its negative for b.
  [[nodiscard]] double approach(const ConvexCore& core, const Pose& pose, const Vector3d& outward) const {
    return normal_.dot(velocity(pose * core.support(pose.unrotate(outward + tilt_))));
  }

 private:
  Vector3d normal_;
  Vector3d linear_;
  Vector3d turn_a_;
  Vector3d turn_b_;
  Vector3d pivot_a_;
  Vector3d pivot_b_;
  Vector3d tilt_ = Vector3d::Zero();
};

}  // namespace abut::detail

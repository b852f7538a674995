// For how long a moving convex part stays above a plane that moves and turns.
//
// With the plane's unit normal u, outwards, a point P that moves on with it and a point x of the part, the height of x
// is h = u·(x - P) and a constant. Of a plane that turns at ω_b and a part that turns at ω_a about its pivot p,
//   h' = (ω_b×u)·(x - P) + u·(v_p - v_P) + (u×ω_a)·(x - p),
// so that h + τh' is, but for what x has no part in, u + τ(ω_b - ω_a)×u along x - p: the lowest such value over the
// part comes from its support function. What is left out, h'' over the rest of the motion, is at most
//   |ω_b×u| (|ω_b| F + 2 (|v_p - v_P| + |ω_a| ρ)) + |ω_a|² ρ
// where no point of the part gets farther than F from P, nor than ρ from the part's own axis. So the lower bound on the
// height is concave in τ. A plane that spins about its own normal does not tilt: ω_b×u is zero, and so is its share.
#pragma once

#include <abut/narrowphase/cast/motion_bound.h>

#include <algorithm>

namespace abut::detail {

class TiltingPlane {
 public:
  /// @param normal  Of the plane at t = 0, world frame, unit, outwards or inwards.
  TiltingPlane(const MovingCore& core, const RigidMotion& core_motion, const RigidMotion& plane_motion,
               const Vector3d& normal)
      : way_(core_motion.linear - plane_motion.linear),
        turn_(plane_motion.angular),
        relative_turn_(turn_ - core_motion.angular),
        pivot_(plane_motion.start * plane_motion.pivot),
        linear_(plane_motion.linear),
        tilt_(turn_.cross(normal).stableNorm()) {
    if (!tilts()) return;
    const Aabb box = core_box(core.core());
    const Vector3d arm =
        (box.lower - core_motion.pivot).cwiseAbs().cwiseMax((box.upper - core_motion.pivot).cwiseAbs());
    const double way = way_.norm();
    farthest_ = (core.pivot() - pivot_).norm() + way + arm.norm();
    bend_ = tilt_ * (plane_motion.angle() * farthest_ + 2.0 * (way + core.turning_speed())) +
            core_motion.angle() * core.turning_speed();
  }

  [[nodiscard]] bool tilts() const { return tilt_ > 0.0; }
  /// Bound on what the plane's turn alone takes of any height, metres per unit of t.
  [[nodiscard]] double speed() const { return tilt_ * farthest_; }

  /// How much of the part's height above the plane may be used up, metres, at any one time tau from t; convex in tau.
  /// @param core  At t.  @param n  From the part into the half-space at t.
  /// @param slope  Of that bound, metres per unit of t.
  [[nodiscard]] double used(const MovingCore& core, double t, const Vector3d& n, double tau, double& slope) const {
    const Vector3d turned = relative_turn_.cross(n);
    const Vector3d m = n + tau * turned;
    const Vector3d arm = core.pose() * core.core().support(core.pose().unrotate(m)) - core.pivot();
    const double approach = n.dot(way_) + turn_.cross(n).dot(core.pivot() - (pivot_ + t * linear_));
    slope = turned.dot(arm) + approach + tau * bend_;
    return m.dot(arm) + tau * approach + 0.5 * tau * tau * bend_;
  }

 private:
  Vector3d way_;            // of the part's pivot against the plane's
  Vector3d turn_;           // of the plane
  Vector3d relative_turn_;  // of the plane against the part
  Vector3d pivot_;          // of the plane, at t = 0
  Vector3d linear_;
  double tilt_;            // |ω×n|, the same at all times
  double farthest_ = 0.0;  // of the part from the plane's pivot
  double bend_ = 0.0;      // of the height, at most
};

}  // namespace abut::detail

// For how long a plane keeps two moving convex parts apart.
//
// A point r of a part, seen from the pivot, goes to r + τ ω×r + e(τ) while the part turns for a time τ, where
// |e| <= ½ τ²|ω|² ρ and ρ is the distance of the farthest point from the axis through the pivot. Along a unit n that is
// at most r·(n + τ n×ω) + ½ τ²|ω|² ρ |n×ω|/|ω|, and the largest such value over the part is its support function at
// n + τ n×ω, which is convex in τ. The gap that the plane is sure of is therefore concave in τ: positive at both ends
// of an interval, it is positive between them.
#pragma once

#include <abut/narrowphase/cast/rigid_motion.h>
#include <abut/narrowphase/convex_core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {

/// Distance of the farthest point of a box from the line through a point, in the frame of the box; an upper bound for
/// what is inside.
[[nodiscard]] inline double reach_from_axis(const Aabb& box, const Vector3d& point, const Vector3d& unit_axis) {
  double reach_sq = 0.0;
  for (int i = 0; i < 8; ++i) {
    const Vector3d corner(i & 1 ? box.upper.x() : box.lower.x(), i & 2 ? box.upper.y() : box.lower.y(),
                          i & 4 ? box.upper.z() : box.lower.z());
    reach_sq = std::max(reach_sq, (corner - point).cross(unit_axis).squaredNorm());
  }
  return std::sqrt(reach_sq);
}

/// The box of a core in its own frame.
[[nodiscard]] inline Aabb core_box(const ConvexCore& core) {
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    box.upper[i] = core.support(Vector3d::Unit(i))[i];
    box.lower[i] = core.support(-Vector3d::Unit(i))[i];
  }
  return box;
}

/// A convex core on its way.
class MovingCore {
 public:
  MovingCore(const ConvexCore& core, const RigidMotion& motion) : core_(core), motion_(motion) {
    rate_ = motion.angle();
    set_time(0.0);
    if (rate_ > 0.0) reach_ = reach_from_axis(core_box(core), motion.pivot, pose_.unrotate(motion.angular / rate_));
  }

  void set_time(double t) {
    pose_ = motion_.at(t);
    pivot_ = motion_.start * motion_.pivot + t * motion_.linear;
  }

  [[nodiscard]] const ConvexCore& core() const { return core_; }
  [[nodiscard]] const Pose& pose() const { return pose_; }
  /// World frame.
  [[nodiscard]] const Vector3d& pivot() const { return pivot_; }
  [[nodiscard]] const Vector3d& linear() const { return motion_.linear; }
  [[nodiscard]] bool turns() const { return rate_ > 0.0; }
  /// Bound on the speed of the core's points about the pivot, metres per unit of t.
  [[nodiscard]] double turning_speed() const { return rate_ * reach_; }

  /// How far the core may reach along n beyond the pivot, metres, at any one time tau from now, the way of the pivot
  /// left out; convex in tau.
  /// @param slope  Of that bound, metres per unit of t.
  [[nodiscard]] double reach_along(const Vector3d& n, double tau, double& slope) const {
    if (!turns()) {
      slope = 0.0;
      return n.dot(pose_.rotate(core_.support(pose_.unrotate(n)) - motion_.pivot));
    }
    const Vector3d turned = n.cross(motion_.angular);
    const Vector3d m = n + tau * turned;
    const Vector3d arm = pose_.rotate(core_.support(pose_.unrotate(m)) - motion_.pivot);
    const double bend = rate_ * reach_ * turned.norm();
    slope = turned.dot(arm) + tau * bend;
    return m.dot(arm) + 0.5 * tau * tau * bend;
  }
  /// The velocity of a point that moves with the part, world frame.
  [[nodiscard]] Vector3d velocity(const Vector3d& point) const {
    return motion_.linear + motion_.angular.cross(point - pivot_);
  }

 private:
  ConvexCore core_;
  RigidMotion motion_;
  Pose pose_;
  Vector3d pivot_;
  double rate_ = 0.0;
  double reach_ = 0.0;
};

}  // namespace abut::detail

// The Minkowski difference of two planar cores, by support points; nothing of it is stored.
#pragma once

#include <abut/narrowphase/planar/outline.h>
#include <abut/narrowphase/planar/planar_pose.h>

namespace abut::planar::detail {

/// A point of the Minkowski difference A - B, and the corners that it comes from.
struct DifferencePoint {
  Vector2d difference = Vector2d::Zero();
  Outline::Index corner_a = 0;
  Outline::Index corner_b = 0;
};

/// A - B in the frame of a. Refers to outlines that outlive it.
class Difference {
 public:
  Difference(const Outline& a, const Outline& b, const Pose& a_from_b, SupportSearch search)
      : a_(a), b_(b), a_from_b_(a_from_b), search_(search) {}

  /// A point farthest along `direction`. @param near  Where climbs start.
  [[nodiscard]] DifferencePoint support(const Vector2d& direction, const DifferencePoint& near) const {
    DifferencePoint point;
    point.corner_a = a_.support(direction, near.corner_a, search_);
    point.corner_b = b_.support(a_from_b_.unrotate(-direction), near.corner_b, search_);
    point.difference = a_.corner(point.corner_a) - a_from_b_ * b_.corner(point.corner_b);
    return point;
  }
  [[nodiscard]] DifferencePoint at(Outline::Index corner_a, Outline::Index corner_b) const {
    return {a_.corner(corner_a) - a_from_b_ * b_.corner(corner_b), corner_a, corner_b};
  }
  /// A point inside it.
  [[nodiscard]] Vector2d center() const { return a_.center() - a_from_b_ * b_.center(); }

  [[nodiscard]] const Outline& a() const { return a_; }
  [[nodiscard]] const Outline& b() const { return b_; }
  [[nodiscard]] const Pose& a_from_b() const { return a_from_b_; }

 private:
  const Outline& a_;
  const Outline& b_;
  const Pose& a_from_b_;
  SupportSearch search_;
};

}  // namespace abut::planar::detail

// The Minkowski difference D = A - B of two convex cores, in the frame of a (GJK++, section II, eq. 11).
//
// The shapes are apart exactly when the origin lies outside D; the point of D nearest the origin is the difference of
// the witness points.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/convex_core.h>

namespace abut::detail {

/// A point of D with the points of a and b that it is the difference of; all in the frame of a.
struct DifferencePoint {
  Vector3d difference;  ///< on_a - on_b
  Vector3d on_a;
  Vector3d on_b;
};

class MinkowskiDifference {
 public:
  MinkowskiDifference(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b)
      : a_(a), b_(b), a_from_b_(a_from_b) {}

  /// A point of D farthest along `direction`: farthest of A along it, of B against it.
  [[nodiscard]] DifferencePoint support(const Vector3d& direction) {
    DifferencePoint point;
    point.on_a = a_.support(direction);
    point.on_b = a_from_b_ * b_.support(a_from_b_.unrotate(-direction));
    point.difference = point.on_a - point.on_b;
    return point;
  }

  /// The difference after b has moved by `translation` (frame of a); `on_b` then lies on the moved b.
  [[nodiscard]] MinkowskiDifference with_b_moved(const Vector3d& translation) const {
    return {a_, b_, Pose(translation) * a_from_b_};
  }

  /// A point inside D: the difference of the centres.
  [[nodiscard]] Vector3d center() const { return a_.center() - a_from_b_ * b_.center(); }
  /// Of the order of D's radius, metres.
  [[nodiscard]] double extent() const { return a_.extent() + b_.extent(); }

 private:
  ConvexCore a_;
  ConvexCore b_;
  Pose a_from_b_;
};

}  // namespace abut::detail

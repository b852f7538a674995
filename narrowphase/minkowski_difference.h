// The Minkowski difference D = A - B of two convex cores, in the frame of a (GJK++, section II, eq. 11).
//
// The shapes are apart exactly when the origin lies outside D; the point of D nearest the origin is the difference of
// the witness points.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/convex_core.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>

namespace abut::detail {

/// A point of D with the point of a that it stems from; frame of a. Left as it is until it is written: solvers have
/// room for hundreds of which they use a few.
struct DifferencePoint {
  Vector3d difference;  ///< on_a - on_b()
  Vector3d on_a;
  std::uint32_t vertex_a;  ///< Of polytopes: which vertices it stems from; else kNoVertex.
  std::uint32_t vertex_b;
  [[nodiscard]] Vector3d on_b() const { return on_a - difference; }
};

/// The vertices of some points of D; none where one of them stems from no vertex at all.
/// @param point  Of 0 … count - 1: a DifferencePoint. @param count  At most three.
template <class Point>
[[nodiscard]] CornerVertices vertices_of(const Point& point, int count) {
  CornerVertices result;
  for (int i = 0; i < count; ++i) {
    const DifferencePoint& corner = point(i);
    if (corner.vertex_a == kNoVertex && corner.vertex_b == kNoVertex) return {};
    result.of_a[result.count] = corner.vertex_a;
    result.of_b[result.count] = corner.vertex_b;
    ++result.count;
  }
  return result;
}

/// A point of D alone, for questions that need no witness points.
struct BareDifferencePoint {
  Vector3d difference;
};

/// @tparam A, B  TypedCore or ConvexCore.
template <class A, class B>
class MinkowskiDifference {
 public:
  /// All three outlive it.
  MinkowskiDifference(const A& a, const B& b, const Pose& a_from_b) : a_(a), b_(b), a_from_b_(a_from_b) {}

  /// A point of D farthest along `direction`: farthest of A along it, of B against it.
  [[nodiscard]] DifferencePoint support(const Vector3d& direction) const {
    const CorePoint on_a = a_.support_point(direction);
    const CorePoint on_b = b_.support_point(a_from_b_.unrotate(-direction));
    return {on_a.point - a_from_b_ * on_b.point, on_a.point, on_a.vertex, on_b.vertex};
  }

  /// A point inside D: the difference of the centres.
  [[nodiscard]] Vector3d center() const { return a_.center() - a_from_b_ * b_.center(); }
  /// At least every coordinate of a centre in the frame of a, and of the same order, metres.
  [[nodiscard]] double largest_coordinate() const {
    return Vector3d(a_.center()).lpNorm<1>() + Vector3d(b_.center()).lpNorm<1>() + a_from_b_.translation().lpNorm<1>();
  }
  /// Of the order of D's radius, metres.
  [[nodiscard]] double extent() const { return a_.extent() + b_.extent(); }
  /// Of both balls and margins together, metres: the shapes are that much nearer than the cores.
  [[nodiscard]] double radii() const { return a_.radius() + b_.radius(); }

  [[nodiscard]] const A& a() const { return a_; }
  [[nodiscard]] const B& b() const { return b_; }
  [[nodiscard]] const Pose& a_from_b() const { return a_from_b_; }

 private:
  const A& a_;
  const B& b_;
  const Pose& a_from_b_;
};

/// Of any two cores; for solvers that are compiled once.
using AnyDifference = MinkowskiDifference<ConvexCore, ConvexCore>;

}  // namespace abut::detail

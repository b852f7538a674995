// The core of a convex shape as the iterative solvers see it: a support function behind one function pointer.
//
// A bounded convex shape is core ⊕ ball. GJK and EPA work on cores; radii and margins are added to their answer.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <cstdint>
#include <span>

namespace abut::detail {

/// Refers to a shape that outlives it; a few words, copied freely.
class ConvexCore {
 public:
  /// @param shape  Bounded and convex.
  static ConvexCore of(const Shape& shape);
  static ConvexCore of(const Triangle& triangle);
  /// The hull of a few points (a prism of a height field). @param points  At least one.
  static ConvexCore of(const std::span<const Vector3d>& points);

  /// A point of the core farthest along `direction`, body frame. The last vertex of a large hull is remembered as the
  /// start of the next climb.
  [[nodiscard]] Vector3d support(const Vector3d& direction) { return support_(shape_, direction, start_vertex_); }

  /// A point in the middle of the core, body frame.
  [[nodiscard]] const Vector3d& center() const { return center_; }
  /// Radius of the ball and the margin together, metres.
  [[nodiscard]] double radius() const { return radius_; }
  /// A length of the order of the core's radius, metres; it scales tolerances.
  [[nodiscard]] double extent() const { return extent_; }

 private:
  using Support = Vector3d (*)(const void* shape, const Vector3d& direction, std::uint32_t& start_vertex);

  template <class G>
  static ConvexCore wrap(const G& geometry, double margin);

  const void* shape_ = nullptr;
  Support support_ = nullptr;
  Vector3d center_ = Vector3d::Zero();
  double radius_ = 0.0;
  double extent_ = 0.0;
  std::uint32_t start_vertex_ = 0;
};

}  // namespace abut::detail

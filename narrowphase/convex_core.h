// The core of a convex shape as the iterative solvers see it: a support function, a centre and two lengths.
//
// A bounded convex shape is core ⊕ ball. GJK and EPA work on cores; radii and margins are added to their answer. Two
// types have the same members: TypedCore knows its shape, so that the support function is part of the solver's loop;
// ConvexCore holds any shape behind a function pointer.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/core_extent.h>
#include <abut/narrowphase/core_vertex.h>

#include <cstdint>
#include <span>

namespace abut::detail {

/// Refers to a shape that outlives it.
template <class G>
class TypedCore {
 public:
  using Geometry = G;

  TypedCore(const G& geometry, double margin) : geometry_(&geometry), radius_(geometry.sweep_radius() + margin) {}

  /// A point of the core farthest along `direction`, body frame.
  [[nodiscard]] Vector3d support(const Vector3d& direction) const { return geometry_->core_support(direction); }
  /// The same, and which vertex it is.
  [[nodiscard]] CorePoint support_point(const Vector3d& direction) const { return core_point(*geometry_, direction); }
  /// A point in the middle of the core, body frame.
  [[nodiscard]] Vector3d center() const { return geometry_->center(); }
  /// Radius of the ball and the margin together, metres.
  [[nodiscard]] double radius() const { return radius_; }
  /// A length of the order of the core's radius, metres; it scales tolerances.
  [[nodiscard]] double extent() const { return core_extent(*geometry_); }

  [[nodiscard]] const G& geometry() const { return *geometry_; }

 private:
  const G* geometry_;
  double radius_;
};

/// Refers to a shape that outlives it; a few words, copied freely.
class ConvexCore {
 public:
  template <class G>
  ConvexCore(const G& geometry, double margin)
      : shape_(&geometry),
        support_(&support_of<G>),
        center_(geometry.center()),
        radius_(geometry.sweep_radius() + margin),
        extent_(core_extent(geometry)) {}

  template <class G>
  explicit ConvexCore(const TypedCore<G>& core) : ConvexCore(core.geometry(), 0.0) {
    radius_ = core.radius();
  }

  /// As of TypedCore.
  [[nodiscard]] Vector3d support(const Vector3d& direction) const { return support_(shape_, direction).point; }
  [[nodiscard]] CorePoint support_point(const Vector3d& direction) const { return support_(shape_, direction); }
  [[nodiscard]] const Vector3d& center() const { return center_; }
  [[nodiscard]] double radius() const { return radius_; }
  [[nodiscard]] double extent() const { return extent_; }

 private:
  using Support = CorePoint (*)(const void* shape, const Vector3d& direction);

  template <class G>
  static CorePoint support_of(const void* geometry, const Vector3d& direction) {
    return core_point(*static_cast<const G*>(geometry), direction);
  }

  const void* shape_;
  Support support_;
  Vector3d center_;
  double radius_;
  double extent_;
};

}  // namespace abut::detail

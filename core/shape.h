// Shape: a small value that holds any one of the shapes, with a margin.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/obb.h>
#include <abut/core/pose.h>
#include <abut/core/shapes/box.h>
#include <abut/core/shapes/capsule.h>
#include <abut/core/shapes/compound.h>
#include <abut/core/shapes/cone.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/cylinder.h>
#include <abut/core/shapes/ellipsoid.h>
#include <abut/core/shapes/half_space.h>
#include <abut/core/shapes/height_field.h>
#include <abut/core/shapes/padded_polygon.h>
#include <abut/core/shapes/smooth_hull.h>
#include <abut/core/shapes/smooth_revolution.h>
#include <abut/core/shapes/sphere.h>
#include <abut/core/shapes/superquadric.h>
#include <abut/core/shapes/triangle.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace abut {

namespace detail {

// Compilers find out in no time whether a type is in the list; whether a variant can be made of it they ask all of the
// list's constructors, for each expression of Eigen that meets a function of shapes.
template <class T, class... Alternatives>
consteval bool is_alternative(const std::variant<Alternatives...>* /*tells the list*/) {
  return (std::same_as<T, Alternatives> || ...);
}

}  // namespace detail

/// Closed set: a new alternative must answer every pair. Bounded convex shapes first, then the half-space, then the
/// composites (unions of convex leaves under a tree).
using Geometry =
    std::variant<Sphere, Ellipsoid, Box, Capsule, Cylinder, Cone, ConvexHull, Triangle, PaddedPolygon, Superquadric,
                 SmoothHull, SmoothRevolution, HalfSpace, TriangleMesh, HeightField, Compound>;

/// An alternative of Geometry, or a Geometry; also a reference to one.
template <class T>
concept AnyGeometry = detail::is_alternative<std::remove_cvref_t<T>>(static_cast<const Geometry*>(nullptr)) ||
                      std::same_as<std::remove_cvref_t<T>, Geometry>;

/// A bounded convex shape: core ⊕ ball(sweep_radius), see Sphere.
template <class T>
concept ConvexGeometry = requires(const T& shape, const Vector3d& direction) {
  { shape.core_support(direction) } -> std::convertible_to<Vector3d>;
  { shape.center() } -> std::convertible_to<Vector3d>;
  { shape.sweep_radius() } -> std::convertible_to<double>;
};

/// A union of leaves under a bounding-volume tree.
template <class T>
concept CompositeGeometry = requires(const T& shape) {
  { shape.tree() } -> std::convertible_to<const BoxTree&>;
};

/// What a body looks like, in its own frame. Copies are cheap: hulls, meshes and the like share their data.
class Shape {
 public:
  /// @param geometry  Any alternative of Geometry.
  /// @param margin    The set is grown by this distance, metres, finite and >= 0; only convex shapes and half-spaces take
  ///                  one.
  /// @throws InvalidInput  naming "margin".
  template <AnyGeometry G>
  Shape(G&& geometry, double margin = 0.0)  // NOLINT(google-explicit-constructor): any geometry is a shape
      : Shape(Geometry(std::forward<G>(geometry)), margin) {}
  Shape(Geometry geometry, double margin);

  [[nodiscard]] const Geometry& geometry() const { return geometry_; }
  /// Metres, >= 0.
  [[nodiscard]] double margin() const { return margin_; }

  /// The concrete shape, or nullptr when it is another.
  template <class G>
  [[nodiscard]] const G* get_if() const {
    return std::get_if<G>(&geometry_);
  }

  /// Its name in the file formats: "sphere", "padded_polygon", ...
  [[nodiscard]] std::string_view type_name() const;
  /// Bounded and convex: it has a support function.
  [[nodiscard]] bool is_convex() const;
  /// A mesh, height field or compound.
  [[nodiscard]] bool is_composite() const;
  /// Of finite extent: not a half-space, and not a compound with one.
  [[nodiscard]] bool is_bounded() const;

 private:
  Geometry geometry_;
  double margin_;
};

/// One part of a compound.
struct CompoundChild {
  Shape shape;
  Pose pose;  ///< compound_from_child
};

/// Support point: a point of the shape, margin included, farthest along `direction`.
/// @param shape      Bounded and convex. @throws InvalidInput  for any other.
/// @param direction  Any length but not zero, body frame.
/// @return Body frame, metres.
[[nodiscard]] Vector3d support(const Shape& shape, const Vector3d& direction);

/// A point in the middle of the shape, body frame: of its core for a convex shape, of its box for a composite, on the
/// plane for a half-space.
[[nodiscard]] Vector3d center(const Shape& shape);

/// Tight box of the shape under a pose, margin included: from the support function for convex shapes (exact for every
/// face), over vertices for meshes and height fields, over children for compounds. Infinite where a half-space is.
[[nodiscard]] Aabb aabb(const Shape& shape, const Pose& world_from_body);

/// An oriented box in the body frame, margin included; infinite half extents for unbounded shapes.
[[nodiscard]] Obb obb(const Shape& shape);

}  // namespace abut

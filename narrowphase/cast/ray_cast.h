// Where a ray first meets a shape: closed forms for most convex shapes, a certified march on the support function for
// the others, trees for composites.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/cast/ray.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace abut {

struct RayCastOptions {
  /// How near to the shape the march may end, metres, >= 0; 0: 1e-10 of the shape's size. Closed forms and polytopes
  /// are exact to rounding anyway. Never finer than rounding allows.
  double tolerance = 0.0;
  int max_iterations = 256;  ///< Of the march, >= 1.
};

/// Where a ray meets a shape.
struct RayCastHit {
  static constexpr std::uint32_t kNoLeaf = ~std::uint32_t{0};

  double t = 0.0;                     ///< In units of the ray's direction.
  Vector3d point = Vector3d::Zero();  ///< origin + t direction, metres, world frame.
  /// Unit, world frame, out of the shape; of triangles and meshes, which have two sides, the one that faces the ray. A
  /// ray that starts inside has the normal against its direction, and zero where the direction is zero.
  Vector3d normal = Vector3d::Zero();
  std::uint32_t leaf = kNoLeaf;                 ///< Triangle of a mesh, prism of a height field, child of a compound.
  bool starts_inside = false;                   ///< The origin belongs to the shape, its surface included; then t = 0.
  SolveStatus status = SolveStatus::converged;  ///< iteration_limit: whether there is a hit beyond t is open.
  double distance_error = 0.0;  ///< The point is at most this far from the shape, metres, besides rounding.
};

/// The first point of a ray in a shape, margin included. Sets are closed: touching is a hit.
///
/// No point of the ray before t belongs to the shape, and the point at t does, within distance_error and rounding
/// (1e-15 of the largest coordinate). A ray that passes by within that counts as a hit or not; doubt counts as a hit. A
/// mesh is a surface: a ray that starts inside a closed one meets it from within. A ray in the plane of a triangle, to
/// rounding, meets it where it enters it.
///
/// Spheres, capsules, half-spaces, and boxes, cylinders, cones, ellipsoids and triangles without a margin have closed
/// forms, and height fields are met by the triangles of their outside: at grid nodes and lines the normal is that of a
/// face there. Elsewhere the march of van den Bergen (gjk_ray.h) answers.
///
/// @param shape            In its body frame.
/// @param world_from_body  Its pose.
/// @return Nothing where the ray misses. Never NaN for coordinates and sizes up to 1e100 m; outside of 1e-60 … 1e60 m
///         the march may miss or meet the shape elsewhere, where products of lengths overflow or vanish.
/// @throws InvalidInput  naming "ray.origin", "ray.direction", "ray.max_t", "tolerance" or "max_iterations".
/// @note Allocates nothing. Thread-safe.
[[nodiscard]] std::optional<RayCastHit> ray_cast(const Ray& ray, const Shape& shape, const Pose& world_from_body,
                                                 const RayCastOptions& options = {});

}  // namespace abut

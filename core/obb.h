// Oriented bounding box and the separating-axis bound between two of them.
// Source: Gottschalk, Lin, Manocha, "OBBTree" (SIGGRAPH 1996), section 5: fifteen candidate axes.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/pose.h>
#include <Eigen/Core>

#include <limits>
#include <span>

namespace abut {

/// Box of any orientation: the points center + axes * x with |x_i| <= half_extents_i.
struct Obb {
  Vector3d center = Vector3d::Zero();        ///< Metres.
  Matrix3d axes = Matrix3d::Identity();      ///< Columns: the box's unit axes.
  Vector3d half_extents = Vector3d::Zero();  ///< Metres, >= 0.

  [[nodiscard]] static Obb from_aabb(const Aabb& box) {
    return {box.center(), Matrix3d::Identity(), box.half_extents()};
  }

  friend Obb operator*(const Pose& outer_from_inner, const Obb& box) {
    return {outer_from_inner * box.center, detail::LeftFactor(outer_from_inner.rotation()) * box.axes,
            box.half_extents};
  }
};

/// Largest gap between the projections of two boxes over the fifteen axes of the separating-axis test, metres.
/// Positive: the boxes are apart by at least that much. Not positive: they overlap (up to rounding).
/// @param enough  A gap larger than this, metres, that one of the first axes shows is enough; a later one may show
/// more.
[[nodiscard]] double separation_bound(const Obb& a, const Obb& b,
                                      double enough = std::numeric_limits<double>::infinity());

/// The tightest of a few boxes around the points: axis-aligned and along the principal axes of their covariance.
/// @param points  3 x n, metres, n >= 1.
[[nodiscard]] Obb bounding_obb(const Eigen::Ref<const Eigen::Matrix3Xd>& points);

/// The tightest of those and of the boxes that lie flush with the points as a box lies flush with what it packs: two of
/// its sides across one of the normals, another one along a long side of the points' outline as seen along that normal.
/// The normals of the faces of a rotated box find that box.
/// @param points   As above.
/// @param normals  Any number of them. One that is not unit, as that of a face too small to have any, is left out.
[[nodiscard]] Obb bounding_obb(const Eigen::Ref<const Eigen::Matrix3Xd>& points, std::span<const Vector3d> normals);

}  // namespace abut

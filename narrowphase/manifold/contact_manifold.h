// Contact manifold: from the one pair of witness points of two shapes to the patch along which they touch.
//
// Each shape gives the feature that it turns to the other: a face, the flat end of a cylinder or cone, a side line, an
// edge, a vertex. The two are laid over each other along the normal; the corners of what they share, on both surfaces,
// are the contact points. The patch by clipping: Ericson, Real-Time Collision Detection (2005), section 8.3.4. Meshes,
// height fields and compounds get the patches of all their leaves that are near, see composite_manifold.h.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/hull_top.h>
#include <abut/narrowphase/separation.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut {

/// One pair of points, world frame, metres.
struct ContactPoint {
  /// On the surface of a; of composites that overlap deeply, up to about the depth beside it (docs/meshes.md).
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();  ///< The same of b.
  double distance = 0.0;                ///< (point_b - point_a).dot(normal); negative: minus the depth there.
  /// Which features make the point: the same from frame to frame as long as they do. Of two convex shapes that of a in
  /// the upper half and that of b in the lower one, 0 where ManifoldOptions::max_points is 1; where one is a composite,
  /// a hash of both leaves and their features.
  /// Different for the points of one contact; not comparable between pairs of bodies.
  std::uint64_t feature_id = 0;
  /// Unit, from a towards b. Of two convex shapes the separation's; a composite may be touched along several.
  Vector3d normal = Vector3d::UnitX();
  std::uint32_t leaf_a = 0;  ///< Triangle, prism or child of a, as CompositeContact::item_a; 0 where a is no composite.
  std::uint32_t leaf_b = 0;
};

struct ManifoldOptions {
  /// Of one patch, that is of one normal: 1 … ContactManifold::kCapacity. Of one point between two convex shapes the
  /// features are not sought.
  int max_points = 4;
  /// Metres. Points farther apart are left out, except those no farther apart than the separation itself. Of a
  /// composite pair never more than the separation and a hundredth of the smaller body where this is infinite.
  double max_distance = std::numeric_limits<double>::infinity();
  /// Radians, 0 … 0.5. Faces, edges and side lines tilted by more out of the contact plane count as a corner. Points of
  /// a composite pair whose normals differ by less from that of the patch's deepest point are of one patch.
  double max_tilt = 0.1;
};

/// The points of a contact, in place.
class ContactManifold {
 public:
  static constexpr std::size_t kCapacity = 16;

  /// The deepest first; at least one.
  [[nodiscard]] std::span<const ContactPoint> points() const { return {storage_.data(), count_}; }

 private:
  friend ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b,
                                          const Pose& world_from_b, const Separation& separation,
                                          const ManifoldOptions& options);

  std::array<ContactPoint, kCapacity> storage_;
  std::size_t count_ = 0;
};

/// The points along which two shapes touch, or are nearest to each other.
///
/// point_b - point_a of a point is distance * normal, sideways off by no more than kRelativeTolerance of the smaller
/// feature (edges that are nearly parallel: 1/2000 of the shorter edge).
///
/// Two convex shapes: one patch. The first point is the deepest: the witness pair of the separation, or the deepest
/// corner of the patch where that is as deep, to kRelativeTolerance of the smaller feature. Of corners whose distances
/// differ by less than a billionth (1e-9) of that feature rounding does not choose: the first in a fixed order is
/// taken. Points are then added, as long as max_points allows, each the one that makes the area they span grow most,
/// those that touch before those that do not; those that add none are left out, but the deepest. Where max_points
/// leaves that out too, a corner at the rim of the patch stands for it that is less deep by up to a quarter of
/// kRelativeTolerance: a vertex within a face that is bent by rounding takes no corner's place, and the points stay the
/// same while bodies rock by as little. One point, the witness pair, is given for smooth bodies, for crossing edges,
/// and where max_points is 1.
///
/// A mesh, height field or compound: the patches of all pairs of leaves within max_distance. A normal of a triangle or
/// prism is one that the whole surface has there: that of its face, or of an edge or corner between the faces around
/// it, so that edges inside a flat or hollow surface give none of their own (docs/meshes.md says how). Points are
/// grouped by their normals, each group is reduced like a patch of two convex shapes, and all are ordered by their
/// distance. Their distances are along their own normals: a point may be deeper than the separation, which is that of
/// one pair of leaves. Where the leaves have no such normal, there is one point: the witness pair of the separation,
/// or, of a convex body in a surface, one as deep along the normal that leads it out of all triangles soonest.
///
/// @param a, b                        The shapes of the separation, each in its body frame.
/// @param world_from_a, world_from_b  Their poses.
/// @param separation  Of a and b at these poses: distance() that did not end with SolveStatus::beyond_limit.
/// @throws InvalidInput  naming the option that is out of its range.
/// @note Thread-safe. Allocates nothing, but memory that the thread keeps for composites with many pairs of leaves.
[[nodiscard]] ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b,
                                               const Pose& world_from_b, const Separation& separation,
                                               const ManifoldOptions& options = {});

namespace detail {

/// Options that are in their ranges, as the search for points uses them.
struct ManifoldLimits {
  explicit ManifoldLimits(const ManifoldOptions& options);

  std::size_t max_points;
  double max_distance;  // metres
  double sin_tilt;
  double cos_tilt;
};

/// Of two bodies, where these are hulls and it is known: their tops along feature_direction().
struct TopPair {
  HullTop of_a;
  HullTop of_b;
};

/// The same into memory of the caller, without checks.
/// @param points  At least one; its size is the limit of all points together.
/// @return How many were written.
std::size_t contact_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                           const Separation& separation, const ManifoldLimits& limits, std::span<ContactPoint> points,
                           const TopPair& tops = {});

}  // namespace detail

}  // namespace abut

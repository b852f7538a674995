// Contact manifold: from the one pair of witness points of two shapes to the patch along which they touch.
//
// Each shape gives the feature that it turns to the other: a face, the flat end of a cylinder or cone, a side line, an
// edge, a vertex. The two are laid over each other along the normal; the corners of what they share, on both surfaces,
// are the contact points. The patch by clipping: Ericson, Real-Time Collision Detection (2005), section 8.3.4.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut {

/// One pair of points, world frame, metres.
struct ContactPoint {
  Vector3d point_a = Vector3d::Zero();  ///< On the surface of a.
  Vector3d point_b = Vector3d::Zero();  ///< On the surface of b.
  double distance = 0.0;                ///< (point_b - point_a).dot(normal); negative: minus the depth there.
  /// Which features of a (upper half) and of b (lower half) make the point: the same from frame to frame as long as
  /// they do. Different for the points of one contact; not comparable between pairs of bodies.
  std::uint64_t feature_id = 0;
};

struct ManifoldOptions {
  int max_points = 4;  ///< 1 … ContactManifold::kCapacity.
  /// Metres. Points farther apart are left out, except those no farther apart than the separation itself.
  double max_distance = std::numeric_limits<double>::infinity();
  /// Radians, 0 … 0.5. Faces, edges and side lines tilted by more out of the contact plane count as a corner.
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
/// feature (edges that are nearly parallel: 1/2000 of the shorter edge). The first point is the deepest: the witness
/// pair of the separation, or a corner of the patch that is as deep. Points are then added, as long as max_points
/// allows, that make the area they span largest; those that add none are left out.
///
/// One point, the witness pair, is given for smooth bodies, for crossing edges, and for a mesh, height field or
/// compound.
///
/// @param a, b                        The shapes of the separation, each in its body frame.
/// @param world_from_a, world_from_b  Their poses.
/// @param separation  Of a and b at these poses: distance() that did not end with SolveStatus::beyond_limit.
/// @throws InvalidInput  naming the option that is out of its range.
/// @note Allocates nothing; thread-safe.
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

/// The same into memory of the caller, without checks.
/// @param points  At least one; where it is shorter than limits.max_points, its size is the limit.
/// @return How many were written.
std::size_t contact_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                           const Separation& separation, const ManifoldLimits& limits, std::span<ContactPoint> points);

}  // namespace detail

}  // namespace abut

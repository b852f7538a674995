// Contact manifold in the plane: from the one pair of witness points to the stretch along which two shapes touch.
//
// Each shape gives the side that it turns to the other. The two are laid over each other along the tangent; the ends of
// what they share are the contact points. Clipping: Ericson, Real-Time Collision Detection (2005), section 8.3.4.
#pragma once

#include <abut/narrowphase/planar/planar_distance.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut::planar {

/// One pair of points, world frame, metres.
struct ContactPoint {
  Vector2d point_a = Vector2d::Zero();  ///< On the boundary of a.
  Vector2d point_b = Vector2d::Zero();  ///< On the boundary of b.
  double distance = 0.0;                ///< (point_b - point_a).dot(normal); negative: minus the depth there.
  /// Which corner or side of a (upper half) and of b (lower half) make the point: the same from frame to frame as long
  /// as they do. Different for the two points of one contact; not comparable between pairs of bodies.
  std::uint64_t feature_id = 0;
};

struct ManifoldOptions {
  /// Metres. Points farther apart are left out, except those no farther apart than the separation itself.
  double max_distance = std::numeric_limits<double>::infinity();
  /// Radians, 0 … 0.5. Sides tilted by more against the tangent count as a corner.
  double max_tilt = 0.1;
};

/// One or two points, in place.
class ContactManifold {
 public:
  static constexpr std::size_t kCapacity = 2;

  /// The deepest first; at least one.
  [[nodiscard]] std::span<const ContactPoint> points() const { return {storage_.data(), count_}; }

 private:
  friend ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b,
                                          const Pose& world_from_b, const Separation& separation,
                                          const ManifoldOptions& options);

  std::array<ContactPoint, kCapacity> storage_;
  std::size_t count_ = 0;
};

/// The points along which two shapes touch, or are nearest to each other. point_b - point_a of a point is
/// distance * normal; the first point is as deep as the separation, to 1e-9 of the sizes.
///
/// @param a, b                        The shapes of the separation, each in its body frame.
/// @param world_from_a, world_from_b  Their poses.
/// @param separation  separation() of a and b at these poses.
/// @throws InvalidInput  naming the option that is out of its range.
/// @note Allocates nothing; thread-safe; deterministic.
[[nodiscard]] ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b,
                                               const Pose& world_from_b, const Separation& separation,
                                               const ManifoldOptions& options = {});

}  // namespace abut::planar

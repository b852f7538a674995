// A contact: two bodies nearer than the contact margin, with the points of their contact patch.
#pragma once

#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut {

struct alignas(64) Contact {
  static constexpr std::size_t kMaxPoints = 12;
  /// Of one normal, unless SceneSettings::max_points is less: two convex bodies have no more.
  static constexpr std::size_t kMaxPatchPoints = 4;

  BodyId body_a;  ///< body_a.slot < body_b.slot.
  BodyId body_b;
  /// Unit, world frame, from a towards b: of the deepest pair of leaves where one of the bodies is a mesh, height field
  /// or compound. Its points have their own, which edges inside a surface do not disturb.
  Vector3d normal = Vector3d::UnitX();
  double distance = 0.0;        ///< Signed distance of the pair, metres, at most the contact margin.
  double distance_error = 0.0;  ///< Bound on its error, metres.
  SolveStatus status = SolveStatus::converged;
  bool is_sensor = false;         ///< One of the two is a sensor.
  std::uint32_t point_count = 0;  ///< Of points(). It and all above are one line of the cache, 64 bytes.

  /// The deepest point first, of two convex bodies to a billionth of the smaller feature; at least one. Of points that
  /// are not in touch those within the contact margin are listed. A sensor's contact has one, the witness points.
  [[nodiscard]] std::span<const ContactPoint> points() const { return {point_storage.data(), point_count}; }

  std::array<ContactPoint, kMaxPoints> point_storage;
};

}  // namespace abut

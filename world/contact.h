// A contact: two bodies nearer than the contact margin, with witness points.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>

#include <array>
#include <cstddef>
#include <span>

namespace abut {

/// One pair of witness points, world frame, metres.
struct ContactPoint {
  Vector3d point_a = Vector3d::Zero();  ///< On the surface of a.
  Vector3d point_b = Vector3d::Zero();  ///< On the surface of b.
  double distance = 0.0;                ///< (point_b - point_a).dot(normal); negative: minus the depth there.
};

struct Contact {
  static constexpr std::size_t kMaxPoints = 4;

  BodyId body_a;  ///< body_a.slot < body_b.slot.
  BodyId body_b;
  Vector3d normal = Vector3d::UnitX();  ///< Unit, world frame, from a towards b.
  double distance = 0.0;                ///< Signed distance of the pair, metres, at most the contact margin.
  double distance_error = 0.0;          ///< Bound on its error, metres.
  SolveStatus status = SolveStatus::converged;

  /// The deepest point first; at least one.
  [[nodiscard]] std::span<const ContactPoint> points() const { return {point_storage.data(), point_count}; }

  std::array<ContactPoint, kMaxPoints> point_storage;
  std::size_t point_count = 0;
};

}  // namespace abut

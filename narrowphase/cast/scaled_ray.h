// A ray that is asked of one shape after another: what is the same for all of them is worked out once, and what only
// the answer needs comes last.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/cast/ray.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>
#include <optional>

namespace abut::detail {

/// The points origin + t direction, 0 <= t <= max_t, of a Ray. The largest component of the direction is at least 1 and
/// less than 2, or zero; t is that of the ray times a power of two, hence without rounding but where that is out of
/// range.
struct ScaledRay {
  /// @param ray  Valid, see require_ray().
  explicit ScaledRay(const Ray& ray);

  Vector3d origin;     ///< World frame.
  Vector3d direction;  ///< World frame.
  double max_t;
  double scale;      ///< t here over t of the ray.
  double ray_max_t;  ///< Of the ray.
};

/// Where a scaled ray meets a shape.
struct ScaledHit {
  double t = 0.0;                      ///< Of the scaled ray.
  Vector3d normal = Vector3d::Zero();  ///< Body frame, of any length; zero where the ray starts inside.
  std::uint32_t leaf = RayCastHit::kNoLeaf;
  SolveStatus status = SolveStatus::converged;
  double distance_error = 0.0;
};

/// The first point in the shape, as of ray_cast().
/// @param options  Valid.
[[nodiscard]] std::optional<ScaledHit> first_hit_of(const ScaledRay& ray, const Shape& shape,
                                                    const Pose& world_from_body, const RayCastOptions& options);
/// Whether there is one, found sooner where the shape is a composite.
[[nodiscard]] bool meets_shape(const ScaledRay& ray, const Shape& shape, const Pose& world_from_body,
                               const RayCastOptions& options);
/// The answer of ray_cast() that a first hit stands for.
[[nodiscard]] RayCastHit unscaled(const ScaledHit& hit, const ScaledRay& ray, const Pose& world_from_body);

}  // namespace abut::detail

// Two convex shapes of the plane: whether they collide, how far apart they are, and where. Three questions of rising
// cost. Sources: the walk of boundary_walk.h, and Zhang et al., "Barycode-based GJK Algorithm".
#pragma once

#include <abut/narrowphase/planar/planar_shape.h>
#include <abut/narrowphase/planar/simplex_memory.h>

#include <cstdint>

namespace abut::planar {

/// What one ordered pair of shapes remembers from one query to the next. The answer does not depend on it, but for
/// rounding.
struct PairCache {
  detail::SimplexMemory simplex;
};

/// How the nearest parts of two shapes are found; the answers are the same but for rounding.
enum class Method : std::uint8_t {
  walk,  ///< Along the boundary of the Minkowski difference, from the support point towards the other shape: the
         ///< fastest.
  gjk,   ///< Barycode GJK, Algorithms 1 and 6.
};

struct Options {
  Method method = Method::walk;
  SupportSearch support = SupportSearch::climb;  ///< Of Method::gjk, for study.
};

/// Signed separation of two shapes; metres, world frame.
struct Separation {
  double distance = 0.0;                ///< > 0 apart, 0 touching, < 0: minus the penetration depth.
  Vector2d point_a = Vector2d::Zero();  ///< Witness point on the boundary of a.
  Vector2d point_b = Vector2d::Zero();
  Vector2d normal = Vector2d::UnitX();  ///< Unit, from a towards b; distance = (point_b - point_a).dot(normal).
  int iterations = 0;                   ///< Steps of the walk, or iterations of GJK.
  double distance_error = 0.0;          ///< Bound on the error of distance, metres, >= 0.
};

// Each: poses finite; `cache` may be null; allocates nothing; thread-safe for different caches; deterministic.

/// Whether the distance is <= security_margin. Discs around and inside of the shapes answer most pairs; GJK stops at
/// the first separating line, triangle or point that proves the answer (Algorithm 6).
/// @param security_margin  Metres, finite and >= 0. @throws InvalidInput  naming "security_margin".
[[nodiscard]] bool collides(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                            double security_margin = 0.0, const Options& options = {}, PairCache* cache = nullptr);

/// The distance alone, metres. Where the shapes overlap it is not positive and says how deep as long as
/// the cores are apart; where these overlap, minus the sum of the radii.
[[nodiscard]] double distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                              const Options& options = {}, PairCache* cache = nullptr);

/// Signed distance, witness points and normal, exact up to rounding, on both sides of contact.
[[nodiscard]] Separation separation(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                    const Options& options = {}, PairCache* cache = nullptr);

}  // namespace abut::planar

// Fixed obstacles of the plane, arranged for the questions of a motion planner: does a footprint collide at this pose,
// or at these thousands of poses, with which obstacle, and how far is the nearest.
#pragma once

#include <abut/narrowphase/planar/planar_shape.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace abut::planar {

/// A shape at its place in the world.
struct Obstacle {
  Shape shape;
  Pose world_from_obstacle;
};

/// The number of an obstacle where there is none.
inline constexpr std::uint32_t kNoObstacle = std::numeric_limits<std::uint32_t>::max();

/// The nearest obstacle.
struct Clearance {
  double distance = 0.0;                 ///< As distance() gives it, metres; where there is none, the upper bound.
  std::uint32_t obstacle = kNoObstacle;  ///< Its number; of several at that distance the smallest.

  friend bool operator==(const Clearance&, const Clearance&) = default;
};

/// Immutable; copies share what it holds. The answers are those of collides() and distance() of the footprint with one
/// obstacle after the other, bit by bit, whatever the number and the order of the poses of a call.
///
/// Queries allocate nothing and may run in many threads at once. They have no threads of their own: every answer
/// depends on its own pose alone, so a caller with several threads gives each a part of the spans.
class ObstacleIndex {
 public:
  /// @param obstacles  Any number, also none; their numbers are their places here. @throws InvalidInput  naming
  /// "obstacles" where there are 2^32 - 1 or more, or the obstacle whose pose is not finite.
  explicit ObstacleIndex(std::span<const Obstacle> obstacles);

  [[nodiscard]] std::size_t size() const;

  // Each: poses finite; security_margin in metres, finite and >= 0; upper_bound in metres, not NaN. Throw InvalidInput
  // naming "security_margin", "upper_bound", or the span of answers where it has not as many elements as there are
  // poses.

  /// Whether the distance to some obstacle is <= security_margin.
  [[nodiscard]] bool collides(const Shape& footprint, const Pose& world_from_footprint,
                              double security_margin = 0.0) const;
  /// The smallest number of an obstacle that it collides with, or kNoObstacle; costs more than the yes or no.
  [[nodiscard]] std::uint32_t first_hit(const Shape& footprint, const Pose& world_from_footprint,
                                        double security_margin = 0.0) const;
  /// The nearest obstacle whose distance is <= upper_bound. The smaller the bound, the less there is to do.
  [[nodiscard]] Clearance clearance(const Shape& footprint, const Pose& world_from_footprint,
                                    double upper_bound = std::numeric_limits<double>::infinity()) const;

  // The same at many poses of one footprint. Poses that follow each other closely, as along a path, are the fastest.

  /// @param answers  0 or 1, one a pose.
  void collides(const Shape& footprint, std::span<const Pose> world_from_footprint, std::span<std::uint8_t> answers,
                double security_margin = 0.0) const;
  void first_hits(const Shape& footprint, std::span<const Pose> world_from_footprint, std::span<std::uint32_t> hits,
                  double security_margin = 0.0) const;
  void clearances(const Shape& footprint, std::span<const Pose> world_from_footprint, std::span<Clearance> clearances,
                  double upper_bound = std::numeric_limits<double>::infinity()) const;

 private:
  struct Table;
  class Query;

  std::shared_ptr<const Table> table_;
};

}  // namespace abut::planar

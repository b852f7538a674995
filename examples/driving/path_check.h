// What a footprint meets along a path: hits, clearances, the first contact, and whether that holds between the poses.
#pragma once

#include <abut/narrowphase/planar/obstacle_index.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "path.h"

namespace abut::driving {

using planar::Clearance;
using planar::ObstacleIndex;
using planar::Shape;

/// Where the footprint, driving along the path, first comes within the margin of an obstacle.
struct Contact {
  double place = 0.0;  ///< Metres along the path.
  Pose pose;
  std::uint32_t obstacle = 0;
  double distance = 0.0;  ///< Metres: the margin, to the precision of the place; less where the path starts so.
  Vector2d point = Vector2d::Zero();    ///< Halfway between the witness points.
  Vector2d normal = Vector2d::UnitX();  ///< Unit, from the footprint to the obstacle.
};

struct PathCheck {
  std::vector<Pose> poses;
  std::vector<std::uint8_t> hits;     ///< One a pose: 1 where the footprint is within the margin of an obstacle.
  std::vector<Clearance> clearances;  ///< One a pose.
  std::size_t hit_count = 0;
  std::size_t nearest_pose = 0;  ///< Of the smallest clearance.
  std::optional<Contact> first_contact;
  /// Metres, the most that a point of the footprint moves from one pose to the next.
  double largest_motion = 0.0;
  /// No pose hits, and between two poses the footprint moves too little to reach anything.
  bool is_free_throughout = false;
  double collides_seconds = 0.0;  ///< Of the batch.
  double clearance_seconds = 0.0;
};

/// @param obstacles  Those of the index, in its order; at least one. @param step  Metres between poses, > 0.
/// @param margin  Metres, >= 0.
[[nodiscard]] PathCheck check_path(const ObstacleIndex& index, std::span<const planar::Obstacle> obstacles,
                                   const Shape& footprint, const Path& path, double step, double margin);

}  // namespace abut::driving

// The open box in which the demo's bodies fall, and their motion, which is prescribed: abut finds contacts and computes
// no forces. A body falls and bounces without loss, runs from wall to wall and turns at a constant speed, through
// whatever is in its way. Every pose is a formula of the time, so a scene stays busy for as long as it is played.
#pragma once

#include <support/random.h>

#include <cstddef>
#include <vector>

#include "demo_scene.h"

namespace abut::demo {

/// The floor is the plane z = 0, the walls are the planes x, y = ±half_side; metres.
struct Container {
  double half_side = 0.0;
  double height = 0.0;  ///< The highest place of a body's middle; there is no lid.

  /// Seconds of a free fall from the full height.
  [[nodiscard]] double fall_time() const;
};

/// Adds the floor and the four walls, fixed half-spaces that face the inside.
void add_floor_and_walls(const Container& container, SceneDescription& description);

/// The way of one body through a container.
class BouncingPath {
 public:
  /// @param shape  Bounded, and small enough to turn inside the container. The path keeps the middle of its box a
  /// little
  ///               nearer to floor and walls than half its longest side, so that it touches them.
  BouncingPath(const Shape& shape, const Container& container, samples::Random& random);

  /// world_from_body. @param time  Seconds, >= 0.
  [[nodiscard]] Pose at(double time) const;

 private:
  Vector3d middle_body_;      // of the shape's box, body frame
  double half_side_ = 0.0;    // of the square in which the middle moves
  Eigen::Vector2d start_;     // of the middle, at time 0
  Eigen::Vector2d velocity_;  // metres a second
  double lowest_ = 0.0;       // of the middle's height, metres
  double highest_ = 0.0;
  double phase_ = 0.0;  // seconds since the last bounce, at time 0
  Quaterniond start_rotation_;
  Vector3d axis_;      // unit, world
  double spin_ = 0.0;  // radians a second
};

/// Moves the bodies from number `first_body` on along a path each.
[[nodiscard]] MotionSource along_paths(std::vector<BouncingPath> paths, std::size_t first_body, double time_step);

}  // namespace abut::demo

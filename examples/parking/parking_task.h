// What the car has to do: the two cars, start and goal, limits, and how finely the motion is planned.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/capsule.h>

#include <cstdint>

#include "car.h"

namespace abut::parking {

/// The side of the parked car on which the first guess passes it, seen from the start. Each side has an optimum of its
/// own, and a local solver finds the one it starts near.
enum class Side : std::uint8_t { left, right };

struct ParkingTask {
  Car car = {};
  Capsule car_shape = Capsule(0.9, 1.2);  ///< 4.2 m long, 1.8 m wide.

  Capsule parked_shape = Capsule(1.3, 3.0);  ///< 8.6 m long, 2.6 m wide.
  double parked_x = 0.0;
  double parked_y = -0.8;
  double parked_heading = -0.3;

  State start = (State() << -10.0, 0.0, 0.0, 0.0, 0.0).finished();  ///< At rest.
  State goal = (State() << 8.0, -3.0, 0.0, 0.0, 0.0).finished();    ///< At rest.
  double duration = 8.0;                                            ///< Seconds from start to goal.

  double max_speed = 5.0;          ///< m/s, forward and backward.
  double max_steering = 0.6;       ///< rad, either way.
  double max_acceleration = 3.0;   ///< m/s²
  double max_steering_rate = 1.0;  ///< rad/s

  int knots = 61;           ///< Times at which the state is a variable, start and goal included.
  double clearance = 0.05;  ///< Metres to keep at the knots, so that the car stays clear between them too.
  Side side = Side::left;

  [[nodiscard]] double interval() const { return duration / (knots - 1); }
  [[nodiscard]] Pose world_from_parked() const { return pose_of(parked_x, parked_y, parked_heading); }
};

}  // namespace abut::parking

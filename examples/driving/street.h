// A street with kerbs, a row of parked cars, two cars that stand in the way, and bollards; made from a seed.
#pragma once

#include <abut/narrowphase/planar/obstacle_index.h>

#include <cstdint>
#include <string>
#include <vector>

namespace abut::driving {

using planar::Obstacle;
using planar::Shape;
using planar::Vector2d;

/// Runs along the x axis; metres.
struct Street {
  std::vector<Obstacle> obstacles;
  std::vector<std::string> names;  ///< One an obstacle: "parked car 3".
};

inline constexpr double kStreetLength = 80.0;  // metres

/// A rectangle with rounded corners. @param rear, front  Its ends along x, metres. @param width, radius  Metres.
[[nodiscard]] Shape car_shape(double rear, double front, double width, double radius);

/// @param seed  Of the places, lengths and angles of the parked cars.
[[nodiscard]] Street make_street(std::uint64_t seed);

}  // namespace abut::driving

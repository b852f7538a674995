// Random shapes and places of the plane.
#pragma once

#include <abut/narrowphase/planar/planar_distance.h>
#include <abut/narrowphase/planar/planar_shape.h>
#include <support/random.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace abut::samples {

inline constexpr std::uint32_t kPlanarKinds = 6;

/// Points about an ellipse. @param size  Its longer half axis, metres.
inline std::vector<Eigen::Vector2d> points_on_ellipse(std::uint32_t count, double size, double flatness,
                                                      Random& random) {
  std::vector<Eigen::Vector2d> points;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.1, 0.9)) / count;
    points.emplace_back(size * std::cos(angle), flatness * size * std::sin(angle));
  }
  return points;
}

/// Kind 0: circle, 1: capsule, 2: polygon, 3: rounded polygon, 4: needle, 5: polygon of many corners, away from the
/// origin of its frame. @param size  Metres.
inline planar::Shape random_planar_shape(std::uint32_t kind, double size, Random& random) {
  using planar::Shape;
  switch (kind) {
    case 0:
      return Shape::circle(size * random.uniform(0.2, 1.0));
    case 1:
      return Shape::capsule(size * random.uniform(0.05, 0.5), size * random.uniform(0.0, 1.0));
    case 2:
      return Shape::hull(points_on_ellipse(3 + random.below(8), size, random.uniform(0.3, 1.0), random));
    case 3:
      return Shape::hull(points_on_ellipse(3 + random.below(8), size, random.uniform(0.3, 1.0), random),
                         size * random.uniform(0.0, 0.3));
    case 4:
      return Shape::hull(
          points_on_ellipse(3 + random.below(4), size, std::pow(10.0, random.uniform(-7.0, -2.0)), random));
    default: {
      std::vector<Eigen::Vector2d> points =
          points_on_ellipse(20 + random.below(80), size, random.uniform(0.3, 1.0), random);
      const Eigen::Vector2d shift(size * random.uniform(-2.0, 2.0), size * random.uniform(-2.0, 2.0));
      for (Eigen::Vector2d& point : points) point += shift;
      return Shape::hull(points);
    }
  }
}

/// Anywhere in a square, any angle. @param half_side  Metres.
inline planar::Pose random_planar_pose(double half_side, Random& random) {
  const double x = random.uniform(-half_side, half_side);
  const double y = random.uniform(-half_side, half_side);
  return {{x, y}, random.uniform(-std::numbers::pi, std::numbers::pi)};
}

/// The pose of a moved so that it is `gap` metres from b.
inline planar::Pose moved_apart(const planar::Shape& a, planar::Pose world_from_a, const planar::Shape& b,
                                const planar::Pose& world_from_b, double gap) {
  const planar::Separation found = planar::separation(a, world_from_a, b, world_from_b);
  world_from_a.translation += (found.distance - gap) * found.normal;
  return world_from_a;
}

}  // namespace abut::samples

// Pairs of capsules and padded polygons for the tests of the quadratic program: random, and placed where it is hard.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/proximity.h>
#include <support/random.h>

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace abut::samples {

enum class PillKind : std::uint8_t { capsule, polygon };

struct PillPair {
  Shape a;
  Shape b;
  Pose world_from_a;
  Pose world_from_b;
  double size;  ///< Metres, about the larger body's.

  [[nodiscard]] double radii() const { return radius(a) + radius(b); }
  /// With the margin.
  static double radius(const Shape& shape) {
    const auto* capsule = shape.get_if<Capsule>();
    return shape.margin() + (capsule != nullptr ? capsule->radius() : shape.get_if<PaddedPolygon>()->radius());
  }
};

/// Three to eight corners, not around the origin.
inline PaddedPolygon random_polygon(double size, double radius, Random& random) {
  std::vector<Eigen::Vector2d> corners;
  const int count = 3 + static_cast<int>(random.below(6));
  const double turn = random.uniform(0.0, 6.0);
  const double first = size * random.uniform(0.3, 1.0);
  const double second = size * random.uniform(0.3, 1.0);
  const Eigen::Vector2d middle(size * random.uniform(-1.0, 1.0), size * random.uniform(-1.0, 1.0));
  for (int i = 0; i < count; ++i) {  // on an ellipse, so that they are convex
    const double angle = turn + 2.0 * std::numbers::pi * (i + random.uniform(-0.3, 0.3)) / count;
    corners.emplace_back(middle + Eigen::Vector2d(first * std::cos(angle), second * std::sin(angle)));
  }
  return PaddedPolygon(corners, radius);
}

inline Shape random_pill(PillKind kind, double size, Random& random) {
  const double radius = size * random.uniform(0.05, 0.3);
  const double margin = random.chance(0.25) ? 0.1 * size : 0.0;
  if (kind == PillKind::capsule) return Shape(Capsule(radius, size * random.uniform(0.3, 1.0)), margin);
  return Shape(random_polygon(size, radius, random), margin);
}

inline PillPair random_pair(PillKind kind_a, PillKind kind_b, double size, Random& random) {
  Shape a = random_pill(kind_a, size, random);
  Shape b = random_pill(kind_b, size, random);
  const Pose pose_a = random.pose(size);
  const Pose pose_b = random.pose(size * (random.chance(0.2) ? 20.0 : 2.0));
  return {std::move(a), std::move(b), pose_a, pose_b, size};
}

/// The axes of both frames within `angle` of each other, up to turns about z (of a capsule: its axis) and turns over.
inline PillPair nearly_parallel_pair(PillKind kind_a, PillKind kind_b, double size, double angle, Random& random) {
  PillPair pair = random_pair(kind_a, kind_b, size, random);
  Quaterniond turn(Eigen::AngleAxisd(random.uniform(0.0, 6.0), Vector3d::UnitZ()));
  if (random.chance(0.5)) turn = turn * Quaterniond(0.0, 1.0, 0.0, 0.0);
  // A segment lies in the plane of a polygon when its z axis does.
  if (kind_a != kind_b) turn = turn * Quaterniond(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitX()));
  const Quaterniond tilt(Eigen::AngleAxisd(angle, random.direction()));
  pair.world_from_b = pair.world_from_a * Pose(size * random.vector(-1.5, 1.5), tilt * turn);
  return pair;
}

/// Every pair of kinds.
inline constexpr std::array<std::array<PillKind, 2>, 4> kPillKinds = {{{PillKind::capsule, PillKind::capsule},
                                                                       {PillKind::capsule, PillKind::polygon},
                                                                       {PillKind::polygon, PillKind::capsule},
                                                                       {PillKind::polygon, PillKind::polygon}}};

inline Proximity proximity_of(const PillPair& pair, QpMethod method = QpMethod::automatic) {
  return proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b, method);
}

}  // namespace abut::samples

#include "planar_pairs.h"

#include <support/random.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace abut::bench {
namespace {

using planar::Pose;
using planar::Shape;
using planar::Vector2d;
using samples::Random;

constexpr double kLeastGap = 0.1;     // metres
constexpr double kLeastDepth = 0.02;  // metres

Shape random_polygon(int corners, Random& random) {
  const double radius_x = random.uniform(0.3, 1.0);
  const double radius_y = random.uniform(0.3, 1.0);
  std::vector<Vector2d> points;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.05, 0.95)) / corners;
    points.emplace_back(radius_x * std::cos(angle), radius_y * std::sin(angle));
  }
  return Shape::polygon(points);
}

Pose random_pose(double reach, Random& random) {
  const double x = random.uniform(-reach, reach);
  const double y = random.uniform(-reach, reach);
  return {Vector2d(x, y), random.uniform(-std::numbers::pi, std::numbers::pi)};
}

}  // namespace

std::vector<PlanarPair> planar_pairs(int corners, PlanarCase which) {
  Random random(static_cast<std::uint64_t>(10 * corners + static_cast<int>(which)));
  std::vector<PlanarPair> pairs;
  while (pairs.size() < kPlanarPairs) {
    Shape a = random_polygon(corners, random);
    Shape b = random_polygon(corners, random);
    const Pose pose_a = random_pose(5.0, random);
    Pose pose_b = random_pose(5.0, random);
    if (which == PlanarCase::overlapping) {
      const Pose near = random_pose(0.8, random);
      pose_b.translation = pose_a.translation + near.translation;
    }
    const planar::Separation found = separation(a, pose_a, b, pose_b);
    if (which == PlanarCase::overlapping ? found.distance > -kLeastDepth : found.distance < kLeastGap) continue;
    double distance = found.distance;
    if (which == PlanarCase::touching) {
      pose_b.translation -= found.distance * found.normal;
      distance = 0.0;
    }
    pairs.push_back({std::move(a), pose_a, std::move(b), pose_b, distance});
  }
  return pairs;
}

}  // namespace abut::bench

#include "smooth_bodies.h"

#include <abut/core/obb.h>
#include <abut/narrowphase/distance.h>

#include <cmath>

namespace abut::study {
namespace {

using samples::Random;

constexpr double kWorldHalfSide = 1.0;  // metres
constexpr double kLeastDepth = 0.001;   // of Draw::shallow, as fractions of the size; uniform in the logarithm
constexpr double kLargestDepth = 0.05;

SmoothHull smooth_cube(double sharpness) {
  std::vector<Vector3d> corners;
  for (int i = 0; i < 8; ++i) {
    corners.emplace_back(kCubeHalfSide *
                         Vector3d((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0));
  }
  return SmoothHull(std::move(corners), sharpness);
}

double reach_of(const Shape& a, const Shape& b) {
  return obb(a).half_extents.norm() + obb(b).half_extents.norm();
}

}  // namespace

NamedShapes table_bodies() {
  NamedShapes bodies;
  const auto add = [&bodies](const char* name, Shape shape) {
    bodies.names.emplace_back(name);
    bodies.shapes.push_back(std::move(shape));
  };
  add("ellipsoid", Superquadric({0.5, 0.5, 0.7}, {1.0, 1.0}));
  add("superellipsoid", Superquadric({0.7, 0.7, 0.35}, {1.0, 1.5}));
  add("double_cone", Superquadric({0.5, 0.5, 0.7}, {1.5, 1.0}));
  add("double_pyramid", Superquadric({0.6, 0.6, 0.6}, {1.5, 1.5}));
  add("cube1", smooth_cube(5.0));
  add("cube2", smooth_cube(10.0));
  add("cube3", smooth_cube(50.0));
  add("cylinder",
      SmoothRevolution({{kCylinderRadius, kCylinderHalfLength}, {kCylinderRadius, -kCylinderHalfLength}}, 40.0, 1e-3));
  return bodies;
}

Shape plain_ellipsoid() {
  return Ellipsoid({0.5, 0.5, 0.7});
}

const char* name_of(Draw draw) {
  return draw == Draw::random ? "random" : "shallow";
}

PosedPair penetrating_pair(std::span<const Shape> shapes, std::uint32_t a, std::uint32_t b, Draw draw, Random& random) {
  if (draw == Draw::shallow) {
    const double size = obb(shapes[a]).half_extents.maxCoeff() + obb(shapes[b]).half_extents.maxCoeff();
    const double depth = size * kLeastDepth * std::pow(kLargestDepth / kLeastDepth, random.uniform(0.0, 1.0));
    return pair_at(shapes, a, b, -depth, random);
  }
  const double reach = reach_of(shapes[a], shapes[b]);
  PosedPair pair{a, b, random.pose(kWorldHalfSide), Pose()};
  do {
    Vector3d offset = random.vector(-reach, reach);
    while (offset.norm() > reach) offset = random.vector(-reach, reach);
    pair.world_from_b = Pose(pair.world_from_a.translation() + offset, random.rotation());
  } while (!collides(shapes[a], pair.world_from_a, shapes[b], pair.world_from_b));
  return pair;
}

PosedPair pair_at(std::span<const Shape> shapes, std::uint32_t a, std::uint32_t b, double distance_wanted,
                  Random& random) {
  const double reach = reach_of(shapes[a], shapes[b]);
  PosedPair pair{a, b, random.pose(kWorldHalfSide), Pose()};
  const Quaterniond rotation = random.rotation();
  pair.world_from_b = Pose(pair.world_from_a.translation() + 1.2 * reach * random.direction(), rotation);
  const Separation apart = distance(shapes[a], pair.world_from_a, shapes[b], pair.world_from_b);
  pair.world_from_b = Pose((distance_wanted - apart.distance) * apart.normal) * pair.world_from_b;
  return pair;
}

std::vector<PosedPair> penetrating_pairs(std::span<const Shape> shapes, std::size_t poses, Draw draw,
                                         std::uint64_t seed) {
  Random random(seed);
  std::vector<PosedPair> pairs;
  for (std::uint32_t a = 0; a < shapes.size(); ++a) {
    for (std::uint32_t b = a; b < shapes.size(); ++b) {
      for (std::size_t i = 0; i < poses; ++i) pairs.push_back(penetrating_pair(shapes, a, b, draw, random));
    }
  }
  return pairs;
}

}  // namespace abut::study

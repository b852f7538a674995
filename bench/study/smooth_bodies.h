// The bodies of the evaluation of smooth collision detection, and random poses of their pairs.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework", table I.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <support/random.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace abut::study {

struct NamedShapes {
  std::vector<std::string> names;
  std::vector<Shape> shapes;
};

/// Half side of the cubes, radius and half length of the cylinder, metres: the paper does not print them.
inline constexpr double kCubeHalfSide = 0.4;
inline constexpr double kCylinderRadius = 0.4;
inline constexpr double kCylinderHalfLength = 0.5;

/// The eight bodies of table I, in its order. The ellipsoid is a superquadric with exponents 1, as in the paper.
[[nodiscard]] NamedShapes table_bodies();
/// The same ellipsoid as abut::Ellipsoid, whose pairs are compiled by themselves.
[[nodiscard]] Shape plain_ellipsoid();

/// A pair of shapes, by index, somewhere in the world.
struct PosedPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Pose world_from_a;
  Pose world_from_b;
};

/// How pairs are placed.
enum class Draw : std::uint8_t {
  random,   ///< Any rotations, the centre of b anywhere around a, as long as both overlap: depths of all sizes.
  shallow,  ///< Apart, then b moved along the direction of the nearest points to a depth of 0.1 to 5 % of
            ///< their size, the sum of the largest half sides of their boxes.
};
[[nodiscard]] const char* name_of(Draw draw);

[[nodiscard]] PosedPair penetrating_pair(std::span<const Shape> shapes, std::uint32_t a, std::uint32_t b, Draw draw,
                                         samples::Random& random);

/// Apart in a random direction, then moved along the direction of the nearest points until `distance` metres are left;
/// for a negative one the depth may be less, where a shorter way out exists.
[[nodiscard]] PosedPair pair_at(std::span<const Shape> shapes, std::uint32_t a, std::uint32_t b, double distance,
                                samples::Random& random);

/// `poses` of every pair a <= b, pair after pair.
[[nodiscard]] std::vector<PosedPair> penetrating_pairs(std::span<const Shape> shapes, std::size_t poses, Draw draw,
                                                       std::uint64_t seed);

}  // namespace abut::study

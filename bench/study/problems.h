// The collision problems of the papers: pairs of shapes at chosen signed distances.
// Source: Montaut et al., "GJK++" (T-RO 2024), section IV: random shapes and rotations, apart; then one is moved along
// the direction of the nearest points to each distance in turn.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace abut::study {

struct Problem {
  std::uint32_t a = 0;  ///< Indices of shapes.
  std::uint32_t b = 0;
  Pose world_from_a;
  Pose world_from_b;
  double distance = 0.0;                ///< Signed, metres.
  Vector3d nearest = Vector3d::Zero();  ///< x*: the point of A - B nearest the origin; zero when they overlap. World.
};

/// Problems that share their shapes.
struct ProblemSet {
  std::vector<Shape> shapes;
  std::vector<double> gaps;                    ///< Signed distances, metres.
  std::vector<std::vector<Problem>> problems;  ///< By gap; the i-th ones are the same pair and rotations.
};

/// Chooses the two shapes of the i-th pair, by index.
using PairChooser = std::function<std::pair<std::uint32_t, std::uint32_t>(std::size_t i)>;

/// Pairs whose depth at a negative gap is another one, because a shorter way out exists, are drawn again.
/// @throws InvalidInput  where no pose is found for a pair.
[[nodiscard]] ProblemSet make_problems(std::vector<Shape> shapes, std::span<const double> gaps, std::size_t count,
                                       const PairChooser& choose, std::uint64_t seed);
/// Any shape against any other.
[[nodiscard]] ProblemSet make_problems(std::vector<Shape> shapes, std::span<const double> gaps, std::size_t count,
                                       std::uint64_t seed);

/// The same problem at another gap. @param gap  Metres; for a negative one the depth is taken as it is meant.
[[nodiscard]] Problem moved_to(const Problem& apart, double gap);

/// Radii of 0.05 to 0.5 m.
[[nodiscard]] std::vector<Shape> random_ellipsoids(std::size_t count, std::uint64_t seed);
/// Half sides of 0.05 to 0.25 m.
[[nodiscard]] std::vector<Shape> random_cubes(std::size_t count, std::uint64_t seed);
/// A hull with that many vertices, all on a superquadric of radii of 0.05 to 0.25 m.
[[nodiscard]] Shape random_hull(int vertices, std::uint64_t seed);

struct Hulls {
  std::vector<std::string> names;
  std::vector<Shape> shapes;
  bool is_ycb = false;
};

/// Hulls of the OBJ files in the folder that ABUT_YCB_DIR names, sorted by name; without it 24 generated ones of 100 to
/// 8000 vertices. @throws InvalidInput  naming a file without vertices, or a folder without OBJ files.
[[nodiscard]] Hulls load_hulls();

/// 0 … count - 1 in a random order that a branch predictor cannot learn.
[[nodiscard]] std::vector<std::size_t> shuffled_order(std::size_t count, std::uint64_t seed);

}  // namespace abut::study

// Pairs of random convex polygons: the data sets of Zhang et al., "Barycode-based GJK Algorithm", section IV.
#pragma once

#include <abut/narrowphase/planar/planar_distance.h>

#include <array>
#include <cstddef>
#include <vector>

namespace abut::bench {

/// Where the two polygons of a pair stand.
enum class PlanarCase { distant, overlapping, touching };

inline constexpr std::array<int, 6> kPlanarCorners = {4, 8, 12, 16, 20, 24};
inline constexpr std::size_t kPlanarPairs = 1000;

struct PlanarPair {
  planar::Shape a;
  planar::Pose world_from_a;
  planar::Shape b;
  planar::Pose world_from_b;
  double distance = 0.0;  ///< Signed, metres.
};

/// Polygons of radius 0.3 to 1 m on ellipses, anywhere in 10 m x 10 m: apart by at least 0.1 m; overlapping by at least
/// 0.02 m; or moved together along their normal until they touch, to rounding. The same every time.
[[nodiscard]] std::vector<PlanarPair> planar_pairs(int corners, PlanarCase which);

}  // namespace abut::bench

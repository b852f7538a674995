// Posed pairs of shapes at chosen signed distances: the inputs of the narrow-phase benchmarks and of the comparisons
// with other libraries. The same name and gap give the same pairs in every program.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace abut::bench {

/// Signed distances at which pairs are placed, metres; negative: that deep in each other.
inline constexpr std::array<double, 5> kGaps = {-0.01, 0.001, 0.01, 0.1, 1.0};
/// Pairs a set and gap.
inline constexpr std::size_t kPairsPerGap = 512;

/// Two of a set's shapes where a benchmark meets them.
struct PosedPair {
  std::uint32_t a = 0;  ///< Index into PairSet::shapes.
  std::uint32_t b = 0;
  Pose world_from_a;
  Pose world_from_b;
  Pose world_from_b_before;  ///< A little earlier: 1 mm and 0.01 rad away, in random directions.
  double distance = 0.0;     ///< Signed, at the poses; metres.
};

/// Which gaps a query is asked at.
enum class Gaps : std::uint8_t {
  all,
  apart,        ///< The positive ones.
  overlapping,  ///< The negative one.
};

struct PairSet {
  std::vector<Shape> shapes;
  std::array<std::vector<PosedPair>, kGaps.size()> pairs;  ///< By gap; neighbours have nothing in common.

  /// The pairs of these gaps in one random order, which a branch predictor cannot learn.
  [[nodiscard]] std::vector<PosedPair> shuffled(Gaps gaps) const;
};

/// Names of the sets of convex pairs: closed forms and primitives, hulls, smooth bodies. "hull_ycb" is among them where
/// the environment variable ABUT_YCB_DIR names a folder of OBJ files and abut's mesh reader is built.
[[nodiscard]] std::vector<std::string> convex_set_names();
/// Names of the sets with padded polygons.
[[nodiscard]] std::vector<std::string> polygon_set_names();
/// Names of the sets of a triangle mesh against a convex shape.
[[nodiscard]] std::vector<std::string> mesh_set_names();

/// The set of that name, made at its first use and kept. For a mesh the distances are within a tenth of the gap; for
/// convex pairs within a nanometre. @throws InvalidInput  for an unknown name. @note Not thread-safe.
[[nodiscard]] const PairSet& pair_set(const std::string& name);

}  // namespace abut::bench

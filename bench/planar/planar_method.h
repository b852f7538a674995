// What bench_planar measures: a way to answer planar pairs, whoever's.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "planar_pairs.h"

namespace abut::bench {

/// Holds the pairs in its own form; what a caller would do once per shape is done in the constructor, what it would do
/// for every query in the query.
class PlanarMethod {
 public:
  virtual ~PlanarMethod() = default;
  [[nodiscard]] virtual bool collides(std::size_t pair) = 0;
  /// Metres, 0 or less where the shapes overlap.
  [[nodiscard]] virtual double distance(std::size_t pair) = 0;
};

/// Separating axes, all corners against all sides, until one separates; there is no distance.
[[nodiscard]] std::unique_ptr<PlanarMethod> separating_axes(std::span<const PlanarPair> pairs);
/// abut in space: prisms over the polygons.
[[nodiscard]] std::unique_ptr<PlanarMethod> prisms_in_space(std::span<const PlanarPair> pairs);
#ifdef ABUT_BENCH_WITH_BOX2D
/// The installed Box2D; it answers both questions by its distance, in single precision.
[[nodiscard]] std::unique_ptr<PlanarMethod> box2d(std::span<const PlanarPair> pairs);
#endif

}  // namespace abut::bench

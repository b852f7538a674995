// Many planar questions in one call: one shape at many poses against another, and many pairs.
//
// Spans in, spans out; answer i belongs to question i alone, is that of the single call bit by bit, and does not depend
// on how a batch is cut. So there are no threads here: a caller that has some gives each a part of the spans. For many
// poses among many obstacles see ObstacleIndex.
#pragma once

#include <abut/narrowphase/planar/planar_distance.h>
#include <abut/narrowphase/planar/planar_shape.h>

#include <cstdint>
#include <span>

namespace abut::planar {

/// Two shapes at their places. Refers to shapes that outlive it.
struct PlacedPair {
  const Shape* a = nullptr;
  Pose world_from_a;
  const Shape* b = nullptr;
  Pose world_from_b;
};

// Each throws InvalidInput naming the span of answers, or `caches`, where it has not as many elements as there are
// questions; and allocates nothing.

/// Whether the distance is <= security_margin, for a at each of its poses. @param answers  0 or 1.
/// @param security_margin  Metres, finite and >= 0. @throws InvalidInput  naming "security_margin".
void collides(const Shape& a, std::span<const Pose> world_from_a, const Shape& b, const Pose& world_from_b,
              std::span<std::uint8_t> answers, double security_margin = 0.0);
/// distance() for a at each of its poses, metres.
void distances(const Shape& a, std::span<const Pose> world_from_a, const Shape& b, const Pose& world_from_b,
               std::span<double> answers);

/// The same of pairs. @param caches  One a pair, or none. With them the distances are those with the pair's cache.
void collides(std::span<const PlacedPair> pairs, std::span<std::uint8_t> answers, double security_margin = 0.0,
              std::span<PairCache> caches = {});
void distances(std::span<const PlacedPair> pairs, std::span<double> answers, std::span<PairCache> caches = {});

}  // namespace abut::planar

// The same pairs of shapes twice: as they are, and in a world scaled by some number.
#pragma once

#include <fuzz/pair_sample.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <array>
#include <cstdint>

namespace abut::fuzz {

/// The pose in a world whose unit of length is `scale` of the other's.
[[nodiscard]] inline Pose to_scale(const Pose& pose, double scale) {
  return Pose::unchecked(scale * pose.translation(), pose.rotation());
}

/// Calls check(original, scaled) for eight placements each of `seeds` pairs of samples; stops at a fatal failure.
/// @param scale  Of the unit of length of the second.
template <class Check>
void for_scaled_samples(double scale, std::uint64_t seeds, Check&& check) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::array<std::uint8_t, 512> bytes;
    samples::Random random(seed);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    ByteSource source(bytes);
    ByteSource scaled_source(bytes);
    PairSampler sampler(source);
    PairSampler scaled_sampler(scaled_source, scale);
    for (int i = 0; i < 8; ++i) {
      SCOPED_TRACE(testing::Message() << "scale " << scale << ", seed " << seed << ", placement " << i);
      const PairSample sample = sampler.next();
      PairSample scaled = scaled_sampler.next();
      // Placed by answers, whose normals are only so exact: the same poses for both.
      scaled.world_from_a = to_scale(sample.world_from_a, scale);
      scaled.world_from_b = to_scale(sample.world_from_b, scale);
      check(sample, scaled);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace abut::fuzz

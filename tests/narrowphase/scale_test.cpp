// The unit of length means nothing: a world scaled by a power of two gives the same bits, scaled, and a world scaled by
// anything the same answers to rounding. Shapes of every kind, in every placement of the random samples.
#include <fuzz/scaled_samples.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace abut {
namespace {

using fuzz::for_scaled_samples;
using fuzz::PairSample;

Separation solve(const PairSample& sample) {
  DistanceOptions options = sample.options;
  options.warm_start = WarmStart::obb;  // (1, 0, 0) has a length in metres, with which momentum goes on
  return distance(sample.a, sample.world_from_a, sample.b, sample.world_from_b, options);
}

TEST(Scale, APowerOfTwoChangesNoBit) {
  int overlapping = 0;
  int apart = 0;
  for (const double scale : {0x1p-20, 0x1p-3, 0x1p7, 0x1p30}) {
    for_scaled_samples(scale, 400, [&](const PairSample& sample, const PairSample& scaled) {
      // Centres in one place leave no direction to start from but (1, 0, 0), which has a length.
      if (sample.placement == fuzz::Placement::same) return;
      const Separation s = solve(sample);
      const Separation other = solve(scaled);
      SCOPED_TRACE(std::string(sample.a.type_name()) + " and " + std::string(sample.b.type_name()));
      ASSERT_EQ(other.distance, scale * s.distance);
      ASSERT_EQ(other.distance_error, scale * s.distance_error);
      ASSERT_EQ(other.normal, s.normal);
      ASSERT_EQ(other.point_a, scale * s.point_a);
      ASSERT_EQ(other.point_b, scale * s.point_b);
      ASSERT_EQ(other.status, s.status);
      ASSERT_EQ(other.iterations, s.iterations);
      const double margin = 0.01 * sample.size;
      ASSERT_EQ(collides(sample.a, sample.world_from_a, sample.b, sample.world_from_b, margin),
                collides(scaled.a, scaled.world_from_a, scaled.b, scaled.world_from_b, scale * margin));
      (s.distance < 0.0 ? overlapping : apart) += 1;
    });
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_GT(apart, 2000);
}

TEST(Scale, AnyOtherChangesRoundingOnly) {
  for (const double scale : {1e-3, 1e3}) {
    for_scaled_samples(scale, 400, [&](const PairSample& sample, const PairSample& scaled) {
      const Separation s = solve(sample);
      const Separation other = solve(scaled);
      if (s.status == SolveStatus::beyond_limit || other.status == SolveStatus::beyond_limit) return;
      const double coordinates =
          sample.coordinates + (sample.world_from_b.translation() - sample.world_from_a.translation()).norm();
      // Poses are rounded where they stand, and thin differences are right to 1e-9 of their length.
      const double world = sample.world_from_a.translation().norm() + sample.world_from_b.translation().norm();
      const double rounding = 4e-16 * world + (sample.is_sliver ? 1e-9 : 1e-11) * coordinates;
      ASSERT_NEAR(other.distance / scale, s.distance, s.distance_error + other.distance_error / scale + rounding)
          << sample.a.type_name() << " and " << sample.b.type_name();
    });
  }
}

}  // namespace
}  // namespace abut

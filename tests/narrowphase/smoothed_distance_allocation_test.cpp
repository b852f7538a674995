// A smoothed distance does not allocate, whatever the pair. Every call of operator new
// is counted.
#include <abut/narrowphase/smoothed_distance.h>
#include <gtest/gtest.h>
#include <support/count_allocations.h>
#include <support/random_shapes.h>

#include <cmath>
#include <vector>

namespace abut {
namespace {

TEST(SmoothedDistanceAllocation, DoesNotHappenForAnyConvexPair) {
  constexpr std::uint32_t kConvexKinds = 12;  // the first of ShapeKind
  for (std::uint32_t kind_a = 0; kind_a < kConvexKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < kConvexKinds; ++kind_b) {
      SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b);
      samples::Random random(kConvexKinds * kind_a + kind_b);
      const Shape a = samples::random_shape(static_cast<samples::ShapeKind>(kind_a), 1.0, random);
      const Shape b = samples::random_shape(static_cast<samples::ShapeKind>(kind_b), 1.0, random);
      for (const double apart : {0.0, 0.3, 1.0, 4.0}) {
        const Pose pose_b(apart * random.direction(), random.rotation());
        const std::size_t before = samples::allocation_count();
        const SmoothedDistance s = smoothed_distance(a, Pose(), b, pose_b, 0.1);
        EXPECT_EQ(samples::allocation_count() - before, 0U);
        EXPECT_TRUE(std::isfinite(s.distance));
      }
    }
  }
}

}  // namespace
}  // namespace abut

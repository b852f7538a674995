// Derivatives do not allocate, whatever the pair. Every call of operator new is counted.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/count_allocations.h>
#include <support/random_shapes.h>

#include <vector>

namespace abut {
namespace {

TEST(Allocation, IsCountedInThisProgram) {
  const std::size_t before = samples::allocation_count();
  const std::vector<int> values(100);
  EXPECT_EQ(samples::allocation_count() - before, 1U);
  EXPECT_EQ(values.size(), 100U);
}

TEST(DerivativesAllocation, DoesNotHappen) {
  samples::Random random(1);
  for (std::uint32_t kind_a = 0; kind_a < samples::kShapeKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < samples::kShapeKinds; ++kind_b) {
      SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b);
      const Shape a = random_shape(static_cast<samples::ShapeKind>(kind_a), 1.0, random);
      const Shape b = random_shape(static_cast<samples::ShapeKind>(kind_b), 1.0, random);
      for (const double apart : {0.3, 4.0}) {
        const Pose pose_b(apart * random.direction(), random.rotation());
        const Separation s = distance(a, Pose(), b, pose_b);
        const std::size_t before = samples::allocation_count();
        const SeparationDerivatives found = derivatives(a, Pose(), b, pose_b, s);
        const Separation exact = refined(a, Pose(), b, pose_b, s);
        EXPECT_EQ(samples::allocation_count() - before, 0U);
        EXPECT_TRUE(found.by_a.normal.allFinite() && exact.normal.allFinite());
      }
    }
  }
}

}  // namespace
}  // namespace abut

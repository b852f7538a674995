// Proximity and its derivatives do not allocate. Every call of operator new is counted.
#include <abut/narrowphase/proximity.h>
#include <gtest/gtest.h>
#include <narrowphase/pill_samples.h>
#include <support/count_allocations.h>

#include <cmath>
#include <vector>

namespace abut {
namespace {

TEST(ProximityAllocation, DoesNotHappen) {
  for (const auto& [kind_a, kind_b] : samples::kPillKinds) {
    samples::Random random(1);
    for (int i = 0; i < 200; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 1 number " << i);
      const samples::PillPair pair = i % 2 == 0 ? samples::random_pair(kind_a, kind_b, 1.0, random)
                                                : samples::nearly_parallel_pair(kind_a, kind_b, 1.0, 1e-9, random);
      const std::size_t before = samples::allocation_count();
      const Proximity p = proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b, QpMethod::interior_point);
      const Proximity q = proximity(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
      const ProximityDerivatives d = derivatives(pair.a, pair.world_from_a, pair.b, pair.world_from_b, q);
      EXPECT_EQ(samples::allocation_count() - before, 0U);
      EXPECT_TRUE(std::isfinite(p.distance + d.by_a.phi.sum()));
    }
  }
}

}  // namespace
}  // namespace abut

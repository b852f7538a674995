// Branch and bound over the sphere, on functions whose maxima are known.
#include <abut/fitting/detail/sphere_maximum.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

using detail::sphere_maximum;
using detail::SphereCell;
using detail::SphereMaximum;

constexpr double kGap = 1e-2;

// The height over a plane with a bump of the given radius: Lipschitz with a known constant.
struct Bump {
  Vector3d axis;
  double lipschitz = 3.0;
  double operator()(const Vector3d& x) const { return 0.2 * x.z() + std::max(0.0, 0.1 - 2.0 * (x - axis).norm()); }
};

SphereMaximum maximum_of(const Bump& bump, int max_splits) {
  return sphere_maximum(
      [](const Vector3d& x) { return x; }, [&](const Vector3d& x) { return bump(x); },
      [&](const SphereCell<Vector3d>& cell) {
        const auto& c = cell.corners;
        const double reach = std::max({(c[0] - c[1]).norm(), (c[1] - c[2]).norm(), (c[2] - c[0]).norm()});
        return bump(c[0]) + bump.lipschitz * reach;
      },
      -std::numeric_limits<double>::infinity(), [](double) { return kGap; }, max_splits);
}

TEST(SphereMaximum, BracketsTheMaximumWithinTheGap) {
  samples::Random random(3);
  for (int trial = 0; trial < 8; ++trial) {
    const Bump bump{random.direction()};
    double largest = std::max(0.2, bump(bump.axis));
    const SphereMaximum maximum = maximum_of(bump, 1'000'000);
    EXPECT_GE(maximum.bound, largest) << bump.axis.transpose();
    EXPECT_LE(maximum.bound - maximum.found, kGap) << bump.axis.transpose();
    for (int i = 0; i < 2000; ++i) largest = std::max(largest, bump(random.direction()));
    EXPECT_GE(maximum.bound, largest) << bump.axis.transpose();
  }
}

TEST(SphereMaximum, TheBoundHoldsAlsoWhenItsWorkIsCutShort) {
  const Bump bump{Vector3d(0.3, 0.2, 0.9).normalized()};
  for (const int splits : {0, 1, 10, 100}) {
    const SphereMaximum maximum = maximum_of(bump, splits);
    EXPECT_GE(maximum.bound, bump(bump.axis)) << splits;
    EXPECT_GT(maximum.bound - maximum.found, kGap) << splits;
  }
}

}  // namespace
}  // namespace abut

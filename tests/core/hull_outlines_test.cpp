// Outlines of a hull's faces: thinned rings, and faces with a slight bend.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/thinned_ring.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace abut {
namespace {

TEST(ThinnedRing, KeepsSharpCornersAndDropsWhatLiesOnALine) {
  std::vector<Vector3d> ring;
  for (int i = 0; i < 50; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / 49;
    ring.emplace_back(0.9 + 0.1 * std::cos(angle), 0.9 + 0.1 * std::sin(angle), 0.0);
  }
  for (const Vector3d& corner : {Vector3d(-1, 1, 0), Vector3d(-1, 0, 0), Vector3d(-1, -1, 0), Vector3d(1, -1, 0)}) {
    ring.push_back(corner);
  }
  const std::vector<std::uint32_t> kept = detail::thinned_ring(ring, 8);
  ASSERT_EQ(kept.size(), 8u);
  EXPECT_EQ(std::vector<std::uint32_t>(kept.end() - 3, kept.end()), (std::vector<std::uint32_t>{50, 52, 53}));
  EXPECT_EQ(detail::thinned_ring(ring, 100).size(), ring.size());
  EXPECT_EQ(detail::thinned_ring(ring, 100, 1e-12).size(), ring.size() - 1);
}

// A box of 2 x 2 x 0.2 m with one corner raised.
ConvexHull bent_box(double raised) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i) points.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 0.1 : -0.1);
  points[0].z() -= raised;
  return ConvexHull::from_points(points);
}

TEST(HullOutlines, AFaceWithASlightBendHasTheOutlineOfBothItsTriangles) {
  EXPECT_TRUE(bent_box(0.0).outlines().all().empty());
  EXPECT_TRUE(bent_box(0.1).outlines().all().empty());
  for (const double raised : {1e-5, 1e-4, 1e-3}) {
    const ConvexHull hull = bent_box(raised);
    const detail::HullOutlines& outlines = hull.outlines();
    ASSERT_EQ(outlines.all().size(), 1u) << raised;
    const detail::HullOutlines::Outline& outline = outlines.all()[0];
    EXPECT_TRUE(outline.is_bent);
    EXPECT_EQ(outline.corner_count, 4u);
    EXPECT_LT(outline.normal.z(), -0.99);
    for (std::uint32_t face = 0; face < hull.faces().size(); ++face) {
      EXPECT_EQ(outlines.of(face), hull.faces().normal(face).z() < -0.99 ? &outline : nullptr);
      EXPECT_EQ(outlines.alone(face), nullptr);
    }
  }
}

}  // namespace
}  // namespace abut

// Outlines of a hull's faces: thinned rings, and faces with a slight bend.
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_exit.h>
#include <abut/core/thinned_ring.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
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

// A slab of 2 x 2 x 0.2 m with a slightly uneven top.
ConvexHull uneven_slab(std::mt19937& random, int points, double unevenness) {
  std::uniform_real_distribution<double> place(-1.0, 1.0);
  std::uniform_real_distribution<double> raised(0.0, unevenness);
  std::vector<Vector3d> vertices;
  for (int i = 0; i < 8; ++i) {
    vertices.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 0.1 + raised(random) : -0.1);
  }
  for (int i = 0; i < points; ++i) {
    const double x = place(random);
    const double y = place(random);
    vertices.emplace_back(x, y, 0.1 + raised(random));
  }
  return ConvexHull::from_points(vertices);
}

// Both ways of finding where a line leaves a hull: the planes that an outline keeps, and a climb over all faces.
TEST(HullOutlines, TheSurfaceOverABentOutlineIsTheLowestOfItsPlanes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> weight(0.05, 1.0);
  std::uniform_real_distribution<double> tilt(-0.1, 0.1);
  int outlines_with_planes = 0;
  int outlines_with_more_planes = 0;  // than of the faces that it joins
  int outlines_without = 0;
  for (int round = 0; round < 400; ++round) {
    const ConvexHull hull = uneven_slab(random, round % 8 == 0 ? 40 : round % 8, round % 2 == 0 ? 3e-4 : 2e-3);
    const detail::HullOutlines& outlines = hull.outlines();
    for (const detail::HullOutlines::Outline& outline : outlines.all()) {
      ASSERT_TRUE(outline.is_bent);
      std::size_t joined = 0;
      for (std::uint32_t face = 0; face < hull.faces().size(); ++face) joined += outlines.of(face) == &outline ? 1 : 0;
      const std::span<const detail::ExitPlane> planes = outlines.planes(outline);
      if (planes.empty()) {
        EXPECT_GT(joined, 8u);
        ++outlines_without;
        continue;
      }
      ++outlines_with_planes;
      ASSERT_GE(planes.size(), joined);
      if (planes.size() > joined) ++outlines_with_more_planes;
      for (int i = 0; i < 50; ++i) {
        Vector3d point = Vector3d::Zero();
        double sum = 0.0;
        for (std::uint32_t corner = 0; corner < outline.corner_count; ++corner) {
          const double share = std::pow(weight(random), 8);
          point += share * hull.vertices()[outline.vertices[corner]];
          sum += share;
        }
        point /= sum;
        const double tilt_x = tilt(random);
        const double tilt_y = tilt(random);
        const Vector3d up = (outline.normal + Vector3d(tilt_x, tilt_y, 0.0)).normalized();
        const double margin = i % 2 == 0 ? 0.0 : 0.01;
        const double climbed = detail::hull_exit(hull.faces(), hull.vertices(), outline.face, point, up, margin);
        // A face's corners lie in its plane as far as it is flat. And moved out, a face beside the outline that is
        // turned more to `up` may come to be lower near its side: by the margin's part that the tilt makes.
        const double flatness = 2.0 * detail::HullFaces::kFlatness * hull.aabb().half_extents().norm() * 2.0;
        EXPECT_NEAR(detail::plane_exit(planes, point, up, margin), climbed, flatness + 0.011 * margin);
      }
    }
  }
  EXPECT_GT(outlines_with_planes, 100);
  EXPECT_GT(outlines_with_more_planes, 10);
  EXPECT_GT(outlines_without, 10);
}

}  // namespace
}  // namespace abut

// Faces of convex hulls: triangles of one plane are one polygon.
#include <abut/core/shapes/convex_hull.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <numbers>
#include <set>
#include <vector>

namespace abut {
namespace {

// Every face is a convex polygon in its plane with the hull below it, and every vertex knows its faces.
void expect_valid_faces(const ConvexHull& hull, double tolerance) {
  const detail::HullFaces& faces = hull.faces();
  const std::span<const Vector3d> vertices = hull.vertices();
  std::uint32_t sides = 0;
  for (std::uint32_t face = 0; face < faces.size(); ++face) {
    const std::span<const std::uint32_t> ring = faces.corners(face);
    const Vector3d& normal = faces.normal(face);
    ASSERT_GE(ring.size(), 3u);
    EXPECT_EQ(faces.first_side(face), sides);
    sides += static_cast<std::uint32_t>(ring.size());
    EXPECT_NEAR(normal.norm(), 1.0, 1e-12);
    const double height = normal.dot(vertices[ring[0]]);
    for (const Vector3d& vertex : vertices) EXPECT_LE(normal.dot(vertex), height + tolerance);
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Vector3d& p = vertices[ring[i]];
      const Vector3d& q = vertices[ring[(i + 1) % ring.size()]];
      const Vector3d& r = vertices[ring[(i + 2) % ring.size()]];
      EXPECT_NEAR(normal.dot(p), height, tolerance);
      EXPECT_GT(normal.dot((q - p).cross(r - q)), 0.0) << "face " << face << ", corner " << i;
      const std::span<const std::uint32_t> at_corner = faces.faces_at(ring[i]);
      EXPECT_EQ(std::count(at_corner.begin(), at_corner.end(), face), 1);
    }
  }
}

TEST(HullFaces, ABoxHasSixQuadrilaterals) {
  std::vector<Vector3d> points;
  const Quaterniond rotation(0.3, 0.4, -0.5, 0.6);
  for (int i = 0; i < 8; ++i) {
    points.push_back(rotation.normalized() * Vector3d(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3));
  }
  const ConvexHull hull = ConvexHull::from_points(points);
  ASSERT_EQ(hull.faces().size(), 6u);
  for (std::uint32_t face = 0; face < 6; ++face) EXPECT_EQ(hull.faces().corners(face).size(), 4u);
  for (std::uint32_t vertex = 0; vertex < 8; ++vertex) EXPECT_EQ(hull.faces().faces_at(vertex).size(), 3u);
  expect_valid_faces(hull, 1e-9);
}

TEST(HullFaces, APrismHasItsEndsAndSides) {
  for (const int corners : {3, 5, 12, 100}) {
    std::vector<Vector3d> points;
    for (int i = 0; i < corners; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / corners;
      for (const double z : {-0.1, 0.1}) points.emplace_back(std::cos(angle), std::sin(angle), z);
    }
    const ConvexHull hull = ConvexHull::from_points(points);
    EXPECT_EQ(hull.faces().size(), static_cast<std::size_t>(corners + 2));
    std::multiset<std::size_t> sizes;
    for (std::uint32_t face = 0; face < hull.faces().size(); ++face) sizes.insert(hull.faces().corners(face).size());
    EXPECT_GE(sizes.count(static_cast<std::size_t>(corners)), 2u);
    expect_valid_faces(hull, 1e-6);
  }
}

TEST(HullFaces, RandomHullsHaveNearlyOneFaceATriangle) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    samples::Random random(seed);
    std::vector<Vector3d> points;
    for (int i = 0; i < 200; ++i) points.push_back(random.direction());
    const ConvexHull hull = ConvexHull::from_points(points);
    // Some four points lie in one plane by chance, within a millionth of the diameter.
    EXPECT_LE(hull.faces().size(), hull.triangles().size());
    EXPECT_GE(hull.faces().size() + 3, hull.triangles().size());
    expect_valid_faces(hull, 4.0 * detail::HullFaces::kFlatness);
  }
}

TEST(HullFaces, RoundedCoordinatesStillMakeOneFace) {
  // Six digits, as mesh files have them.
  samples::Random random(4);
  std::vector<Vector3d> points;
  const Quaterniond rotation = random.rotation();
  for (int i = 0; i < 8; ++i) {
    const Vector3d corner = rotation * Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    points.push_back((corner * 1e6).array().round() / 1e6);
  }
  EXPECT_EQ(ConvexHull::from_points(points).faces().size(), 6u);
}

TEST(HullFaces, AFlatHullHasTwoAndASegmentNone) {
  const ConvexHull flat =
      ConvexHull::from_points(std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 1.5, 0}});
  ASSERT_EQ(flat.faces().size(), 2u);
  EXPECT_NEAR(flat.faces().normal(0).dot(flat.faces().normal(1)), -1.0, 1e-12);
  EXPECT_EQ(flat.faces().corners(0).size(), 5u);
  EXPECT_EQ(flat.faces().faces_at(2).size(), 2u);
  expect_valid_faces(flat, 1e-9);
  const ConvexHull segment = ConvexHull::from_points(std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(segment.faces().size(), 0u);
  EXPECT_TRUE(segment.faces().faces_at(0).empty());
}

}  // namespace
}  // namespace abut

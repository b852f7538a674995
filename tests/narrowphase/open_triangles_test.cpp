// Triangles near a point, against a look at all of them.
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/narrowphase/manifold/open_triangles.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <support/random_meshes.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {
namespace {

// The order before it is arranged: that of the triangles, or its reverse.
std::vector<OpenTriangle> arranged(const TriangleMesh& mesh, bool is_reversed) {
  std::vector<OpenTriangle> triangles;
  for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) triangles.emplace_back(mesh, i);
  if (is_reversed) std::reverse(triangles.begin(), triangles.end());
  arrange(triangles);
  return triangles;
}

std::vector<std::uint32_t> near(const std::vector<OpenTriangle>& triangles, const Vector3d& point, double gap) {
  std::vector<std::uint32_t> items;
  const bool is_stopped = visit_near(std::span(triangles), point, gap, [&](std::uint32_t item) {
    items.push_back(item);
    return false;
  });
  EXPECT_FALSE(is_stopped);
  return items;
}

TEST(OpenTriangles, ThoseNearAPointAreFoundOnceEach) {
  samples::Random random(61);
  for (const int count : {1, 2, 3, 7, 40, 500}) {
    const TriangleMesh mesh = samples::triangle_soup(count, 1.0, random);
    const std::vector<OpenTriangle> triangles = arranged(mesh, false);
    for (int i = 0; i < (samples::kIsInstrumented ? 20 : 200); ++i) {
      const Vector3d point = random.vector(-1.2, 1.2);
      const double gap = random.uniform(0.0, 0.3);
      std::vector<std::uint32_t> expected;
      for (std::uint32_t item = 0; item < mesh.triangles().size(); ++item) {
        const std::array<Vector3d, 3> corners = mesh.corners(item);
        const Vector3d low = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
        const Vector3d high = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
        const Vector3d beyond = (low - point).cwiseMax(point - high);
        if (beyond.maxCoeff() <= gap) expected.push_back(item);
      }
      std::vector<std::uint32_t> found = near(triangles, point, gap);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << "of " << count;
    }
  }
  EXPECT_TRUE(near({}, Vector3d::Zero(), 1.0).empty());
}

TEST(OpenTriangles, TheirOrderDoesNotDependOnTheOneTheyComeIn) {
  samples::Random random(62);
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> indices;
  for (std::uint32_t i = 0; i < 60; ++i) {  // every triangle three times in a row
    if (i % 3 == 0) {
      for (int k = 0; k < 3; ++k) vertices.push_back(random.vector(-1.0, 1.0));
    }
    const std::uint32_t first = i / 3 * 3;
    indices.push_back({first, first + 1, first + 2});
  }
  const TriangleMesh mesh(vertices, indices);
  EXPECT_EQ(near(arranged(mesh, false), Vector3d::Zero(), 2.0), near(arranged(mesh, true), Vector3d::Zero(), 2.0));
}

TEST(OpenTriangles, AVisitThatIsDoneEndsTheSearch) {
  samples::Random random(63);
  const TriangleMesh mesh = samples::triangle_soup(50, 1.0, random);
  int visits = 0;
  EXPECT_TRUE(visit_near(std::span<const OpenTriangle>(arranged(mesh, false)), Vector3d::Zero(), 9.0,
                         [&](std::uint32_t) { return ++visits == 5; }));
  EXPECT_EQ(visits, 5);
}

}  // namespace
}  // namespace abut::detail

// TriangleMesh: its leaves, boxes and checks.
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::error_text;

TEST(TriangleMesh, LeavesAreItsTriangles) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {9, 9, 9}};
  const std::vector<TriangleMesh::Indices> triangles = {{0, 1, 2}, {0, 1, 3}, {3, 3, 3}};
  const TriangleMesh mesh(vertices, triangles);
  EXPECT_EQ(mesh.corners(1)[2], Vector3d(0, 0, 1));
  ASSERT_EQ(mesh.tree().items().size(), 3u);  // the degenerate one is kept
  std::vector<std::uint32_t> items;
  for (const std::uint32_t item : mesh.tree().items()) items.push_back(item & ~BoxTree::kLast);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(TriangleMesh, BoxesLeaveOutVerticesThatNoTriangleNames) {
  const TriangleMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}}, {{0, 1, 2}});
  EXPECT_EQ(mesh.aabb().lower, Vector3d::Zero());
  EXPECT_EQ(mesh.aabb().upper, Vector3d(1, 1, 0));
  EXPECT_LT(mesh.obb().half_extents.maxCoeff(), 1.0);
}

TEST(TriangleMesh, RefusesBadVerticesAndIndices) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { TriangleMesh(vertices, {}); }), "triangles: must have at least one triangle");
  EXPECT_EQ(error_text([&] {
              TriangleMesh(vertices, {{0, 1, 2}, {0, 3, 1}});
            }),
            "triangles[1][1]: must be the index of a vertex, below 3, got 3");
  EXPECT_EQ(error_text([&] {
              TriangleMesh({{0, 0, 0}, {1, nan, 0}, {0, 1, 0}}, {{0, 1, 2}});
            }),
            "vertices[1][1]: must be finite, got nan");
}

}  // namespace
}  // namespace abut

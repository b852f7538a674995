// TriangleMesh: its leaves, boxes and checks.
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
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

TEST(TriangleMesh, TurnsTheBoxesOfItsTreeWhereThatMakesThemSmaller) {
  // A level strip of ground, and the same on a slope: with boxes along the body's axes each is as high as it rises.
  constexpr std::uint32_t kCells = 40;
  std::vector<Vector3d> level;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t k = 0; k <= kCells; ++k) level.emplace_back(0.1 * i, 0.1 * k, 0.0);
  }
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t k = 0; k < kCells; ++k) {
      const std::uint32_t corner = i * (kCells + 1) + k;
      triangles.push_back({corner, corner + kCells + 1, corner + 1});
      triangles.push_back({corner + 1, corner + kCells + 1, corner + kCells + 2});
    }
  }
  std::vector<Vector3d> sloping = level;
  const Eigen::AngleAxisd slope(0.7, Vector3d(1.0, 1.0, 0.0).normalized());
  for (Vector3d& vertex : sloping) vertex = slope * vertex;
  EXPECT_FALSE(TriangleMesh(level, triangles).tree().is_oriented());
  EXPECT_TRUE(TriangleMesh(sloping, triangles).tree().is_oriented());
  EXPECT_TRUE(TriangleMesh(sloping, triangles, TreeKind::obb).tree().is_oriented());
  EXPECT_FALSE(TriangleMesh(sloping, triangles, TreeKind::aabb).tree().is_oriented());
  // What is asked for counts for other vertices too.
  EXPECT_TRUE(TriangleMesh(level, triangles).with_vertices(sloping).tree().is_oriented());
  EXPECT_FALSE(TriangleMesh(level, triangles, TreeKind::aabb).with_vertices(sloping).tree().is_oriented());
  EXPECT_FALSE(TriangleMesh(sloping, triangles).with_vertices(level).tree().is_oriented());
}

TEST(TriangleMesh, BoxesLeaveOutVerticesThatNoTriangleNames) {
  const TriangleMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}}, {{0, 1, 2}});
  EXPECT_EQ(mesh.aabb().lower, Vector3d::Zero());
  EXPECT_EQ(mesh.aabb().upper, Vector3d(1, 1, 0));
  EXPECT_LT(mesh.obb().half_extents.maxCoeff(), 1.0);
}

/// The tetrahedron between `corner` and one more along each axis, counterclockwise seen from outside.
void add_tetrahedron(const Vector3d& corner, std::vector<Vector3d>& vertices,
                     std::vector<TriangleMesh::Indices>& triangles) {
  const auto v = static_cast<std::uint32_t>(vertices.size());
  for (const Vector3d& to : {Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 2, 0), Vector3d(0, 0, 3)}) {
    vertices.push_back(corner + to);
  }
  triangles.insert(triangles.end(), {{v, v + 2, v + 1}, {v, v + 1, v + 3}, {v, v + 3, v + 2}, {v + 1, v + 2, v + 3}});
}

TEST(TriangleMesh, VolumeIsThatOfItsInsideAndNegativeWhereItIsTurnedInsideOutAndSoHasACentroid) {
  for (const double away : {0.0, 1e6}) {
    std::vector<Vector3d> vertices;
    std::vector<TriangleMesh::Indices> triangles;
    add_tetrahedron(Vector3d(away, -away, away), vertices, triangles);
    const TriangleMesh mesh(vertices, triangles);
    ASSERT_TRUE(mesh.is_closed());
    EXPECT_NEAR(mesh.volume(), 1.0, 1e-15 + 1e-15 * away);
    const Vector3d centroid = Vector3d(away, -away, away) + Vector3d(0.25, 0.5, 0.75);
    EXPECT_LT((mesh.centroid() - centroid).norm(), 1e-15 + 1e-15 * away);
    std::vector<Vector3d> larger = vertices;
    for (Vector3d& v : larger) v = 2.0 * (v - vertices[0]);
    EXPECT_NEAR(mesh.with_vertices(larger).volume(), 8.0, 1e-8);
    for (TriangleMesh::Indices& t : triangles) std::swap(t[1], t[2]);
    const TriangleMesh turned(vertices, triangles);
    EXPECT_NEAR(turned.volume(), -1.0, 1e-15 + 1e-15 * away);
    EXPECT_LT((turned.centroid() - centroid).norm(), 1e-15 + 1e-15 * away);
  }
}

TEST(TriangleMesh, WithoutVolumeTheCentroidIsFinite) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const TriangleMesh sheet(vertices, {{0, 1, 2}, {1, 3, 2}});
  EXPECT_EQ(sheet.volume(), 0.0);
  EXPECT_TRUE(sheet.centroid().allFinite());
}

TEST(TriangleMesh, IsClosedByVertexIndexAlsoWhereVerticesLieAtOnePlace) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  add_tetrahedron(Vector3d(0, 0, 0), vertices, triangles);
  add_tetrahedron(Vector3d(0, 0, 0), vertices, triangles);  // its edges have four triangles by place, two by index
  EXPECT_TRUE(TriangleMesh(vertices, triangles).is_closed());
  for (std::uint32_t& index : triangles[7]) index = index == 7 ? 3 : index;  // one corner is the other's now
  EXPECT_FALSE(TriangleMesh(vertices, triangles).is_closed());
  // The same triangles twice: every edge has its reverse, but not one only.
  triangles.resize(4);
  triangles.insert(triangles.end(), triangles.begin(), triangles.begin() + 4);
  EXPECT_FALSE(TriangleMesh(vertices, triangles).is_closed());
  triangles.resize(4);
  EXPECT_TRUE(TriangleMesh(vertices, triangles).is_closed());
  // A corner of its own for every triangle: closed to the eye, not by index.
  std::vector<Vector3d> apart;
  std::vector<TriangleMesh::Indices> soup;
  for (const TriangleMesh::Indices& t : triangles) {
    const auto first = static_cast<std::uint32_t>(apart.size());
    for (const std::uint32_t index : t) apart.push_back(vertices[index]);
    soup.push_back({first, first + 1, first + 2});
  }
  EXPECT_FALSE(TriangleMesh(apart, soup).is_closed());
}

TEST(TriangleMesh, OfOtherVerticesKnowsTheFirstOnesAndTheKindOfItsTree) {
  const TriangleMesh first = samples::l_mesh(0.5);
  EXPECT_EQ(first.first_vertices().data(), first.vertices().data());
  EXPECT_EQ(first.tree_kind(), TreeKind::automatic);
  const std::vector<Vector3d> as_first(first.vertices().begin(), first.vertices().end());
  std::vector<Vector3d> vertices = as_first;
  TriangleMesh mesh = first;
  for (int turn = 0; turn < 3; ++turn) {
    for (Vector3d& vertex : vertices) vertex.z() += 0.1 * vertex.x();
    mesh = mesh.with_vertices(vertices);
    EXPECT_TRUE(std::ranges::equal(mesh.vertices(), vertices));
    EXPECT_TRUE(std::ranges::equal(mesh.first_vertices(), as_first));
  }
  const std::span<const TriangleMesh::Indices> triangles = first.triangles();
  const TriangleMesh boxes(as_first, {triangles.begin(), triangles.end()}, TreeKind::aabb);
  EXPECT_EQ(boxes.with_vertices(vertices).tree_kind(), TreeKind::aabb);
  EXPECT_GT(mesh.memory(), first.memory());
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

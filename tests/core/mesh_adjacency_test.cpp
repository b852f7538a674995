// Neighbours of a mesh's triangles: across shared edges, by place, and none across open or crowded ones.
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/random_meshes.h>

#include <cmath>
#include <set>
#include <vector>

namespace abut {
namespace {

using Indices = TriangleMesh::Indices;

TEST(MeshAdjacency, EveryEdgeOfAClosedSurfaceLeadsThereAndBack) {
  samples::Random random(1);
  const TriangleMesh mesh = samples::bumpy_ball(12, 1.0, random);
  const MeshAdjacency& adjacency = mesh.adjacency();
  for (std::uint32_t t = 0; t < mesh.triangles().size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const MeshAdjacency::Link link = adjacency.link(t, k);
      ASSERT_TRUE(link.is_joined());
      const MeshAdjacency::Link back = adjacency.link(link.triangle(), link.edge());
      ASSERT_TRUE(back.is_joined());
      EXPECT_EQ(back.triangle(), t);
      EXPECT_EQ(back.edge(), k);
      const Indices& one = mesh.triangles()[t];
      const Indices& other = mesh.triangles()[link.triangle()];
      EXPECT_EQ((std::set<std::uint32_t>{one[k], one[(k + 1) % 3]}),
                (std::set<std::uint32_t>{other[link.edge()], other[(link.edge() + 1) % 3]}));
    }
  }
}

TEST(MeshAdjacency, OpenAndCrowdedEdgesAreNotJoined) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, -1, 0}};
  const std::vector<Indices> two = {{0, 1, 2}, {1, 0, 3}};
  const MeshAdjacency pair(vertices, two);
  EXPECT_TRUE(pair.link(0, 0).is_joined());
  EXPECT_FALSE(pair.link(0, 1).is_joined());
  EXPECT_FALSE(pair.link(0, 2).is_joined());
  const std::vector<Indices> three = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  EXPECT_FALSE(MeshAdjacency(vertices, three).link(0, 0).is_joined());
}

TEST(MeshAdjacency, ACopyOfATriangleIsNoNeighbourOfIt) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const auto are_joined = [&](const Indices& copy) {
    const MeshAdjacency adjacency(vertices, std::vector<Indices>{{0, 1, 2}, copy});
    return adjacency.is_joined_all_round(0) && adjacency.is_joined_all_round(1);
  };
  for (const Indices& copy : {Indices{0, 1, 2}, Indices{1, 2, 0}, Indices{3, 4, 5}, Indices{5, 3, 4}}) {
    EXPECT_FALSE(are_joined(copy));
  }
  // Its back is: the two bound a body without volume.
  EXPECT_TRUE(are_joined({0, 2, 1}));
  EXPECT_TRUE(are_joined({4, 3, 5}));
}

TEST(MeshAdjacency, CornersAtOnePlaceAreOne) {
  const std::vector<Vector3d> vertices = {{0.0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {-0.0, 0, 0}, {0, 0, 1}};
  const MeshAdjacency adjacency(vertices, std::vector<Indices>{{0, 1, 2}, {3, 4, 5}});
  ASSERT_TRUE(adjacency.link(0, 0).is_joined());
  EXPECT_EQ(adjacency.link(0, 0).triangle(), 1u);
  EXPECT_EQ(adjacency.link(0, 0).edge(), 0u);
}

TEST(MeshAdjacency, TrianglesWithoutAreaAreCoveredWhereOthersAre) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}, {1, 0, 0}};
  const MeshAdjacency adjacency(vertices, std::vector<Indices>{{0, 1, 2}, {0, 1, 4}, {2, 2, 2}, {3, 3, 0}, {3, 3, 3}});
  EXPECT_FALSE(adjacency.link(0, 0).is_covered());
  EXPECT_TRUE(adjacency.link(1, 0).is_covered());
  EXPECT_TRUE(adjacency.link(2, 1).is_covered());
  EXPECT_FALSE(adjacency.link(3, 0).is_covered());
  EXPECT_FALSE(adjacency.link(4, 0).is_covered());
}

TEST(MeshAdjacency, TakesAtMostTwelveBytesATriangleBesideTheFortyOfTheTree) {
  // Wavy ground, as terrains and scans are: bodies with needles at their poles have larger trees.
  constexpr std::uint32_t kCells = 150;
  std::vector<Vector3d> vertices;
  std::vector<Indices> triangles;
  const auto vertex = [](std::uint32_t i, std::uint32_t j) { return i * (kCells + 1) + j; };
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t j = 0; j <= kCells; ++j) vertices.emplace_back(j, i, std::sin(0.3 * j) * std::cos(0.2 * i));
  }
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t j = 0; j < kCells; ++j) {
      triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
      triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)});
    }
  }
  for (const TreeKind kind : {TreeKind::aabb, TreeKind::obb}) {
    const TriangleMesh mesh(vertices, triangles, kind);
    EXPECT_EQ(mesh.adjacency().memory(), 9 * triangles.size());
    EXPECT_LE(mesh.tree().memory(), 40 * triangles.size());
    EXPECT_LE(mesh.adjacency().memory(), 12 * triangles.size());
  }
}

TEST(MeshAdjacency, ASurfaceFirstFoldedUpOrDrawnTogetherIsJoinedByItsIndices) {
  constexpr std::uint32_t kCells = 6;
  std::vector<Vector3d> spread;
  std::vector<Vector3d> folded;
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t j = 0; j <= kCells; ++j) {
      spread.emplace_back(j, i, 0.0);
      folded.emplace_back(std::abs(j - 0.5 * kCells), i, 0.0);
    }
  }
  std::vector<Indices> triangles;
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t j = 0; j < kCells; ++j) {
      const std::uint32_t at = i * (kCells + 1) + j;
      triangles.push_back({at, at + 1, at + kCells + 2});
      triangles.push_back({at, at + kCells + 2, at + kCells + 1});
    }
  }
  const std::vector<Vector3d> together(spread.size(), Vector3d::Zero());
  const TriangleMesh fresh(spread, triangles);
  for (const std::vector<Vector3d>& first : {together, folded}) {
    const TriangleMesh mesh = TriangleMesh(first, triangles).with_vertices(spread);
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const MeshAdjacency::Link expected = fresh.adjacency().link(t, k);
        if (!expected.is_joined()) continue;  // the rims of what is folded lie on each other
        const MeshAdjacency::Link link = mesh.adjacency().link(t, k);
        ASSERT_TRUE(link.is_joined()) << t << " " << k;
        EXPECT_EQ(link.triangle(), expected.triangle());
        EXPECT_EQ(link.edge(), expected.edge());
      }
    }
  }
}

}  // namespace
}  // namespace abut

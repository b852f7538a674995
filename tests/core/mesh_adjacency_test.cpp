// Neighbours of a mesh's triangles: across shared edges, by place, and none across open or crowded ones.
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_meshes.h>

#include <array>
#include <cmath>
#include <set>
#include <utility>
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
  for (const Indices& copy : {Indices{0, 1, 2}, Indices{1, 2, 0}, Indices{3, 4, 5}, Indices{5, 3, 4},
                              // and neither is its back
                              Indices{0, 2, 1}, Indices{4, 3, 5}}) {
    const MeshAdjacency adjacency(vertices, std::vector<Indices>{{0, 1, 2}, copy});
    for (const std::uint32_t t : {0u, 1u}) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_FALSE(adjacency.link(t, k).is_joined());
    }
  }
}

// A square of two triangles, each with its back; fronts and backs have vertices in common, the triangles have not.
TEST(MeshAdjacency, TwoSidedTrianglesWithCornersOfTheirOwnAreJoined) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const MeshAdjacency adjacency(vertices, std::vector<Indices>{{0, 1, 2}, {0, 2, 1}, {3, 4, 5}, {3, 5, 4}});
  ASSERT_TRUE(adjacency.link(0, 1).is_joined());
  EXPECT_EQ(adjacency.link(0, 1).triangle(), 2u);
  ASSERT_TRUE(adjacency.link(1, 1).is_joined());
  EXPECT_EQ(adjacency.link(1, 1).triangle(), 3u);
  int joined = 0;
  for (std::uint32_t t = 0; t < 4; ++t) {
    for (std::size_t k = 0; k < 3; ++k) joined += adjacency.link(t, k).is_joined() ? 1 : 0;
  }
  EXPECT_EQ(joined, 4);
}

// Every triangle of a closed surface and what is added to each: its copy, its back, or a copy of one in three.
std::vector<Indices> with_copies(const TriangleMesh& mesh, std::size_t step, bool are_backs) {
  std::vector<Indices> triangles(mesh.triangles().begin(), mesh.triangles().end());
  for (std::size_t t = 0; t < mesh.triangles().size(); t += step) {
    const Indices& one = mesh.triangles()[t];
    triangles.push_back(are_backs ? Indices{one[2], one[1], one[0]} : Indices{one[1], one[2], one[0]});
  }
  return triangles;
}

TEST(MeshAdjacency, SurfacesWithTwoSidesOrCopiesAreJoinedAsThoseWithout) {
  samples::Random random(2);
  const TriangleMesh mesh = samples::bumpy_ball(6, 1.0, random);
  const std::vector<Vector3d> shared(mesh.vertices().begin(), mesh.vertices().end());
  const auto count = static_cast<std::uint32_t>(mesh.triangles().size());
  const auto places_of = [&](const TriangleMesh& of, std::uint32_t t, std::size_t k) {
    const auto corners = of.corners(t);
    const auto key = [](const Vector3d& v) { return std::array<double, 3>{v.x(), v.y(), v.z()}; };
    return std::pair(key(corners[k]), key(corners[(k + 1) % 3]));
  };
  for (const std::size_t step : {1u, 3u}) {
    for (const bool are_backs : {false, true}) {
      for (const bool is_soup : {false, true}) {
        SCOPED_TRACE(testing::Message() << step << " " << are_backs << " " << is_soup);
        std::vector<Indices> triangles = with_copies(mesh, step, are_backs);
        std::vector<Vector3d> vertices = shared;
        if (is_soup) {
          vertices.clear();
          for (Indices& t : triangles) {
            for (std::uint32_t& corner : t) {
              vertices.push_back(shared[corner]);
              corner = static_cast<std::uint32_t>(vertices.size() - 1);
            }
          }
        }
        const TriangleMesh twice(vertices, triangles);
        EXPECT_FALSE(twice.is_closed());
        EXPECT_EQ(twice.adjacency().has_crowded_edges(), !is_soup);
        for (std::uint32_t t = 0; t < triangles.size(); ++t) {
          for (std::size_t k = 0; k < 3; ++k) {
            const MeshAdjacency::Link link = twice.adjacency().link(t, k);
            ASSERT_TRUE(link.is_joined());
            const std::uint32_t source = t < count ? t : static_cast<std::uint32_t>(step) * (t - count);
            const std::uint32_t found = link.triangle() < count
                                            ? link.triangle()
                                            : static_cast<std::uint32_t>(step) * (link.triangle() - count);
            EXPECT_NE(found, source);  // not its own back
            const auto [from, to] = places_of(twice, t, k);
            const auto [other_from, other_to] = places_of(twice, link.triangle(), link.edge());
            // Of two sides the front leads to fronts, the back to backs where there are some.
            const bool are_opposite = from == other_to && to == other_from;
            EXPECT_TRUE(are_opposite || (step != 1 && are_backs && t >= count && from == other_from && to == other_to));
            if (t < count) {
              EXPECT_EQ(twice.adjacency().link(link.triangle(), link.edge()).triangle(), t);
            }
          }
        }
      }
    }
  }
}

TEST(MeshAdjacency, ManyCopiesOfOneTriangleAreSortedOut) {
  const std::vector<Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  std::vector<Indices> triangles(samples::kIsInstrumented ? 50000 : 300000, Indices{0, 1, 2});
  triangles.push_back({1, 3, 2});
  const MeshAdjacency adjacency(vertices, triangles);
  for (const std::uint32_t t : {0u, 1u, static_cast<std::uint32_t>(triangles.size()) - 2}) {
    ASSERT_TRUE(adjacency.link(t, 1).is_joined());
    EXPECT_EQ(adjacency.link(t, 1).triangle(), triangles.size() - 1);
    EXPECT_FALSE(adjacency.link(t, 0).is_joined());
  }
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

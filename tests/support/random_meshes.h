// Triangle meshes for tests: closed ones with bumps, open ones, soups.
#pragma once

#include <abut/core/shapes/triangle_mesh.h>
#include <support/random.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace abut::samples {

/// The triangles of a box whose corner i lies at the high end of x, y and z where i has the bits 1, 2 and 4;
/// counterclockwise seen from outside.
inline std::vector<TriangleMesh::Indices> box_triangles() {
  return {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
}

/// A closed surface around the origin, of about `size` in radius: rings of vertices between two poles.
inline TriangleMesh bumpy_ball(int rings, double size, Random& random, TreeKind tree = TreeKind::automatic) {
  const std::uint32_t around = static_cast<std::uint32_t>(2 * rings);
  const Vector3d stretch = random.vector(0.5, 1.0);
  std::vector<Vector3d> vertices = {Vector3d(0, 0, size * stretch.z()), Vector3d(0, 0, -size * stretch.z())};
  for (int i = 1; i < rings; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      const double polar = std::numbers::pi * i / rings;
      const double angle = 2.0 * std::numbers::pi * j / around;
      const double radius = size * random.uniform(0.9, 1.0);
      const Vector3d unit(std::sin(polar) * std::cos(angle), std::sin(polar) * std::sin(angle), std::cos(polar));
      vertices.push_back(radius * stretch.cwiseProduct(unit));
    }
  }
  const auto vertex = [&](int i, std::uint32_t j) {
    return 2 + static_cast<std::uint32_t>(i - 1) * around + j % around;
  };
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t j = 0; j < around; ++j) {
    triangles.push_back({0, vertex(1, j), vertex(1, j + 1)});
    triangles.push_back({1, vertex(rings - 1, j + 1), vertex(rings - 1, j)});
    for (int i = 1; i + 1 < rings; ++i) {
      triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles), tree);
}

/// Triangles of all shapes anywhere in a cube, needles and points among them.
inline TriangleMesh triangle_soup(int count, double size, Random& random, TreeKind tree = TreeKind::automatic) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    const Vector3d corner = size * random.vector(-1.0, 1.0);
    const double reach = size * std::pow(10.0, random.uniform(-4.0, -0.3));
    vertices.push_back(corner);
    vertices.push_back(corner + reach * random.vector(-1.0, 1.0));
    const double kind = random.uniform(0.0, 1.0);
    if (kind < 0.05) {
      vertices.push_back(corner);  // a segment
    } else if (kind < 0.1) {
      vertices.push_back(0.5 * (vertices[3 * i] + vertices[3 * i + 1]) + 1e-9 * reach * random.vector(-1.0, 1.0));
    } else {
      vertices.push_back(corner + reach * random.vector(-1.0, 1.0));
    }
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return TriangleMesh(std::move(vertices), std::move(triangles), tree);
}

}  // namespace abut::samples

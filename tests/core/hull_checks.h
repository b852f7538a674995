// What every convex hull must satisfy.
#pragma once

#include <abut/core/shapes/convex_hull.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace abut::samples {

inline double highest(std::span<const Vector3d> points, const Vector3d& direction) {
  double value = points.front().dot(direction);
  for (const Vector3d& point : points) value = std::max(value, point.dot(direction));
  return value;
}

/// Any directions, those of the coordinate axes, those of the facets, and facet normals turned a little.
inline std::vector<Vector3d> telling_directions(const ConvexHull& hull, std::size_t facets, Random& random) {
  std::vector<Vector3d> directions;
  for (int i = 0; i < 300; ++i) directions.push_back(random.direction());
  for (int i = 0; i < 3; ++i) {
    directions.push_back(Vector3d::Unit(i));
    directions.push_back(-Vector3d::Unit(i));
  }
  const auto vertices = hull.vertices();
  const std::size_t stride = std::max<std::size_t>(1, hull.triangles().size() / facets);
  for (std::size_t i = 0; i < hull.triangles().size(); i += stride) {
    const auto& t = hull.triangles()[i];
    const Vector3d cross = (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]);
    if (!(cross.norm() > 0.0)) continue;
    const Vector3d normal = cross.normalized();
    directions.push_back(normal);
    for (const double turn : {1e-15, 1e-13, 1e-11, 1e-9, 1e-6})
      directions.push_back(normal + turn * random.direction());
  }
  return directions;
}

/// The hull keeps the support function of its points, from every start, to rounding.
inline void expect_support_of(const ConvexHull& hull, std::span<const Vector3d> points, Random& random) {
  double size = 0.0;
  for (const Vector3d& point : points) size = std::max(size, point.cwiseAbs().maxCoeff());
  const auto vertices = hull.vertices();
  std::uint32_t last = 0;
  for (const Vector3d& direction : telling_directions(hull, 100, random)) {
    const double expected = highest(points, direction);
    const auto any = random.below(static_cast<std::uint32_t>(vertices.size()));
    for (const std::uint32_t start : {0u, last, any}) {
      const std::uint32_t found = hull.climbed_vertex(direction, start);
      ASSERT_LT(found, vertices.size());
      ASSERT_GE(vertices[found].dot(direction), expected - 8e-15 * size)
          << "direction " << direction.transpose() << ", start " << start;
      last = found;
    }
    ASSERT_GE(hull.core_support(direction).dot(direction), expected - 8e-15 * size);
  }
}

/// Vertices are points of the input, each once; the graph is symmetric; triangles are closed and face outwards.
inline void expect_sound(const ConvexHull& hull, std::span<const Vector3d> points) {
  const auto vertices = hull.vertices();
  const auto before = [](const Vector3d& p, const Vector3d& q) {
    return std::lexicographical_compare(p.begin(), p.end(), q.begin(), q.end());
  };
  const std::set<Vector3d, decltype(before)> given(points.begin(), points.end(), before);
  std::set<Vector3d, decltype(before)> found(before);
  for (const Vector3d& vertex : vertices) {
    ASSERT_TRUE(given.contains(vertex)) << "a vertex that is no point";
    ASSERT_TRUE(found.insert(vertex).second) << "a vertex twice";
  }
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    std::set<std::uint32_t> seen;
    for (const std::uint32_t k : hull.neighbours(i)) {
      ASSERT_LT(k, vertices.size());
      ASSERT_NE(k, i);
      ASSERT_TRUE(seen.insert(k).second);
      const auto back = hull.neighbours(k);
      ASSERT_NE(std::find(back.begin(), back.end(), i), back.end());
    }
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  double volume = 0.0;
  for (const auto& t : hull.triangles()) {
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_LT(t[k], vertices.size());
      if (hull.dimension() == 3) {
        ASSERT_TRUE(edges.emplace(t[k], t[(k + 1) % 3]).second) << "an edge passed twice in one direction";
      }
    }
    const Vector3d& p = hull.center();
    volume += (vertices[t[0]] - p).dot((vertices[t[1]] - p).cross(vertices[t[2]] - p)) / 6.0;
  }
  for (const auto& edge : edges) ASSERT_TRUE(edges.contains({edge.second, edge.first})) << "the surface is open";
  if (hull.dimension() == 3) {
    EXPECT_GT(volume, 0.0);
    EXPECT_EQ(hull.triangles().size(), 2 * vertices.size() - 4);  // Euler
  }
  for (const Vector3d& vertex : vertices) {
    EXPECT_TRUE(hull.aabb().contains(vertex));
    const Vector3d local = hull.obb().axes.transpose() * (vertex - hull.obb().center);
    const double slack = 1e-14 * (hull.obb().half_extents.sum() + hull.obb().center.norm());
    EXPECT_TRUE((local.cwiseAbs().array() <= hull.obb().half_extents.array() + slack).all());
  }
}

}  // namespace abut::samples

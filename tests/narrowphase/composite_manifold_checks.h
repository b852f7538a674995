// Surfaces for tests of composite manifolds, and checks that need no reference.
#pragma once

#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace abut::samples {

/// A grid about the origin: z = height(x, y), diagonals either way at random, inner corners moved sideways by up to
/// `jitter` of a cell.
inline TriangleMesh grid_mesh(int cells, double spacing, double jitter, Random& random,
                              const std::function<double(double, double)>& height) {
  std::vector<Vector3d> vertices;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      const bool is_inner = i > 0 && j > 0 && i < cells && j < cells;
      const double moved = is_inner ? jitter : 0.0;
      const double x = spacing * (j - 0.5 * cells + moved * random.uniform(-1.0, 1.0));
      const double y = spacing * (i - 0.5 * cells + moved * random.uniform(-1.0, 1.0));
      vertices.emplace_back(x, y, height(x, y));
    }
  }
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cells + 1) + j); };
  std::vector<TriangleMesh::Indices> triangles;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      if (random.chance(0.5)) {
        triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
        triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)});
      } else {
        triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
        triangles.push_back({vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)});
      }
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

inline TriangleMesh flat_mesh(int cells, double spacing, double jitter, Random& random) {
  return grid_mesh(cells, spacing, jitter, random, [](double, double) { return 0.0; });
}

/// Each triangle once each way round, front and back in any order.
inline TriangleMesh two_sided(const TriangleMesh& fronts, Random& random) {
  std::vector<TriangleMesh::Indices> triangles;
  for (const TriangleMesh::Indices& front : fronts.triangles()) {
    const TriangleMesh::Indices back = {front[0], front[2], front[1]};
    const bool is_back_first = random.chance(0.5);
    triangles.push_back(is_back_first ? back : front);
    triangles.push_back(is_back_first ? front : back);
  }
  return TriangleMesh({fronts.vertices().begin(), fronts.vertices().end()}, std::move(triangles));
}

/// The surface of a box, each face a grid of `cells` squares a side with vertices of its own.
inline TriangleMesh box_mesh(const Vector3d& half, int cells = 1) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      const int u = (axis + 1) % 3;
      const int v = (axis + 2) % 3;
      const auto first = static_cast<std::uint32_t>(vertices.size());
      for (int i = 0; i <= cells; ++i) {
        for (int j = 0; j <= cells; ++j) {
          Vector3d corner;
          corner[axis] = sign * half[axis];
          corner[u] = half[u] * (2.0 * i / cells - 1.0);
          corner[v] = half[v] * (2.0 * j / cells - 1.0);
          vertices.push_back(corner);
        }
      }
      const auto vertex = [&](int i, int j) { return first + static_cast<std::uint32_t>(i * (cells + 1) + j); };
      for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
          TriangleMesh::Indices one = {vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)};
          TriangleMesh::Indices other = {vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)};
          if (sign < 0.0) {
            std::swap(one[1], one[2]);
            std::swap(other[1], other[2]);
          }
          triangles.push_back(one);
          triangles.push_back(other);
        }
      }
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

/// Empty, or what is wrong with a composite's points whatever the shapes.
inline std::string composite_violation(const ContactManifold& manifold, double max_distance, double tolerance) {
  std::ostringstream wrong;
  wrong.precision(12);
  std::set<std::uint64_t> ids;
  const auto points = manifold.points();
  if (points.empty()) return "no point";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ContactPoint& point = points[i];
    if (!point.point_a.allFinite() || !point.point_b.allFinite() || !std::isfinite(point.distance) ||
        !point.normal.allFinite()) {
      return "not finite";
    }
    wrong.str("");
    const Vector3d sideways = point.point_b - point.point_a - point.distance * point.normal;
    if (!(std::abs(point.normal.norm() - 1.0) <= 1e-9)) wrong << "normal of length " << point.normal.norm() << "; ";
    if (!(sideways.norm() <= tolerance)) wrong << "off its normal by " << sideways.norm() << "; ";
    if (!(point.distance <= max_distance)) wrong << "distance " << point.distance << "; ";
    if (i > 0 && point.distance < points[i - 1].distance) wrong << "deeper than the one before; ";
    if (!ids.insert(point.feature_id).second) wrong << "repeated id; ";
    if (!wrong.str().empty()) return "point " + std::to_string(i) + ": " + wrong.str();
  }
  return "";
}

/// Normals that differ by more than `angle`, radians.
inline std::vector<Vector3d> normals_of(const ContactManifold& manifold, double angle = 1e-6) {
  std::vector<Vector3d> normals;
  for (const ContactPoint& point : manifold.points()) {
    const bool is_known = std::any_of(normals.begin(), normals.end(),
                                      [&](const Vector3d& n) { return (n - point.normal).norm() <= angle; });
    if (!is_known) normals.push_back(point.normal);
  }
  return normals;
}

/// Distance and manifold of a composite pair, with the checks above.
inline ContactManifold composite_manifold(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b,
                                          const ManifoldOptions& options = {.max_distance = 0.01},
                                          double tolerance = 1e-9) {
  const Separation s = distance(a, pose_a, b, pose_b);
  const ContactManifold manifold = contact_manifold(a, pose_a, b, pose_b, s, options);
  EXPECT_EQ(composite_violation(manifold, std::max(options.max_distance, s.distance + 1e-5), tolerance), "");
  return manifold;
}

}  // namespace abut::samples

// Shapes of every kind, of about a given size, for tests, benches and demos.
#pragma once

#include <abut/core/shape.h>
#include <support/random.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace abut::samples {

enum class ShapeKind : std::uint8_t {
  sphere,
  ellipsoid,
  box,
  capsule,
  cylinder,
  cone,
  convex_hull,
  triangle,
  padded_polygon,
  superquadric,
  smooth_hull,
  smooth_revolution,
  mesh,
  height_field,
  compound,
};
inline constexpr std::uint32_t kShapeKinds = 15;  ///< Every alternative of Geometry but the half-space.

/// A closed surface in the shape of an L, 2 x 2 x `width`, of legs `width` wide, scaled by `size`.
inline TriangleMesh l_mesh(double size, double width = 0.8) {
  const std::array<Eigen::Vector2d, 6> outline{
      {{-1, -1}, {1, -1}, {1, width - 1}, {width - 1, width - 1}, {width - 1, 1}, {-1, 1}}};
  std::vector<Vector3d> vertices;
  for (const double z : {-0.5 * width, 0.5 * width}) {
    for (const Eigen::Vector2d& p : outline) vertices.emplace_back(size * p.x(), size * p.y(), size * z);
  }
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t next = (i + 1) % 6;
    triangles.push_back({i, next, next + 6});
    triangles.push_back({i, next + 6, i + 6});
  }
  // The inner corner, number 3, sees all others.
  for (const std::array<std::uint32_t, 2> edge : {std::array<std::uint32_t, 2>{4, 5}, {5, 0}, {0, 1}, {1, 2}}) {
    triangles.push_back({3, edge[1], edge[0]});
    triangles.push_back({9, edge[0] + 6, edge[1] + 6});
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

/// Hilly ground, cells x cells of `spacing` metres, its surface within `height` of z = 0.
inline HeightField hills(int cells, double spacing, double height, Random& random) {
  const double phase_x = random.uniform(0.0, 2.0 * std::numbers::pi);
  const double phase_y = random.uniform(0.0, 2.0 * std::numbers::pi);
  Eigen::MatrixXd heights(cells + 1, cells + 1);
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j)
      heights(i, j) = 0.5 * height * (std::sin(0.9 * i + phase_y) + std::cos(0.7 * j + phase_x));
  }
  return HeightField(heights, Eigen::Vector2d::Constant(spacing), -2.0 * height);
}

/// @param count  Points on a sphere of radius `size`, so that nearly all are corners of the hull.
inline ConvexHull random_hull(int count, double size, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(size * random.uniform(0.8, 1.0) * random.direction());
  return ConvexHull::from_points(points);
}

/// @param size  Roughly the radius, metres.
inline Shape random_shape(ShapeKind kind, double size, Random& random) {
  const auto length = [&] { return size * random.uniform(0.3, 1.0); };
  const double first = length();
  const double second = length();
  const double third = length();
  const Vector3d lengths(first, second, third);
  const double margin = random.chance(0.25) ? 0.1 * size : 0.0;
  switch (kind) {
    case ShapeKind::sphere:
      return Sphere(first);
    case ShapeKind::ellipsoid:
      return Shape(Ellipsoid(lengths), margin);
    case ShapeKind::box:
      return Shape(Box(lengths), margin);
    case ShapeKind::capsule:
      return Capsule(0.5 * first, second);
    case ShapeKind::cylinder:
      return Shape(Cylinder(first, second), margin);
    case ShapeKind::cone:
      return Shape(Cone(first, second), margin);
    case ShapeKind::convex_hull:
      return Shape(random_hull(8 + static_cast<int>(random.below(80)), size, random), margin);
    case ShapeKind::triangle: {
      std::array<Vector3d, 3> corners;
      for (Vector3d& corner : corners) corner = random.vector(-size, size);
      return Shape(Triangle(corners), margin);
    }
    case ShapeKind::padded_polygon: {
      std::vector<Eigen::Vector2d> corners;
      const int count = 3 + static_cast<int>(random.below(5));
      for (int i = 0; i < count; ++i) {  // on an ellipse, so that they are convex
        const double angle = 2.0 * std::numbers::pi * i / count;
        corners.emplace_back(first * std::cos(angle), second * std::sin(angle));
      }
      return PaddedPolygon(corners, 0.3 * third);
    }
    case ShapeKind::superquadric: {
      const double e1 = random.uniform(0.3, 1.7);
      const double e2 = random.uniform(0.3, 1.7);
      return Superquadric(lengths, {e1, e2});
    }
    case ShapeKind::smooth_hull: {
      std::vector<Vector3d> points;
      for (int i = 0; i < 14; ++i) points.push_back(size * random.uniform(0.5, 0.9) * random.direction());
      return SmoothHull(std::move(points), random.uniform(8.0, 30.0));
    }
    case ShapeKind::smooth_revolution:
      return SmoothRevolution({{0.3 * first, second}, {first, 0.0}, {0.6 * first, -second}}, random.uniform(8.0, 30.0),
                              0.05);
    case ShapeKind::mesh:
      return l_mesh(size);
    case ShapeKind::height_field:
      return hills(3, 0.5 * size, 0.4 * size, random);
    case ShapeKind::compound:
      return Compound({{Sphere(0.5 * first), Pose(Vector3d(size, 0.0, 0.0))},
                       {Box(0.5 * lengths), Pose(Vector3d(-0.5 * size, 0.0, 0.0), random.rotation())},
                       {Capsule(0.2 * size, 0.8 * size), Pose(Vector3d::Zero(), random.rotation())}});
  }
  return Sphere(first);
}

}  // namespace abut::samples

// Smooth bodies for tests: everything that the trust region takes.
#pragma once

#include <abut/core/shape.h>
#include <support/random.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace abut::samples {

inline constexpr std::uint32_t kSmoothKinds = 8;

/// The corners of a cube: opposite pairs.
inline SmoothHull smooth_cube(double half_side, double sharpness) {
  std::vector<Vector3d> corners;
  for (int i = 0; i < 8; ++i) {
    corners.emplace_back(half_side *
                         Vector3d((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0));
  }
  return SmoothHull(std::move(corners), sharpness);
}

/// About as large as `size`, metres; every one is twice differentiable.
inline Shape smooth_body(std::uint32_t kind, double size, Random& random) {
  const Vector3d lengths = size * random.vector(0.3, 1.0);
  switch (kind % kSmoothKinds) {
    case 0:
      return Sphere(lengths.x());
    case 1:
      return Shape(Ellipsoid(lengths), random.chance(0.5) ? 0.1 * size : 0.0);
    case 2:
      return Ellipsoid(lengths.cwiseProduct(Vector3d(1.0, 0.4, 0.15)));
    case 3: {
      const double e1 = random.chance(0.3) ? 1.0 : random.uniform(1.0, 1.8);
      const double e2 = random.chance(0.3) ? 1.0 : random.uniform(1.0, 1.8);
      return Superquadric(lengths, {e1, e2});
    }
    case 4:
      return smooth_cube(0.5 * lengths.x(), random.uniform(3.0, 60.0));
    case 5: {  // the origin well inside: corners of a cube, moved about
      std::vector<Vector3d> points;
      const SmoothHull cube = smooth_cube(0.6 * size, 3.0);
      for (const Vector3d& corner : cube.points()) points.push_back(corner + 0.3 * size * random.vector(-1.0, 1.0));
      for (int i = 0; i < 8; ++i) points.push_back(0.7 * size * random.direction());
      return Shape(SmoothHull(std::move(points), random.uniform(3.0, 40.0)), random.chance(0.3) ? 0.05 * size : 0.0);
    }
    case 6:  // a cylinder
      return SmoothRevolution({{lengths.x(), lengths.y()}, {lengths.x(), -lengths.y()}}, random.uniform(5.0, 40.0),
                              random.uniform(1e-3, 0.1));
    default:  // a spindle
      return SmoothRevolution({{0.3 * lengths.x(), lengths.y()}, {lengths.x(), 0.0}, {0.6 * lengths.x(), -lengths.z()}},
                              random.uniform(4.0, 30.0), 0.05);
  }
}

}  // namespace abut::samples

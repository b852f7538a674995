// A convex shape out of bytes: every kind, smooth and sharp, thin, flat, of one point, on a lattice and off it.
#pragma once

#include <abut/core/shape.h>
#include <fuzz/byte_source.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace abut::fuzz {

inline constexpr std::uint32_t kConvexKinds = 12;  ///< The alternatives of Geometry before the half-space.

namespace detail {

// A length of up to `size`: a multiple of its sixteenth, anything, or thin.
inline double sampled_length(ByteSource& bytes, double size) {
  switch (bytes.below(8)) {
    case 0:
    case 1:
    case 2:
      return size * (1.0 + bytes.below(16)) / 16.0;
    case 3:
      return size * bytes.power(-5.0, 0.0);
    default:
      return size * bytes.uniform(0.1, 1.0);
  }
}

inline Vector3d sampled_lengths(ByteSource& bytes, double size) {
  const double x = sampled_length(bytes, size);
  const double y = sampled_length(bytes, size);
  return {x, y, bytes.one_in(8) ? x : sampled_length(bytes, size)};
}

// Within a cube of half side `size`.
inline Vector3d sampled_point(ByteSource& bytes, double size, bool is_lattice) {
  if (!is_lattice) return bytes.vector(-size, size);
  Vector3d point;
  for (int i = 0; i < 3; ++i) point[i] = size * (static_cast<double>(bytes.below(9)) - 4.0) / 4.0;
  return point;
}

inline ConvexHull sampled_hull(ByteSource& bytes, double size) {
  const std::uint32_t form = bytes.below(8);
  const bool is_lattice = bytes.one_in(2);
  const std::uint32_t count = bytes.one_in(16) ? 140 : 1 + bytes.below(24);
  const Vector3d offset =
      bytes.one_in(8) ? Vector3d(bytes.vector(-2.0 * size, 2.0 * size)) : Vector3d(Vector3d::Zero());
  const double thickness = bytes.one_in(2) ? 0.0 : bytes.power(-9.0, -1.0);
  std::vector<Vector3d> points;
  for (std::uint32_t i = 0; i < count; ++i) {
    Vector3d point = sampled_point(bytes, size, is_lattice);
    if (form == 0) point.z() *= thickness;
    if (form == 1) point.tail<2>() *= thickness;
    if (form >= 5 && point.norm() > 0.0) point = size * point.normalized();
    points.push_back(point + offset);
  }
  return ConvexHull::from_points(points);
}

inline PaddedPolygon sampled_polygon(ByteSource& bytes, double size) {
  const double radius_x = size * bytes.uniform(0.1, 1.0);
  const double radius_y = size * bytes.uniform(0.1, 1.0);
  const int count = 3 + static_cast<int>(bytes.below(6));
  std::vector<Eigen::Vector2d> corners;
  for (int i = 0; i < count; ++i) {  // on an ellipse, so that they are convex
    const double angle = 2.0 * std::numbers::pi * i / count;
    corners.emplace_back(radius_x * std::cos(angle), radius_y * std::sin(angle));
  }
  return PaddedPolygon(corners, bytes.one_in(4) ? 0.0 : 0.3 * sampled_length(bytes, size));
}

inline SmoothHull sampled_smooth_hull(ByteSource& bytes, double size) {
  std::vector<Vector3d> points;
  const std::uint32_t count = 1 + bytes.below(14);
  for (std::uint32_t i = 0; i < count; ++i) points.push_back(size * bytes.uniform(0.5, 0.9) * bytes.direction());
  return SmoothHull(std::move(points), bytes.uniform(2.5, 40.0));
}

inline SmoothRevolution sampled_revolution(ByteSource& bytes, double size) {
  const double r = size * bytes.uniform(0.1, 1.0);
  const double z = size * bytes.uniform(0.1, 1.0);
  const double sharpness = bytes.uniform(2.5, 40.0);
  return SmoothRevolution({{0.3 * r, z}, {r, 0.0}, {0.6 * r, -z}}, sharpness, bytes.power(-2.0, 0.0));
}

}  // namespace detail

/// @param size  Roughly the radius, metres. All lengths are products with it: the same bytes with twice the size give
///              the same shape, twice as large, to the last bit.
inline Shape sampled_shape(ByteSource& bytes, double size) {
  const std::uint32_t kind = bytes.below(kConvexKinds);
  const double margin = bytes.one_in(4) ? size * bytes.below(5) / 16.0 : 0.0;
  const auto length = [&] { return detail::sampled_length(bytes, size); };
  switch (kind) {
    case 0:
      return Shape(Sphere(length()), margin);
    case 1:
      return Shape(Ellipsoid(detail::sampled_lengths(bytes, size)), margin);
    case 2:
      return Shape(Box(detail::sampled_lengths(bytes, size)), margin);
    case 3: {
      const double radius = length();
      return Shape(Capsule(radius, length()), margin);
    }
    case 4: {
      const double radius = length();
      return Shape(Cylinder(radius, length()), margin);
    }
    case 5: {
      const double radius = length();
      return Shape(Cone(radius, length()), margin);
    }
    case 6: {
      const bool is_lattice = bytes.one_in(2);
      std::array<Vector3d, 3> corners;
      for (Vector3d& corner : corners) corner = detail::sampled_point(bytes, size, is_lattice);
      if (bytes.one_in(8)) corners[2] = corners[1] + bytes.power(-12.0, -2.0) * (corners[2] - corners[1]);
      return Shape(Triangle(corners), margin);
    }
    case 7:
      return Shape(detail::sampled_polygon(bytes, size), margin);
    case 8: {
      const Vector3d radii = detail::sampled_lengths(bytes, size);
      const double e1 = bytes.uniform(0.1, 1.9);
      return Shape(Superquadric(radii, {e1, bytes.uniform(0.1, 1.9)}), margin);
    }
    case 9:
      return Shape(detail::sampled_smooth_hull(bytes, size), margin);
    case 10:
      return Shape(detail::sampled_revolution(bytes, size), margin);
    default:
      return Shape(detail::sampled_hull(bytes, size), margin);
  }
}

}  // namespace abut::fuzz

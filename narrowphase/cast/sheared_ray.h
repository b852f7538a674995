// A ray against triangles, watertight: two triangles that share an edge compute the same numbers for it.
// Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013): triangles are sheared so that the
// ray runs along z; the signs of their edges about the origin then come from the same products for both triangles of an
// edge. Products must not be fused into sums where this is compiled (see CMakeLists.txt), or the two would round
// differently. Departure: all is in doubles, so that no second try in higher precision is needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Plain numbers, for sources that are compiled for one instruction set each; sheared_ray() makes it.
struct ShearedRay {
  double origin[3];
  std::size_t axis[3];  ///< Of the sheared x, y and z; z is that of the direction's largest component.
  double shear[2];      ///< x and y of the direction over its z.
  double scale;         ///< t for a unit of z.
};

/// Where a ray meets a triangle.
struct TriangleMeeting {
  double t;         ///< NaN: it does not meet it, or is_edge_on.
  double facing;    ///< Its sign: that of the triangle's normal along the sheared ray.
  bool is_edge_on;  ///< The ray lies in the triangle's plane, or the triangle has no area seen from it; not decided
                    ///< here.
  bool is_on_edge;  ///< Of one that is met or edge-on: exactly on the line of an edge.
};

/// @param direction  Not zero.
[[gnu::always_inline]] inline ShearedRay sheared_ray(const double* origin, const double* direction) {
  const auto size = [&](std::size_t k) { return direction[k] < 0.0 ? -direction[k] : direction[k]; };
  std::size_t z = size(1) > size(0) ? 1 : 0;
  if (size(2) > size(z)) z = 2;
  const std::size_t x = (z + 1) % 3;
  const std::size_t y = (z + 2) % 3;
  const double dz = direction[z];
  return {{origin[0], origin[1], origin[2]}, {x, y, z}, {direction[x] / dz, direction[y] / dz}, 1.0 / dz};
}

/// @param p, q, r  Corners, three numbers each.
[[gnu::always_inline]] inline TriangleMeeting meet(const ShearedRay& ray, const double* p, const double* q,
                                                   const double* r) {
  const double* corners[3] = {p, q, r};
  double x[3];
  double y[3];
  double z[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const double along = corners[i][ray.axis[2]] - ray.origin[ray.axis[2]];
    x[i] = (corners[i][ray.axis[0]] - ray.origin[ray.axis[0]]) - ray.shear[0] * along;
    y[i] = (corners[i][ray.axis[1]] - ray.origin[ray.axis[1]]) - ray.shear[1] * along;
    z[i] = along * ray.scale;
  }
  const double u = x[2] * y[1] - y[2] * x[1];
  const double v = x[0] * y[2] - y[0] * x[2];
  const double w = x[1] * y[0] - y[1] * x[0];
  const double none = __builtin_nan("");
  if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return {none, 0.0, false, false};
  const double volume = u + v + w;
  const bool is_on_edge = u == 0.0 || v == 0.0 || w == 0.0;
  if (volume == 0.0) return {none, 0.0, true, is_on_edge};
  return {(u * z[0] + v * z[1] + w * z[2]) / volume, volume, false, is_on_edge};
}

}  // namespace abut::detail

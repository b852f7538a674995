// A ray against triangles, watertight: two triangles that share an edge compute the same numbers for it.
// Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013): triangles are sheared so that the
// ray runs along z; the signs of their edges about the origin then come from the same products for both triangles of an
// edge. Products must not be fused into sums where this is compiled (see CMakeLists.txt), or the two would round
// differently. Departures: the second try, where an edge passes within rounding of the ray, is exact (sheared_ray.cpp);
// rays in the plane of a triangle to rounding are told from the others.
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
  double in_plane;      ///< Triangles none of whose edge products is larger may be edge-on: square metres.
};

/// Where a ray meets a triangle.
struct TriangleMeeting {
  double t;         ///< NaN: it does not meet it, or has no area seen from the ray.
  double facing;    ///< Its sign: that of the triangle's normal along the sheared ray.
  bool is_edge_on;  ///< The triangle and the ray lie in one plane to rounding: meet_in_plane() tells where the ray
                    ///< enters it, t is somewhere within.
  bool is_on_edge;  ///< Of one that is met: exactly on the line of an edge.
};

/// The corners of a triangle in the frame of a sheared ray: x and y in metres, z in units of t.
struct ShearedCorners {
  double x[3];
  double y[3];
  double z[3];
};

/// Twice the areas of the triangles of each edge and the ray, signed.
struct EdgeProducts {
  double u;
  double v;
  double w;
};

/// An edge is near the ray where its product is smaller, in parts of the largest coordinate squared: the rounding of
/// the products, 2^-52, may then move the point that is met across the edge. The 2^22 between are for needles, whose
/// barycentric coordinates change as much faster along the ray.
inline constexpr double kNearEdge = 0x1p-30;

/// What in_plane is for triangles within a box, rays that pass it by excepted.
/// @param lower, upper  Of the box, three numbers each, as of the origin.
[[gnu::always_inline]] inline double in_plane_bound(const double* lower, const double* upper, const double* origin) {
  const auto larger = [](double p, double q) { return p > q ? p : q; };
  double reach = 0.0;   // from the origin
  double extent = 0.0;  // of the box
  for (std::size_t k = 0; k < 3; ++k) {
    reach = larger(reach, larger(upper[k] - origin[k], origin[k] - lower[k]));
    extent = larger(extent, upper[k] - lower[k]);
  }
  // Sheared coordinates of the corners are at most two extents, and off by less than 2^-48 of the reach.
  return 0x1p-44 * reach * (extent + 0x1p-40 * reach);
}

/// @param direction  Not zero.
/// @param in_plane   in_plane_bound(); infinite sends every triangle through meet_carefully().
[[gnu::always_inline]] inline ShearedRay sheared_ray(const double* origin, const double* direction, double in_plane) {
  const auto size = [&](std::size_t k) { return direction[k] < 0.0 ? -direction[k] : direction[k]; };
  std::size_t z = size(1) > size(0) ? 1 : 0;
  if (size(2) > size(z)) z = 2;
  const std::size_t x = (z + 1) % 3;
  const std::size_t y = (z + 2) % 3;
  const double dz = direction[z];
  return {{origin[0], origin[1], origin[2]}, {x, y, z}, {direction[x] / dz, direction[y] / dz}, 1.0 / dz, in_plane};
}

/// @param p, q, r  Corners, three numbers each.
[[gnu::always_inline]] inline ShearedCorners sheared_corners(const ShearedRay& ray, const double* p, const double* q,
                                                             const double* r) {
  const double* corners[3] = {p, q, r};
  ShearedCorners result;
  for (std::size_t i = 0; i < 3; ++i) {
    const double along = corners[i][ray.axis[2]] - ray.origin[ray.axis[2]];
    result.x[i] = (corners[i][ray.axis[0]] - ray.origin[ray.axis[0]]) - ray.shear[0] * along;
    result.y[i] = (corners[i][ray.axis[1]] - ray.origin[ray.axis[1]]) - ray.shear[1] * along;
    result.z[i] = along * ray.scale;
  }
  return result;
}

/// Each sign is right or the product is zero: rounding keeps the order of two products.
[[gnu::always_inline]] inline EdgeProducts edge_products(const ShearedCorners& corners) {
  const double* x = corners.x;
  const double* y = corners.y;
  return {x[2] * y[1] - y[2] * x[1], x[0] * y[2] - y[0] * x[2], x[1] * y[0] - y[1] * x[0]};
}

/// The meeting that edge products of one sign tell, not all of them zero.
[[gnu::always_inline]] inline TriangleMeeting meeting_at(const ShearedCorners& corners, const EdgeProducts& edges) {
  const double volume = edges.u + edges.v + edges.w;
  const double* z = corners.z;
  return {(edges.u * z[0] + edges.v * z[1] + edges.w * z[2]) / volume, volume, false,
          edges.u == 0.0 || edges.v == 0.0 || edges.w == 0.0};
}

/// What the edge products of a triangle tell at once.
struct EdgeSigns {
  bool is_missed;     ///< They have both signs.
  bool is_uncertain;  ///< meet_carefully() has to look.
};

[[gnu::always_inline]] inline EdgeSigns edge_signs(const ShearedCorners& corners, const EdgeProducts& edges,
                                                   double in_plane) {
  const auto smaller = [](double p, double q) { return p < q ? p : q; };
  const auto larger = [](double p, double q) { return p > q ? p : q; };
  const double least = smaller(smaller(edges.u, edges.v), edges.w);
  const double most = larger(larger(edges.u, edges.v), edges.w);
  const bool is_missed = least < 0.0 && most > 0.0;
  bool is_uncertain = most <= in_plane && least >= -in_plane;
  if (!is_missed) {
    double size = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      size = larger(size, larger(larger(corners.x[i], -corners.x[i]), larger(corners.y[i], -corners.y[i])));
    }
    is_uncertain = is_uncertain || larger(least, -most) <= kNearEdge * (size * size);
  }
  return {is_missed, is_uncertain};
}

/// The same as meet(), for any triangle; slower.
[[nodiscard]] TriangleMeeting meet_carefully(const ShearedRay& ray, const double* p, const double* q, const double* r);

/// @param p, q, r  Corners, three numbers each.
[[gnu::always_inline]] inline TriangleMeeting meet(const ShearedRay& ray, const double* p, const double* q,
                                                   const double* r) {
  const ShearedCorners corners = sheared_corners(ray, p, q, r);
  const EdgeProducts edges = edge_products(corners);
  const EdgeSigns signs = edge_signs(corners, edges, ray.in_plane);
  if (signs.is_uncertain) return meet_carefully(ray, p, q, r);
  if (signs.is_missed) return {__builtin_nan(""), 0.0, false, false};
  return meeting_at(corners, edges);
}

/// The part of a line within a triangle in whose plane it lies to rounding.
struct InPlaneMeeting {
  double enter;           ///< Larger than leave: the line misses the triangle.
  double leave;           ///< In units of t, as enter.
  double distance_error;  ///< Of points between, from the triangle, metres.
  unsigned edges;         ///< Bit i: entered across the edge from corner i to the next, or at an end of it.
};

/// @param p, q, r  Corners of a triangle that is edge-on.
[[nodiscard]] InPlaneMeeting meet_in_plane(const ShearedRay& ray, const double* p, const double* q, const double* r);

}  // namespace abut::detail

// Where a line leaves a hull: a climb over its faces from one that is near.
#pragma once

#include <abut/core/shapes/hull_faces.h>
#include <Eigen/Core>

#include <cstdint>
#include <span>

namespace abut::detail {

/// The least of all faces turned to `up`, of the way from `point` along `up` to their planes: metres, signed. The hull
/// is convex, so that a face than which none around it is lower is the lowest.
/// @param face    Where the climb begins; turned to `up` by less than 60 degrees.
/// @param up      Unit. @param margin  Metres by which all faces are moved outwards.
[[nodiscard]] inline double hull_exit(const HullFaces& faces, std::span<const Vector3d> vertices, std::uint32_t face,
                                      const Vector3d& point, const Vector3d& up, double margin) {
  constexpr double kSteepest = 0.5;  // cosine of 60 degrees: a steeper face is no part of what lies under `up`
  const auto height = [&](std::uint32_t f, const Vector3d& offset) { return faces.normal(f).dot(offset) + margin; };
  double least = height(face, vertices[faces.corners(face)[0]] - point) / faces.normal(face).dot(up);
  for (;;) {
    std::uint32_t lower = face;
    for (const std::uint32_t corner : faces.corners(face)) {
      const Vector3d offset = vertices[corner] - point;
      for (const std::uint32_t other : faces.faces_at(corner)) {
        const double rise = faces.normal(other).dot(up);
        const double at_other = height(other, offset);
        if (!(rise >= kSteepest) || !(at_other < least * rise) || other == face) continue;
        const double way = at_other / rise;
        if (!(way < least)) continue;  // less by rounding of the product
        least = way;
        lower = other;
      }
    }
    if (lower == face) return least;
    face = lower;
  }
}

}  // namespace abut::detail

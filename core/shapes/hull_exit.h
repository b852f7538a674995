// Where a line leaves a hull: through the lowest of a few known planes, or by a climb over its faces from one that is
// near.
#pragma once

#include <abut/core/shapes/hull_faces.h>
#include <Eigen/Core>

#include <cstdint>
#include <span>

namespace abut::detail {

/// A face is no part of what lies below a direction if its normal's angle from that has a smaller cosine: 60 degrees.
inline constexpr double kSteepestExit = 0.5;

/// The plane of a face.
struct ExitPlane {
  Vector3d normal;  ///< Unit, out of the hull.
  Vector3d corner;  ///< Of the face: metres, body frame.
};

/// The least of all planes, of the way from `point` along `up` to them: metres, signed.
/// @param planes  At least one; all turned to `up` by less than 90 degrees. @param up  Unit.
/// @param margin  Metres by which all planes are moved outwards.
[[nodiscard]] inline double plane_exit(std::span<const ExitPlane> planes, const Vector3d& point, const Vector3d& up,
                                       double margin) {
  double height = planes[0].normal.dot(planes[0].corner - point) + margin;
  double rise = planes[0].normal.dot(up);
  for (const ExitPlane& plane : planes.subspan(1)) {
    const double other_height = plane.normal.dot(plane.corner - point) + margin;
    const double other_rise = plane.normal.dot(up);
    const bool is_less = other_height * rise < height * other_rise;
    height = is_less ? other_height : height;
    rise = is_less ? other_rise : rise;
  }
  return height / rise;
}

/// The least of all faces turned to `up`, of the way from `point` along `up` to their planes: metres, signed. The hull
/// is convex, so that a face than which none around it is lower is the lowest.
/// @param face    Where the climb begins; turned to `up` by less than 60 degrees.
/// @param up      Unit. @param margin  Metres by which all faces are moved outwards.
[[nodiscard]] inline double hull_exit(const HullFaces& faces, std::span<const Vector3d> vertices, std::uint32_t face,
                                      const Vector3d& point, const Vector3d& up, double margin) {
  const auto height = [&](std::uint32_t f, const Vector3d& offset) { return faces.normal(f).dot(offset) + margin; };
  double least = height(face, vertices[faces.corners(face)[0]] - point) / faces.normal(face).dot(up);
  for (;;) {
    std::uint32_t lower = face;
    for (const std::uint32_t corner : faces.corners(face)) {
      const Vector3d offset = vertices[corner] - point;
      for (const std::uint32_t other : faces.faces_at(corner)) {
        const double rise = faces.normal(other).dot(up);
        const double at_other = height(other, offset);
        if (!(rise >= kSteepestExit) || !(at_other < least * rise) || other == face) continue;
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

// Where a box meets the face of another along the normal of that face: a point of its lowest corner, edge or face that
// lies over the face, the middle of all such points where there are several.
// Source of the clipping: Sutherland and Hodgman, Reentrant polygon clipping (1974).
#pragma once

#include <abut/core/pose.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace abut::detail {

class FaceOverlap {
 public:
  Vector3d normal;    ///< Of the face, from its box towards the other; frame of the box with the face.
  Vector3d on_face;   ///< Metres, same frame.
  Vector3d on_other;  ///< A point of the other box; the one above on_face, at a height of the gap, if is_over_face.
  bool is_over_face;  ///< False: the point at the height of the gap does not lie over the face.

  /// @param face         The axis of the face.
  /// @param gap          Of the boxes along it.
  /// @param coordinates  The sum of all lengths that entered; it scales what is rounding.
  FaceOverlap(const Vector3d& half, const Vector3d& other_half, const Pose& face_from_other, Eigen::Index face,
              double gap, double coordinates)
      : u_((face + 1) % 3), v_((face + 2) % 3), limit_u_(half[u_]), limit_v_(half[v_]) {
    const double side = std::copysign(1.0, face_from_other.translation()[face]);
    Vector3d lowest = face_from_other.translation();
    std::array<Vector3d, 3> flat;
    std::size_t flat_count = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Vector3d edge = other_half[k] * face_from_other.rotation().col(k);
      if (std::abs(edge[face]) <= kNearlyFlat * other_half[k]) {
        flat[flat_count++] = edge;
      } else {
        lowest -= std::copysign(1.0, side * edge[face]) * edge;
      }
    }
    const double tie = kTie * coordinates;
    if (flat_count == 1) lowest += lowest_of_edge(lowest, flat[0], side * flat[0][face], tie) * flat[0];
    if (flat_count >= 2) lowest = lowest_of_face(lowest, flat[0], flat[1], face, side, tie);

    normal = side * Vector3d::Unit(face);
    on_face[u_] = std::clamp(lowest[u_], -limit_u_, limit_u_);
    on_face[v_] = std::clamp(lowest[v_], -limit_v_, limit_v_);
    on_face[face] = side * half[face];
    const double off = std::max(std::abs(lowest[u_] - on_face[u_]), std::abs(lowest[v_] - on_face[v_]));
    const double height = side * (half[face] + gap);
    is_over_face = off <= 2.0 * tie && std::abs(lowest[face] - height) <= 2.0 * tie;
    on_other = lowest;
    if (is_over_face) {
      on_other = on_face;
      on_other[face] = height;
    }
  }

 private:
  // An edge less steep than this is clipped to the face: its lower end may lie off the face, though the face is the
  // best axis to rounding, by rounding / steepness.
  static constexpr double kNearlyFlat = 0.02;
  // Heights nearer than this fraction of the coordinates are equal, and points so near to the face's edges are over it.
  static constexpr double kTie = 4e-15;

  // Where center + t * edge, |t| <= 1, is lowest over the face, the middle of a flat one; near it where there is none.
  [[nodiscard]] double lowest_of_edge(const Vector3d& center, const Vector3d& edge, double rise, double tie) const {
    double low = -1.0;
    double high = 1.0;
    for (const auto& [axis, limit] : {std::pair(u_, limit_u_), std::pair(v_, limit_v_)}) {
      if (edge[axis] == 0.0) continue;
      const double first = (-limit - center[axis]) / edge[axis];
      const double second = (limit - center[axis]) / edge[axis];
      low = std::max(low, std::min(first, second));
      high = std::min(high, std::max(first, second));
    }
    const bool is_flat = std::abs(rise) <= tie || !(low <= high);
    return std::clamp(is_flat ? 0.5 * (low + high) : rise > 0.0 ? low : high, -1.0, 1.0);
  }

  // The mean of the lowest corners of the parallelogram clipped to the face; its corner nearest to the face where
  // nothing is left.
  [[nodiscard]] Vector3d lowest_of_face(const Vector3d& center, const Vector3d& p, const Vector3d& q, Eigen::Index face,
                                        double side, double tie) const {
    Polygon polygon;
    polygon.add(center - p - q);
    polygon.add(center + p - q);
    polygon.add(center + p + q);
    polygon.add(center - p + q);
    Vector3d nearest = polygon.corners[0];
    for (std::size_t i = 1; i < 4; ++i) {
      if (beyond(polygon.corners[i]) < beyond(nearest)) nearest = polygon.corners[i];
    }
    // Wider by rounding, so that something is left of two that touch in a point; then moved back.
    polygon = polygon.clipped(u_, 1.0, limit_u_ + tie).clipped(u_, -1.0, limit_u_ + tie);
    polygon = polygon.clipped(v_, 1.0, limit_v_ + tie).clipped(v_, -1.0, limit_v_ + tie);
    if (polygon.size == 0) return nearest;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < polygon.size; ++i) lowest = std::min(lowest, side * polygon.corners[i][face]);
    Vector3d sum = Vector3d::Zero();
    double count = 0.0;
    for (std::size_t i = 0; i < polygon.size; ++i) {
      if (side * polygon.corners[i][face] > lowest + tie) continue;
      sum[u_] += std::clamp(polygon.corners[i][u_], -limit_u_, limit_u_);
      sum[v_] += std::clamp(polygon.corners[i][v_], -limit_v_, limit_v_);
      count += 1.0;
    }
    sum /= count;
    sum[face] = side * lowest;
    return sum;
  }

  [[nodiscard]] double beyond(const Vector3d& point) const {
    return std::max(std::abs(point[u_]) - limit_u_, 0.0) + std::max(std::abs(point[v_]) - limit_v_, 0.0);
  }

  struct Polygon {
    std::array<Vector3d, 8> corners;  // four, and one more for each line that clips
    std::size_t size = 0;

    void add(const Vector3d& corner) {
      if (size < corners.size()) corners[size++] = corner;  // more only where rounding bends an edge
    }

    // The part with sign * corner[axis] <= limit.
    [[nodiscard]] Polygon clipped(Eigen::Index axis, double sign, double limit) const {
      Polygon result;
      for (std::size_t i = 0; i < size; ++i) {
        const Vector3d& from = corners[i];
        const Vector3d& to = corners[i + 1 < size ? i + 1 : 0];
        const double from_over = sign * from[axis] - limit;
        const double to_over = sign * to[axis] - limit;
        if (from_over <= 0.0) result.add(from);
        if ((from_over < 0.0 && to_over > 0.0) || (from_over > 0.0 && to_over < 0.0)) {
          result.add(from + (from_over / (from_over - to_over)) * (to - from));
        }
      }
      return result;
    }
  };

  Eigen::Index u_;
  Eigen::Index v_;
  double limit_u_;
  double limit_v_;
};

}  // namespace abut::detail

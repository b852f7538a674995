// The fifteen separating axes of two boxes: the faces of each, and the cross products of their edges.
// Sources: Gottschalk, Lin and Manocha, OBBTree (1996); Ericson, Real-Time Collision Detection (2005), section 4.4.1.
// Departure: edge axes are compared by their normalised gap, without roots: the square of the gap against the square of
// the axis. No epsilon is added to the rotation: nearly parallel edges, where the usual shortcut for the second box's
// radius cancels, are measured term by term.
#pragma once

#include <abut/core/pose.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace abut::detail {

/// Two boxes in the frame of the first; plain arrays, so that small loops unroll.
struct BoxPair {
  std::array<double, 3> half_a;
  std::array<double, 3> half_b;
  std::array<double, 3> center;                   ///< Of b.
  std::array<double, 3> center_in_b;              ///< The same vector along the axes of b.
  std::array<std::array<double, 3>, 3> axis;      ///< axis[j]: axis j of b.
  std::array<std::array<double, 3>, 3> abs_axis;  ///< Componentwise.

  BoxPair(const Vector3d& half_extents_a, const Vector3d& half_extents_b, const Pose& a_from_b) {
    const Vector3d& t = a_from_b.translation();
    const Matrix3d& r = a_from_b.rotation();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      half_a[i] = half_extents_a[row];
      half_b[i] = half_extents_b[row];
      center[i] = t[row];
      axis[i] = {r(0, row), r(1, row), r(2, row)};
      abs_axis[i] = {std::abs(axis[i][0]), std::abs(axis[i][1]), std::abs(axis[i][2])};
      center_in_b[i] = axis[i][0] * t[0] + axis[i][1] * t[1] + axis[i][2] * t[2];
    }
  }

  /// Gap along face normal i of a, towards b.
  [[nodiscard]] double face_gap_a(std::size_t i) const {
    return std::abs(center[i]) - half_a[i] -
           (half_b[0] * abs_axis[0][i] + half_b[1] * abs_axis[1][i] + half_b[2] * abs_axis[2][i]);
  }
  /// Gap along face normal j of b, towards a.
  [[nodiscard]] double face_gap_b(std::size_t j) const {
    return std::abs(center_in_b[j]) - half_b[j] -
           (half_a[0] * abs_axis[j][0] + half_a[1] * abs_axis[j][1] + half_a[2] * abs_axis[j][2]);
  }
  /// Gap along a unit vector, frame of a, from a to b.
  [[nodiscard]] double gap_along(const Vector3d& n) const {
    double gap = n[0] * center[0] + n[1] * center[1] + n[2] * center[2] - half_a[0] * std::abs(n[0]) -
                 half_a[1] * std::abs(n[1]) - half_a[2] * std::abs(n[2]);
    for (std::size_t j = 0; j < 3; ++j) {
      gap -= half_b[j] * std::abs(n[0] * axis[j][0] + n[1] * axis[j][1] + n[2] * axis[j][2]);
    }
    return gap;
  }
};

/// Edge i of a times edge j of b. In the frame of a, e_i × axis_j has two components and is perpendicular to both edges
/// without rounding.
struct EdgeAxis {
  double length_sq;  ///< sin² of the angle of the edges.
  double gap;        ///< Times the length of the axis.

  EdgeAxis(const BoxPair& pair, std::size_t i, std::size_t j) {
    const std::size_t i1 = (i + 1) % 3;
    const std::size_t i2 = (i + 2) % 3;
    const std::size_t j1 = (j + 1) % 3;
    const std::size_t j2 = (j + 2) % 3;
    const auto& edge = pair.axis[j];
    length_sq = edge[i1] * edge[i1] + edge[i2] * edge[i2];
    // axis · axis_j1 = ±axis_j2[i] in a rotation, right to rounding of 1, which a short axis magnifies.
    constexpr double kShort = 1e-2;
    double along_j1 = pair.abs_axis[j2][i];
    double along_j2 = pair.abs_axis[j1][i];
    if (length_sq < kShort) {
      along_j1 = std::abs(edge[i1] * pair.axis[j1][i2] - edge[i2] * pair.axis[j1][i1]);
      along_j2 = std::abs(edge[i1] * pair.axis[j2][i2] - edge[i2] * pair.axis[j2][i1]);
    }
    gap = std::abs(edge[i1] * pair.center[i2] - edge[i2] * pair.center[i1]) -
          (pair.half_a[i1] * pair.abs_axis[j][i2] + pair.half_a[i2] * pair.abs_axis[j][i1]) -
          (pair.half_b[j1] * along_j1 + pair.half_b[j2] * along_j2);
  }
};

/// The axis along which two boxes are farthest apart, or overlap least.
/// Edges must beat a face by more than `rounding` (metres): faces give steadier witness points.
struct BestBoxAxis {
  enum class Kind { face_a, face_b, edges };
  Kind kind = Kind::face_a;
  std::size_t i = 0;  ///< Face or edge of a.
  std::size_t j = 0;  ///< Face or edge of b.
  double gap = 0.0;   ///< Metres.

  BestBoxAxis(const BoxPair& pair, double rounding) {
    gap = pair.face_gap_a(0);
    for (std::size_t face = 1; face < 3; ++face) {
      const double face_gap = pair.face_gap_a(face);
      if (face_gap > gap) {
        gap = face_gap;
        i = face;
      }
    }
    for (std::size_t face = 0; face < 3; ++face) {
      const double face_gap = pair.face_gap_b(face);
      if (face_gap > gap) {
        gap = face_gap;
        j = face;
        kind = Kind::face_b;
      }
    }
    // Signed squares order like the gaps.
    double best_sq = (gap + rounding) * std::abs(gap + rounding);
    for (std::size_t edge_a = 0; edge_a < 3; ++edge_a) {
      for (std::size_t edge_b = 0; edge_b < 3; ++edge_b) {
        const EdgeAxis edges(pair, edge_a, edge_b);
        if (edges.gap * std::abs(edges.gap) > best_sq * edges.length_sq && edges.length_sq > kNoAxis) {
          best_sq = edges.gap * std::abs(edges.gap) / edges.length_sq;
          i = edge_a;
          j = edge_b;
          kind = Kind::edges;
        }
      }
    }
    if (kind == Kind::edges) gap = std::copysign(std::sqrt(std::abs(best_sq)), best_sq);
  }

  /// Squared length under which edges have no cross product at all: its own square must not vanish.
  static constexpr double kNoAxis = 1e-100;
};

}  // namespace abut::detail

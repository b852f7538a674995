// A triangle as the closed forms use it: edges, unit normal, and whether a point lies over the face.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.1.5. Departure: needles are kept exact. Their normal
// is uncertain only in its turn about the longest edge, which matters far above the face alone, where the edges answer
// as well.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/triangle_normal.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::detail {

struct TriangleFace {
  std::array<Vector3d, 3> corners;  ///< Metres.
  std::array<Vector3d, 3> edges;    ///< edges[i] runs from corners[i] to the next.
  Vector3d normal;                  ///< Unit; zero where the corners lie on a line to rounding.
  /// Of a point over the face, metres: a normal turned by rounding / width moves the foot of a higher point by more
  /// than the width, and the nearest point of the edges is then within rounding of the distance.
  double max_height = 0.0;
  std::size_t longest = 0;  ///< Of the edges.

  explicit TriangleFace(const std::array<Vector3d, 3>& points)
      : corners(points), edges{points[1] - points[0], points[2] - points[1], points[0] - points[2]} {
    normal = TriangleNormal(points[0], points[1], points[2]).normal;
    const std::array<double, 3> length_sq{edges[0].squaredNorm(), edges[1].squaredNorm(), edges[2].squaredNorm()};
    if (length_sq[1] > length_sq[longest]) longest = 1;
    if (length_sq[2] > length_sq[longest]) longest = 2;
    const double longest_sq = length_sq[longest];
    normal /= longest_sq;
    const double slimness = normal.norm();  // height / longest
    // Narrower than this, the triangle is rounding of a segment; that of a point has no slimness.
    if (!(slimness > 1e-15)) {
      normal.setZero();
      return;
    }
    normal /= slimness;
    if (slimness < 1e-3) {
      normal = (normal - (normal.dot(edges[longest]) / longest_sq) * edges[longest]).normalized();
    }
    constexpr double kRounding = std::numeric_limits<double>::epsilon();
    max_height = slimness * slimness / (8.0 * kRounding) * std::sqrt(longest_sq);
  }

  [[nodiscard]] double coordinates() const {
    return corners[0].lpNorm<1>() + edges[0].lpNorm<1>() + edges[2].lpNorm<1>();
  }

  /// Of a point over the plane, metres.
  [[nodiscard]] double height(const Vector3d& point) const { return normal.dot(point - corners[longest]); }

  /// Whether a point lies over the face, on either side; never over one without a normal.
  [[nodiscard]] bool is_over(const Vector3d& point) const {
    if (!(max_height > 0.0)) return false;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(normal.cross(edges[i]).dot(point - corners[i]) >= 0.0)) return false;
    }
    // Says the same again, but for needles, along which areas say little.
    const double along = (point - corners[longest]).dot(edges[longest]);
    return along >= 0.0 && along <= edges[longest].squaredNorm() && std::abs(height(point)) <= max_height;
  }
};

}  // namespace abut::detail

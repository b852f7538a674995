// The normal of a triangle, computed so that rounding hurts least.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace abut::detail {

using Eigen::Vector3d;

struct TriangleNormal {
  Vector3d normal;    ///< (q - p) × (r - p): twice the area long, counter-clockwise.
  double longest_sq;  ///< The longest edge, squared. The height is |normal| / longest.

  /// From the two shorter edges, whose cross product has the least rounding.
  TriangleNormal(const Vector3d& p, const Vector3d& q, const Vector3d& r) {
    const Vector3d pq = q - p;
    const Vector3d qr = r - q;
    const Vector3d rp = p - r;
    const double pq_sq = pq.squaredNorm();
    const double qr_sq = qr.squaredNorm();
    const double rp_sq = rp.squaredNorm();
    longest_sq = std::max({pq_sq, qr_sq, rp_sq});
    normal = longest_sq == pq_sq ? qr.cross(rp) : longest_sq == qr_sq ? rp.cross(pq) : pq.cross(qr);
  }

  /// |normal|: twice the area. Also where its square overflows or loses digits.
  [[nodiscard]] double length() const {
    constexpr double kSmallest = 1e-280;
    constexpr double kLargest = 1e280;
    const double length_sq = normal.squaredNorm();
    return length_sq > kSmallest && length_sq < kLargest ? std::sqrt(length_sq) : normal.stableNorm();
  }
};

}  // namespace abut::detail

// The point of a segment or triangle of the plane nearest the origin.
// Source: Zhang et al., "Barycode-based GJK Algorithm", Algorithms 2 to 5: the signs of the barycentric coordinates of
// the origin, three bits, name the region that it lies in, and with it the smallest set of corners that carries the
// point.
#pragma once

#include <abut/core/cross.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstdint>

namespace abut::planar::detail {

using Eigen::Vector2d;

using abut::detail::cross;

/// The point nearest the origin and the corners that carry it.
struct Nearest {
  Vector2d point = Vector2d::Zero();
  std::array<std::uint8_t, 3> carrier{};  ///< Which of the given corners.
  int size = 0;                           ///< 1: a corner; 2: inside a side; 3: the triangle holds the origin.
};

/// Of a segment (Algorithm 5). The point of a side is computed across it, so that it is right to rounding also where
/// the side passes the origin closely.
/// @param index_a, index_b  What to call the corners.
[[nodiscard]] inline Nearest nearest_on_segment(const Vector2d& a, const Vector2d& b, std::uint8_t index_a,
                                                std::uint8_t index_b) {
  const Vector2d side = b - a;
  const double from_a = -a.dot(side);
  if (!(from_a > 0.0)) return {a, {index_a, 0, 0}, 1};
  if (!(b.dot(side) > 0.0)) return {b, {index_b, 0, 0}, 1};
  const Vector2d across(-side.y(), side.x());
  return {across * (a.dot(across) / side.squaredNorm()), {index_a, index_b, 0}, 2};
}

/// Where the origin lies beyond a corner v alone (Algorithm 4): on v, or on one of its sides where they meet at more
/// than a right angle.
[[nodiscard]] inline Nearest nearest_in_cone(const Vector2d& v, const Vector2d& m, const Vector2d& n,
                                             std::uint8_t index_v, std::uint8_t index_m, std::uint8_t index_n) {
  const Vector2d from_m = v - m;
  const Vector2d from_n = v - n;
  if (from_m.dot(from_n) < 0.0) {
    if (v.dot(from_m) > 0.0) return nearest_on_segment(v, m, index_v, index_m);
    if (v.dot(from_n) > 0.0) return nearest_on_segment(v, n, index_v, index_n);
  }
  return {v, {index_v, 0, 0}, 1};
}

/// The nearer of two answers.
[[nodiscard]] inline const Nearest& nearer_of(const Nearest& p, const Nearest& q) {
  return q.point.squaredNorm() < p.point.squaredNorm() ? q : p;
}

// A triangle flatter than this, as area over the square of its longest side, has signs that are rounding.
inline constexpr double kFlatTriangle = 1e-14;

/// Of a triangle (Algorithm 3).
[[nodiscard]] inline Nearest nearest_on_triangle(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  const double u = cross(b, c);
  const double v = cross(c, a);
  const double w = cross(a, b);
  const double sum = u + v + w;
  const double longest_sq = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  if (!(std::abs(sum) > kFlatTriangle * longest_sq)) {
    return nearer_of(nearer_of(nearest_on_segment(a, b, 0, 1), nearest_on_segment(b, c, 1, 2)),
                     nearest_on_segment(c, a, 2, 0));
  }
  const bool is_positive = sum > 0.0;
  const unsigned code = static_cast<unsigned>((u > 0.0) == is_positive) << 2 |
                        static_cast<unsigned>((v > 0.0) == is_positive) << 1 |
                        static_cast<unsigned>((w > 0.0) == is_positive);
  switch (code) {
    case 1:
      return nearest_in_cone(c, a, b, 2, 0, 1);
    case 2:
      return nearest_in_cone(b, c, a, 1, 2, 0);
    case 3:
      return nearest_on_segment(b, c, 1, 2);
    case 4:
      return nearest_in_cone(a, b, c, 0, 1, 2);
    case 5:
      return nearest_on_segment(a, c, 0, 2);
    case 6:
      return nearest_on_segment(a, b, 0, 1);
    default:
      return {Vector2d::Zero(), {0, 1, 2}, 3};
  }
}

/// The same where a was found last, beyond the side of b and c as seen against the origin: four regions are left.
[[nodiscard]] inline Nearest nearest_with_newest(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  const Vector2d ab = b - a;
  const Vector2d ac = c - a;
  const double sum = cross(ab, ac);
  const double v = cross(c, a);
  const double w = cross(a, b);
  if (!(std::abs(sum) > kFlatTriangle * std::max(ab.squaredNorm(), ac.squaredNorm()))) {
    return nearer_of(nearest_on_segment(a, b, 0, 1), nearest_on_segment(a, c, 0, 2));
  }
  const bool is_positive = sum > 0.0;
  const bool has_b = (v > 0.0) == is_positive;
  const bool has_c = (w > 0.0) == is_positive;
  if (has_b && has_c) return {Vector2d::Zero(), {0, 1, 2}, 3};
  if (has_b) return nearest_on_segment(a, b, 0, 1);
  if (has_c) return nearest_on_segment(a, c, 0, 2);
  return nearest_in_cone(a, b, c, 0, 1, 2);
}

}  // namespace abut::planar::detail

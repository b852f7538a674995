// Checks of the closed forms: every answer must prove itself to rounding. Stricter than separation_checks.h: a closed
// form has no tolerance, and its normal must separate by its distance however near the cores are.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/closed/closed_form.h>
#include <narrowphase/separation_checks.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace abut::samples {

inline Separation closed_answer(const Separation& s) {
  return s;
}
inline Separation closed_answer(const std::optional<Separation>& s) {
  return s.value();
}

/// Pose of b in the frame of a: a random rotation at `center`.
inline Pose turned_at(const Vector3d& center, Random& random) {
  return Pose(center, random.rotation());
}

/// Zero one time in five, else of any order of magnitude.
inline double tiny(Random& random, double smallest_power, double largest_power) {
  return random.chance(0.2) ? 0.0 : std::pow(10.0, random.uniform(smallest_power, largest_power));
}

/// Empty when the answer proves itself within `allowed` metres; otherwise what is wrong. Frame of a throughout.
inline std::string closed_violation(const Shape& shape_a, const Shape& shape_b, const Pose& a_from_b,
                                    const Separation& s, double allowed) {
  static const Pose identity;
  static const std::vector<Vector3d> directions = spread_directions(100);
  const Placed a(shape_a, identity);
  const Placed b(shape_b, a_from_b);
  std::ostringstream wrong;
  wrong.precision(17);
  if (!std::isfinite(s.distance + s.distance_error + s.normal.sum() + s.point_a.sum() + s.point_b.sum())) {
    return "not finite";
  }
  if (s.status != SolveStatus::converged || s.solver != Solver::automatic || s.iterations != 0) wrong << "status; ";
  if (!(s.distance_error >= 0.0 && s.distance_error <= allowed)) wrong << "error bound " << s.distance_error << "; ";
  if (!(std::abs(s.normal.norm() - 1.0) <= 1e-14)) wrong << "normal has length " << s.normal.norm() << "; ";
  const auto differs = [&](const char* what, double value) {
    if (!(std::abs(value - s.distance) <= allowed))
      wrong << what << " = " << value << ", distance = " << s.distance << "; ";
  };
  differs("s(normal)", separation_along(a, b, s.normal));
  differs("(point_b - point_a).normal", (s.point_b - s.point_a).dot(s.normal));
  if (!(std::abs((s.point_b - s.point_a).norm() - std::abs(s.distance)) <= allowed)) {
    wrong << "|point_b - point_a| = " << (s.point_b - s.point_a).norm() << ", distance = " << s.distance << "; ";
  }
  const double outside_a = a.outside(s.point_a, directions);
  const double outside_b = b.outside(s.point_b, directions);
  if (!(outside_a <= allowed)) wrong << "point_a lies outside a by " << outside_a << "; ";
  if (!(outside_b <= allowed)) wrong << "point_b lies outside b by " << outside_b << "; ";
  for (const Vector3d& n : directions) {
    const double better = separation_along(a, b, n);
    if (better > s.distance + allowed) {
      wrong << "s(" << n.transpose() << ") = " << better << " exceeds distance = " << s.distance << "; ";
      break;
    }
  }
  if (wrong.str().empty()) return "";
  wrong << "pose " << a_from_b.translation().transpose() << " / " << a_from_b.quaternion().coeffs().transpose();
  return wrong.str();
}

/// Asks separate_closed and checks it. @param relative  Allowed error as a fraction of the coordinates.
template <class A, class B>
std::string closed_violation(const A& a, double margin_a, const B& b, double margin_b, const Pose& a_from_b,
                             double relative = 3e-14) {
  const Shape shape_a(a, margin_a);
  const Shape shape_b(b, margin_b);
  const double coordinates =
      Placed(shape_a, Pose()).extent() + Placed(shape_b, Pose()).extent() + a_from_b.translation().norm();
  return closed_violation(shape_a, shape_b, a_from_b,
                          closed_answer(detail::separate_closed(a, margin_a, b, margin_b, a_from_b)),
                          relative * coordinates);
}

/// The largest gap along any of `normals` and their opposites, and along directions all around: what the signed
/// distance of overlapping shapes cannot fall below, and must equal where one of `normals` is optimal.
inline double best_gap(const Shape& shape_a, const Shape& shape_b, const Pose& a_from_b,
                       const std::vector<Vector3d>& normals) {
  static const Pose identity;
  static const std::vector<Vector3d> directions = spread_directions(400);
  const Placed a(shape_a, identity);
  const Placed b(shape_b, a_from_b);
  double best = -INFINITY;
  const auto offer = [&](const Vector3d& n) { best = std::max(best, separation_along(a, b, n)); };
  for (const Vector3d& n : directions) offer(n);
  for (const Vector3d& n : normals) {
    if (!(n.norm() > 1e-9)) continue;
    offer(n.normalized());
    offer(-n.normalized());
  }
  return best;
}

}  // namespace abut::samples

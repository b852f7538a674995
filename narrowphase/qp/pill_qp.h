// The quadratic program of two flat cores, and its answer: nearest points with a proof.
// Source: Tracy et al., "DiffPills", eq. 25, 26, 31, 32, 36 and 37.
#pragma once

#include <abut/narrowphase/qp/feature_pair.h>
#include <abut/narrowphase/qp/interior_point.h>
#include <abut/narrowphase/qp/pill_core.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {

/// Nearest points of two cores.
struct CoreAnswer {
  CorePoints points;
  Vector3d normal = Vector3d::UnitX();  ///< Unit, from a towards b.
  double distance = 0.0;                ///< Of the points, metres.
  double lower_bound = 0.0;             ///< Proven by the plane across the normal; below 0 where none separates.
  bool is_touching = false;             ///< The distance is rounding: the cores touch or cross.
  int iterations = 0;
};

/// Points are right to a few of these times the coordinates; nearer cores touch.
inline constexpr double kQpRounding = 1e-15;

/// Size of the numbers that the points of the cores are computed from, metres.
template <class A, class B>
[[nodiscard]] double coordinates_of(const A& a, const B& b) {
  return a.reach() + b.reach() + (b.center - a.center).template lpNorm<1>();
}

/// Separation of the cores along a unit vector, metres: a lower bound of their distance.
template <class A, class B>
[[nodiscard]] double separation_along(const A& a, const B& b, const Vector3d& n) {
  return n.dot(b.center - a.center) - a.height(n) - b.height(-n);
}

/// In units of the size of the larger core and, where they are far apart, of the distance: P, c and the rows are then
/// about 1 from micrometres to kilometres.
template <class A, class B>
void build_pill_qp(const A& a, const B& b, PillQp<A::kVariables, B::kVariables>& qp) {
  const Vector3d offset = a.center - b.center;
  const double largest = std::max(a.reach(), b.reach());
  const double size = largest > 0.0 ? largest : 1.0;
  const double apart = std::max(offset.norm() / size, 1.0);
  Eigen::Matrix<double, 3, A::kVariables + B::kVariables> f;
  f << a.columns() / size, -b.columns() / size;
  qp.p.noalias() = f.transpose() * f / apart;
  qp.c.noalias() = f.transpose() * (offset / (size * apart));
  a.fill(qp.a);
  b.fill(qp.b);
}

/// Whether a point of a feature's flat is in the core.
template <class Core>
[[nodiscard]] bool is_inside(const Core& core, const Feature& feature, const Vector3d& point, double tolerance) {
  if (feature.dimension == 0) return true;
  if (feature.dimension == 1) return outside_edge(feature, point) <= tolerance;
  for (std::size_t i = 0; i < core.row_count(); ++i) {
    if (core.slack(i, point) < -tolerance) return false;
  }
  return true;
}

/// Checks candidates for the nearest points, and keeps the one that proves itself best.
template <class A, class B>
class PillFinish {
 public:
  using Qp = PillQp<A::kVariables, B::kVariables>;

  PillFinish(const A& a, const B& b) : a_(a), b_(b), tolerance_(8.0 * kQpRounding * coordinates_of(a, b)) {}

  /// Candidate of two features. @return Whether it is the solution, to rounding. A candidate that was refused is
  /// refused again without work, unless it depends on held_b.
  bool offer(std::uint64_t active_a, std::uint64_t active_b, const Vector3d& held_b) {
    if (is_refused_ && active_a == active_a_ && active_b == active_b_) return false;
    active_a_ = active_a;
    active_b_ = active_b;
    is_refused_ = true;
    Feature feature_a;
    Feature feature_b;
    if (!a_.feature(active_a, feature_a) || !b_.feature(active_b, feature_b)) return false;
    const CorePoints points = nearest_of_flats(feature_a, feature_b, held_b);
    is_refused_ = points.is_unique;
    if (!is_inside(a_, feature_a, points.point_a, tolerance_)) return false;
    if (!is_inside(b_, feature_b, points.point_b, tolerance_)) return false;
    const double distance = points.gap.norm();
    if (distance <= tolerance_) {
      keep(points, Vector3d::UnitX(), distance, 0.0, true);
      return true;
    }
    // The sign of the duals: no neighbouring point of either core is nearer, by more than rounding turns the normal.
    const Vector3d normal = points.across.normalized();
    const double turned = tolerance_ / distance;
    const bool is_optimal = rise(feature_a, normal) <= turned && rise(feature_b, -normal) <= turned;
    if (!is_optimal && !keeps_all_) return false;
    const double bound = separation_along(a_, b_, normal);
    keep(points, normal, distance, bound, false);
    return is_optimal && distance - bound <= tolerance_;
  }

  /// From now on, candidates that are not optimal are kept as well where no better one is known.
  void keep_all() {
    keeps_all_ = true;
    is_refused_ = false;
  }

  /// Candidate of two points of the cores, however they were found.
  void offer_points(const Vector3d& point_a, const Vector3d& point_b) {
    CorePoints points;
    points.point_a = point_a;
    points.point_b = point_b;
    points.gap = point_b - point_a;
    points.across = points.gap;
    const double distance = points.gap.norm();
    if (distance <= tolerance_) {
      keep(points, Vector3d::UnitX(), distance, 0.0, true);
      return;
    }
    const Vector3d normal = points.gap / distance;
    keep(points, normal, distance, separation_along(a_, b_, normal), false);
  }

  [[nodiscard]] const CoreAnswer& answer() const { return answer_; }
  [[nodiscard]] CoreAnswer& answer() { return answer_; }

 private:
  void keep(const CorePoints& points, const Vector3d& normal, double distance, double bound, bool is_touching) {
    if (!(distance - bound < best_gap_)) return;
    best_gap_ = distance - bound;
    answer_.points = points;
    answer_.normal = normal;
    answer_.distance = distance;
    answer_.lower_bound = bound;
    answer_.is_touching = is_touching;
  }

  const A& a_;
  const B& b_;
  double tolerance_;  // metres
  bool keeps_all_ = false;
  bool is_refused_ = false;  // the last pair of features
  std::uint64_t active_a_ = 0;
  std::uint64_t active_b_ = 0;
  double best_gap_ = std::numeric_limits<double>::infinity();
  CoreAnswer answer_;
};

/// The rows of the i-th feature of a core with so many rows in a ring: none, then each, then each with the next one.
[[nodiscard]] inline std::uint64_t ring_feature(std::size_t i, std::size_t rows) {
  if (i == 0) return 0;
  const std::size_t row = (i - 1) % rows;
  const std::uint64_t one = std::uint64_t{1} << row;
  return i <= rows ? one : one | (std::uint64_t{1} << (row + 1) % rows);
}

/// By the interior point, finished on the features that it finds.
template <class A, class B>
[[nodiscard]] CoreAnswer nearest_by_interior_point(const A& a, const B& b) {
  constexpr int kA = A::kVariables;
  constexpr int kB = B::kVariables;
  constexpr double kTolerance = 1e-24;  // of s · λ, both in units of about 1
  PillQp<kA, kB> qp;
  build_pill_qp(a, b, qp);
  PillFinish<A, B> finish(a, b);
  const auto try_features = [&](const auto& x, std::uint64_t active_a, std::uint64_t active_b) {
    return finish.offer(active_a, active_b, b.point(x.template tail<kB>()));
  };
  const auto found = solve_interior_point(qp, kTolerance, try_features);
  if (!found.is_finished) {
    // Cores that nearly touch and are nearly parallel: what tells the features apart is less than the rounding of the
    // gradient. Each pair of features is tried, and the last point itself.
    const Vector3d held_b = b.point(found.x.template tail<kB>());
    finish.keep_all();
    finish.offer_points(a.point(found.x.template head<kA>()), held_b);
    bool is_found = false;
    for (std::size_t i = 0; i <= 2 * qp.a.count && !is_found; ++i) {
      for (std::size_t j = 0; j <= 2 * qp.b.count && !is_found; ++j) {
        is_found = finish.offer(ring_feature(i, qp.a.count), ring_feature(j, qp.b.count), held_b);
      }
    }
  }
  finish.answer().iterations = found.iterations;
  return finish.answer();
}

}  // namespace abut::detail

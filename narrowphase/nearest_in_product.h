// The nearest points of two convex sets that are each tied to their centre by a spring: the minimum of
//
//     f(x, y) = |x - y - offset|² + weight_a |x|² + weight_b |y|²    over x in A, y in B,
//
// A and B about their own centres. f is strictly convex, so its minimum is one point of the product A × B.
// Source: Wolfe, "Finding the nearest point in a polytope" (Mathematical Programming 11, 1976), which is
// fully-corrective Frank-Wolfe. Departures: the product keeps one simplex a set, of at most four points each, instead
// of seven pairs; and the minimum over their affine hulls is taken in orthonormal coordinates, without the cancellation
// that weak springs bring.
#pragma once

#include <abut/narrowphase/weighted_simplex.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <limits>

namespace abut::detail {

struct AnchoredPair {
  Vector3d offset = Vector3d::Zero();  ///< From the centre of a to that of b, metres.
  double weight_a = 0.0;               ///< Of the spring, >= 0.
  double weight_b = 0.0;
  double reach_a = 0.0;  ///< No point of A is farther from its centre, metres.
  double reach_b = 0.0;
  int max_iterations = 256;
};

/// A point of A × B, with f and its gradient there.
struct ProductPoint {
  Vector3d x, y;
  Vector3d gap;                     ///< y + offset - x.
  Vector3d gradient_a, gradient_b;  ///< Half the gradients of f with respect to x and to y.
  double value;                     ///< f.

  ProductPoint(const AnchoredPair& pair, const Vector3d& in_a, const Vector3d& in_b)
      : x(in_a),
        y(in_b),
        gap((y - x) + pair.offset),
        gradient_a(pair.weight_a * x - gap),
        gradient_b(pair.weight_b * y + gap),
        value(gap.squaredNorm() + pair.weight_a * x.squaredNorm() + pair.weight_b * y.squaredNorm()) {}
};

struct AnchoredPoints {
  Vector3d point_a = Vector3d::Zero();                           ///< x, about the centre of a.
  Vector3d point_b = Vector3d::Zero();                           ///< y, about the centre of b.
  Vector3d gap = Vector3d::Zero();                               ///< y + offset - x.
  double value = std::numeric_limits<double>::infinity();        ///< f there, metres².
  double value_error = std::numeric_limits<double>::infinity();  ///< The minimum is not below value - value_error.
  int iterations = 0;
};

/// Minimises f over the affine hulls of two simplices, from where they are. Exact but for rounding.
/// @param gradient_a, gradient_b  Half the gradients of f with respect to x and to y.
/// @return The step of x, then of y, each in the frame of its simplex.
inline std::array<Vector3d, 2> affine_step(const WeightedSimplex& a, const WeightedSimplex& b, double weight_a,
                                           double weight_b, const Vector3d& gradient_a, const Vector3d& gradient_b) {
  const auto along_hull = [](const WeightedSimplex& simplex) {
    const int n = simplex.dimension();
    return Vector3d(n > 0 ? 1.0 : 0.0, n > 1 ? 1.0 : 0.0, n > 2 ? 1.0 : 0.0);
  };
  const Vector3d along_a = along_hull(a);
  const Vector3d along_b = along_hull(b);
  // With C = Qaᵀ Qb of the directions along the hulls, the step solves
  //   (1 + wa) da - C db = ra,   (1 + wb) db - Cᵀ da = rb.
  // Without da: ((1 + wa)(1 + wb) I - CᵀC) db = (1 + wa) rb + Cᵀ ra. For parallel hulls CᵀC is I, and the springs alone
  // hold the points: I - CᵀC is therefore taken as NᵀN with N = Naᵀ Qb, Na the directions across the hull of a, which
  // has no cancellation. Directions across the hulls stay in, as rows and columns of zeros, with steps of zero.
  const Vector3d ra = -along_a.cwiseProduct(a.frame().transpose() * gradient_a);
  const Vector3d rb = -along_b.cwiseProduct(b.frame().transpose() * gradient_b);
  const Matrix3d cosines_b = (a.frame().transpose() * b.frame()) * along_b.asDiagonal();
  const Matrix3d cosines = along_a.asDiagonal() * cosines_b;
  const Matrix3d across = (Vector3d::Ones() - along_a).asDiagonal() * cosines_b;
  Matrix3d system = across.transpose() * across;
  system.diagonal().array() += weight_a + weight_b + weight_a * weight_b;
  Vector3d step = (1.0 + weight_a) * rb + cosines.transpose() * ra;

  // LDLᵀ; the least pivot keeps steps finite where the springs are lost in rounding.
  constexpr double kLeastPivot = 1e-18;
  for (int j = 0; j < 3; ++j) {
    system(j, j) = std::max(system(j, j), kLeastPivot);
    for (int i = j + 1; i < 3; ++i) {
      const double factor = system(i, j) / system(j, j);
      for (int c = j + 1; c <= i; ++c) system(i, c) -= factor * system(c, j);
      step[i] -= factor * step[j];
    }
  }
  for (int j = 2; j >= 0; --j) {
    step[j] /= system(j, j);
    for (int i = 0; i < j; ++i) step[i] -= system(j, i) * step[j];
  }
  return {Vector3d((ra + cosines * step) / (1.0 + weight_a)), step};
}

/// Wolfe's minor cycle: moves to the minimum over the affine hulls of the two simplices, and where that lies outside
/// them to their boundary, dropping points, until the minimum lies inside. f never grows.
inline ProductPoint descend(const AnchoredPair& pair, WeightedSimplex& a, WeightedSimplex& b, ProductPoint at) {
  constexpr int kMaxCycles = 8;  // each but the last drops a point, of 8
  for (int cycle = 0; cycle < kMaxCycles; ++cycle) {
    const std::array<Vector3d, 2> step = affine_step(a, b, pair.weight_a, pair.weight_b, at.gradient_a, at.gradient_b);
    const std::array<double, 4> changes_a = a.weight_changes(step[0]);
    const std::array<double, 4> changes_b = b.weight_changes(step[1]);
    const double fraction = std::min(a.feasible_fraction(changes_a), b.feasible_fraction(changes_b));
    const bool dropped_a = a.advance(changes_a, fraction);
    const bool dropped_b = b.advance(changes_b, fraction);
    at = ProductPoint(pair, a.combination(), b.combination());
    if (!dropped_a && !dropped_b) break;
  }
  return at;
}

/// For nearest_in_product: there is no shorter way.
struct NoShortcut {
  int operator()(bool /*is_inside_a*/, bool /*is_inside_b*/, Vector3d& /*x*/, Vector3d& /*y*/) const { return 0; }
};

/// Never throws; never NaN for finite input; allocates nothing. value_error says how well it did.
/// @param support_a  A point of A farthest along a direction, about the centre of a: Vector3d(const Vector3d&).
/// @param support_b  Of B, about the centre of b.
/// @param shortcut   May know a faster way to the minimum: like NoShortcut it is told which points lie inside their
/// sets,
///                   moves x and y, and returns the steps it took, 0 for none. What it finds is taken only where it is
///                   better.
template <class SupportA, class SupportB, class Shortcut = NoShortcut>
[[nodiscard]] AnchoredPoints nearest_in_product(const AnchoredPair& pair, const SupportA& support_a,
                                                const SupportB& support_b, const Shortcut& shortcut = {}) {
  constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
  constexpr int kShortcutPeriod = 3;
  constexpr int kPatience = 8;  // iterations in a row that win nothing

  AnchoredPoints best;
  int iterations = 0;
  struct Supports {
    Vector3d s, t;
    double rounding_a, rounding_b;
    bool are_sufficient;
  };
  // One step of Frank-Wolfe: f is convex, so it falls from here by at most twice what its gradient promises.
  const auto certify = [&](const ProductPoint& at) {
    ++iterations;
    const auto rounding_of = [&at, &pair](const Vector3d& gradient, double reach) {
      // In the inside of a set the gradient vanishes but for the rounding of the coordinates, and so does every gain.
      const double norm = gradient.norm();
      const double noise = kRounding * (at.x.norm() + at.y.norm() + pair.offset.norm());
      return norm > noise ? kRounding * reach * norm : 2.0 * reach * norm;
    };
    Supports found{support_a(-at.gradient_a), support_b(-at.gradient_b), rounding_of(at.gradient_a, pair.reach_a),
                   rounding_of(at.gradient_b, pair.reach_b), false};
    const double gain =
        std::max(at.gradient_a.dot(at.x - found.s), 0.0) + std::max(at.gradient_b.dot(at.y - found.t), 0.0);
    const double error = 2.0 * gain;
    if (error < best.value_error) best = {at.x, at.y, at.gap, at.value, error, 0};
    found.are_sufficient = error <= 2.0 * (found.rounding_a + found.rounding_b);
    return found;
  };

  const Vector3d towards_b = pair.offset.squaredNorm() > 0.0 ? pair.offset : Vector3d(Vector3d::UnitX());
  WeightedSimplex a(support_a(towards_b));
  WeightedSimplex b(support_b(-towards_b));
  ProductPoint at(pair, a.combination(), b.combination());
  double least_value = std::numeric_limits<double>::infinity();
  int since_gain = 0;
  for (int k = 1; iterations < pair.max_iterations; ++k) {
    const double error_before = best.value_error;
    const Supports ahead = certify(at);
    if (ahead.are_sufficient) break;
    since_gain = at.value < least_value || best.value_error < error_before ? 0 : since_gain + 1;
    least_value = std::min(least_value, at.value);
    if (since_gain > kPatience) break;

    if (k % kShortcutPeriod == 0) {
      const bool is_inside_a = a.dimension() == 3;
      const bool is_inside_b = b.dimension() == 3;
      Vector3d x = at.x;
      Vector3d y = at.y;
      const int steps = shortcut(is_inside_a, is_inside_b, x, y);
      iterations += steps;
      if (steps > 0 && (!is_inside_a || a.encloses(x)) && (!is_inside_b || b.encloses(y)) &&
          certify(ProductPoint(pair, x, y)).are_sufficient) {
        break;
      }
    }

    // Both sets grow at once, but for one whose gain is slight, perhaps rounding. Where the two are in each other's
    // way, the points ahead go in one by one.
    bool has_grown = false;
    for (int round = 0; round < 4; ++round) {
      const double gain_a = at.gradient_a.dot(at.x - ahead.s);
      const double gain_b = at.gradient_b.dot(at.y - ahead.t);
      const double share = round == 0 ? 0.01 : 1.0;
      const bool grown_a = gain_a > ahead.rounding_a && gain_a >= share * gain_b && a.add(ahead.s);
      const bool grown_b = gain_b > ahead.rounding_b && gain_b >= share * gain_a && b.add(ahead.t);
      if (!grown_a && !grown_b) break;
      has_grown = true;
      at = descend(pair, a, b, at);
    }
    if (!has_grown) break;  // all that is left is rounding
  }
  best.iterations = iterations;
  return best;
}

}  // namespace abut::detail

#include <abut/narrowphase/depth_descent.h>
#include <abut/narrowphase/gjk.h>
#include <abut/narrowphase/nearest_points.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

constexpr int kMaxGradientSteps = 64;
// Radians; a longer first step would leave the basin that the polytope has found.
constexpr double kFirstStep = 0.01;
constexpr double kLongestStep = 0.1;

constexpr int kMaxMoves = 8;
// b is moved out of a by the depth and this fraction of the size of D: enough to give the nearest points a direction
// free of rounding.
constexpr double kClearance = 1e-2;
// Witness points are never asked to be along the normal more finely than this fraction of the size of D.
constexpr double kAligned = 1e-10;
// The finest gap that GJK is asked to close, as a fraction of the size of D.
constexpr double kDescentRounding = 1e-15;
// Where faces of D meet at the minimum, the depth grows in proportion to the rounding of the normal; a step may lose
// that much, as a fraction of the depth, for the sake of right witness points.
constexpr double kKink = 1e-8;

Vector3d tangential(const Vector3d& normal, const Vector3d& point) {
  return point - normal.dot(point) * normal;
}

DepthMinimum gradient_steps(const AnyDifference& difference, const Vector3d& start, double tolerance) {
  DepthMinimum best;
  best.normal = start;
  DifferencePoint best_point = difference.support(start);
  best.depth = start.dot(best_point.difference);
  Vector3d gradient = tangential(best.normal, best_point.difference);
  double gradient_norm = gradient.norm();
  double step = gradient_norm > 0.0 ? kFirstStep / gradient_norm : 0.0;  // radians per metre of gradient
  while (best.iterations < kMaxGradientSteps && step * gradient_norm * gradient_norm > 1e-3 * tolerance) {
    ++best.iterations;
    const double angle = std::min(step * gradient_norm, kLongestStep);
    const Vector3d normal = (best.normal - (angle / gradient_norm) * gradient).normalized();
    const DifferencePoint point = difference.support(normal);
    const double depth = normal.dot(point.difference);
    if (!(depth < best.depth)) {
      step *= 0.25;
      continue;
    }
    const Vector3d next_gradient = tangential(normal, point.difference);
    const Vector3d moved = normal - best.normal;
    const double curvature = moved.dot(next_gradient - gradient);
    step = curvature > 0.0 ? moved.squaredNorm() / curvature : 4.0 * step;
    best.normal = normal;
    best.depth = depth;
    best_point = point;
    gradient = next_gradient;
    gradient_norm = gradient.norm();
  }
  best.on_a = best_point.on_a;
  best.on_b = best_point.on_b();
  return best;
}

// Moves b just clear of a along the normal and takes the nearest points and their direction from there.
bool moved_step(const AnyDifference& difference, DepthMinimum& best) {
  const double size = difference.extent();
  const Vector3d translation = (best.depth + kClearance * size) * best.normal;
  const Pose a_from_moved_b = Pose(translation) * difference.a_from_b();
  const AnyDifference moved(difference.a(), difference.b(), a_from_moved_b);
  GjkOptions options;
  options.tolerance =
      kDescentRounding * size;  // the normal's error is only the root of this, and the depth's grows with it
  const GjkResult found = gjk(moved, -best.normal, options);
  best.iterations += found.iterations;
  if (found.outcome != GjkResult::Outcome::separated) return false;
  const Vector3d normal = -found.simplex.closest().normalized();
  const double depth = normal.dot(difference.support(normal).difference);
  if (!(depth <= best.depth + kKink * size)) return false;
  best.normal = normal;
  best.depth = depth;
  const NearestPoints nearest = nearest_points(found.simplex);
  best.on_a = nearest.point_a;
  best.on_b = nearest.point_b - translation;
  return true;
}

}  // namespace

DepthMinimum descend(const AnyDifference& difference, const Vector3d& start, double tolerance) {
  return settled(difference, gradient_steps(difference, start, tolerance), tolerance);
}

DepthMinimum settled(const AnyDifference& difference, const DepthMinimum& minimum, double tolerance) {
  const double size = difference.extent();
  const double aligned = std::max(kAligned * size, 2.0 * std::sqrt(2.0 * tolerance * size));
  DepthMinimum best = minimum;
  for (int i = 0; i < kMaxMoves; ++i) {
    if ((best.on_a - best.on_b - best.depth * best.normal).norm() <= aligned) break;
    if (!moved_step(difference, best)) break;
  }
  return best;
}

}  // namespace abut::detail

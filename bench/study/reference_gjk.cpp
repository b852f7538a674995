#include "reference_gjk.h"

#include <cmath>
#include <limits>

#include "nearest_point.h"

namespace abut::study {
namespace {

// Below this fraction of D's size x is made of rounding: the papers' code calls that touching.
constexpr double kTouching = 1e-10;

double weight_of(Schedule schedule, int k) {
  switch (schedule) {
    case Schedule::paper:
      return (k + 1.0) / (k + 3.0);
    case Schedule::heavy:
      return (k + 2.0) / (k + 3.0);
    case Schedule::decaying:
      return 1.0 / (k + 1.0);
  }
  return 0.0;
}

Vector3d unit(const Vector3d& v) {
  const double length = v.norm();
  return length > 0.0 ? Vector3d(v / length) : v;
}

/// Eq. 28 or 33; the factor 2 of the gradient is left out, as the papers' code does.
Vector3d next_direction(const ReferenceOptions& options, int k, const Vector3d& d, const Vector3d& x,
                        const Vector3d& last_support) {
  const double delta = weight_of(options.schedule, k);
  const Vector3d y = options.momentum == Momentum::nesterov ? Vector3d(delta * x + (1.0 - delta) * last_support) : x;
  if (options.normalise) return delta * unit(d) + (1.0 - delta) * unit(y);
  return delta * d + (1.0 - delta) * y;
}

Vector3d start_of(const Minkowski& difference, const ReferenceOptions& options) {
  Vector3d guess = options.guess;
  if (options.start == Start::box_centers) guess = difference.box_centers();
  if (options.start == Start::centers) guess = difference.centers();
  if (options.start == Start::x_axis) guess = Vector3d::UnitX();
  return guess.squaredNorm() > 0.0 ? guess : Vector3d(Vector3d::UnitX());
}

bool has_point(const PointSimplex& simplex, const Vector3d& point) {
  for (int i = 0; i < simplex.size; ++i) {
    if (simplex.points[static_cast<std::size_t>(i)] == point) return true;
  }
  return false;
}

}  // namespace

ReferenceResult reference_gjk(Minkowski& difference, const ReferenceOptions& options) {
  ReferenceResult result;
  Vector3d x = start_of(difference, options);
  Vector3d d = x;
  Vector3d s = x;
  PointSimplex simplex;
  bool accelerated = options.momentum != Momentum::none;
  bool was_dropped = false;
  double size = x.norm();
  double last_gap = std::numeric_limits<double>::infinity();
  double bound = 0.0;  // largest distance of a separating plane
  int repeated_supports = 0;
  int k = 0;  // since the last restart
  const auto finish = [&](bool collides, bool converged) {
    result.iterations = difference.supports() - 1;
    result.passes = result.iterations - repeated_supports;
    if (!was_dropped) result.momentum_iterations = options.momentum == Momentum::none ? 0 : result.iterations;
    result.collides = collides;
    result.distance = collides ? 0.0 : x.norm();
    result.converged = converged;
    return result;
  };
  const auto drop = [&] {
    if (!was_dropped) result.momentum_iterations = difference.supports() - 1;
    was_dropped = true;
  };

  for (int step = 0; step < options.max_iterations; ++step, ++k) {
    if (accelerated && bound > options.drop_ratio * x.norm()) {
      drop();
      accelerated = false;
    }
    bool is_plain = !accelerated;
    if (is_plain) {
      d = x;
    } else {
      d = next_direction(options, k, d, x, s);
      if (options.fixed_point == FixedPoint::restart_on_obtuse && !(d.dot(x) > 0.0)) {
        d = x;
        k = 0;
      }
    }
    s = difference.support(d);
    size = std::max(size, s.norm());
    if (options.is_boolean && d.dot(s) > 0.0) return finish(false, true);
    bound = std::max(bound, d.dot(s) / d.norm());
    double gap = 2.0 * x.dot(x - s);
    const bool is_start = simplex.size == 0;  // x₀ is a guess; the duality gap holds for points of D only
    const double cosine = d.dot(s) / (d.norm() * s.norm());
    if (is_start && accelerated && !(options.least_cosine <= cosine && cosine <= options.most_cosine)) {
      drop();
      accelerated = false;
    }
    if (!is_plain && !is_start && (gap <= options.epsilon || has_point(simplex, s))) {
      drop();
      accelerated = options.fixed_point != FixedPoint::switch_back;
      is_plain = true;
      k = -1;
      d = x;
      s = difference.support(d);
      ++repeated_supports;
      if (options.is_boolean && d.dot(s) > 0.0) return finish(false, true);
      gap = 2.0 * x.dot(x - s);
    } else if (!is_plain && options.fixed_point == FixedPoint::restart_on_obtuse && gap > last_gap) {
      drop();
      k = -1;
      d = x;
    }
    last_gap = gap;
    // |x|² - |x*|² <= gap (eq. 17): so near the origin the shapes count as touching, as with epsilon_col of Alg. 2.
    if (is_plain && !is_start && (gap <= options.epsilon || has_point(simplex, s))) {
      return finish(x.squaredNorm() <= options.epsilon, true);
    }

    simplex.add(s);
    const Nearest nearest = nearest_point(simplex);
    if (nearest.encloses_origin || nearest.point.norm() <= kTouching * size) return finish(true, true);
    if (!is_start && !(nearest.point.squaredNorm() < x.squaredNorm())) {  // rounding: no progress is left
      simplex = nearest.face;
      if (is_plain) return finish(x.squaredNorm() <= options.epsilon, true);
      drop();
      accelerated = false;
      continue;
    }
    simplex = nearest.face;
    x = nearest.point;
  }
  return finish(false, false);
}

}  // namespace abut::study

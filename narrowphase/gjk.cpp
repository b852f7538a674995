#include <abut/narrowphase/gjk.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

// Momentum is dropped when a step promises to shorten x by less than this fraction, and after this many steps in any
// case: it finds the right region in few steps, but close in δ tends to 1 and it only lags behind.
constexpr double kMomentumGain = 1e-6;
constexpr int kMomentumSteps = 24;

// Below this fraction of the size of the coordinates the nearest point is made of rounding: its direction is off by
// 1e-16 / kTouching. The penetration solver then answers, whose normals come from faces.
constexpr double kTouching = 1e-10;

// Directions of support with momentum (GJK++, eq. 28 and 33). `x` is the current iterate, `s` the last support point.
class Momentum {
 public:
  Momentum(Solver solver, const Vector3d& x0) : solver_(solver), direction_(x0), last_support_(x0) {}

  Vector3d next(const Vector3d& x, int k) {
    const double delta = (k + 1.0) / (k + 3.0);
    if (solver_ == Solver::polyak) {
      direction_ = delta * direction_ + (1.0 - delta) * x;
    } else if (solver_ == Solver::nesterov_unnormalised) {
      direction_ = delta * direction_ + (1.0 - delta) * (delta * x + (1.0 - delta) * last_support_);
    } else {
      const Vector3d y = delta * x + (1.0 - delta) * last_support_;
      direction_ = delta * direction_.normalized() + (1.0 - delta) * y.normalized();
    }
    return direction_;
  }

  void set_support(const Vector3d& s) { last_support_ = s; }

 private:
  Solver solver_;
  Vector3d direction_;
  Vector3d last_support_;
};

bool has_point(const Simplex& simplex, const Vector3d& difference) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(simplex.size); ++i) {
    if (simplex.points[i].difference == difference) return true;
  }
  return false;
}

}  // namespace

GjkResult gjk(MinkowskiDifference& difference, const Vector3d& guess, const GjkOptions& options) {
  using Outcome = GjkResult::Outcome;
  const Vector3d x0 = guess.squaredNorm() > 0.0 ? guess : Vector3d(Vector3d::UnitX());
  GjkResult result;
  result.simplex = single_point(difference.support(-x0));
  result.lower_bound = -std::numeric_limits<double>::infinity();
  Simplex& simplex = result.simplex;

  // Of the coordinates that points of D are computed from.
  double size_sq = std::max(simplex.closest.squaredNorm(), difference.extent() * difference.extent());
  Momentum momentum(options.solver, x0);
  bool accelerated = options.solver != Solver::gjk;
  const auto finish = [&result](Outcome outcome) -> GjkResult& {
    result.outcome = outcome;
    result.lower_bound = std::max(result.lower_bound, 0.0);
    return result;
  };
  // Where GJK stops short of its tolerance: without a separating plane the penetration solver decides.
  const auto stopped_outcome = [&result] { return result.lower_bound > 0.0 ? Outcome::separated : Outcome::touching; };
  // The plane through s across d has the whole of D on its far side: the origin is at least that far away (eq. 19).
  const auto note_plane = [&result](const Vector3d& d, double d_norm, const Vector3d& s) {
    const double bound = d.dot(s) / d_norm;
    if (bound > result.lower_bound) {
      result.lower_bound = bound;
      result.separating_direction = -d / d_norm;
    }
    return bound;
  };
  note_plane(x0, x0.norm(), simplex.closest);
  if (result.lower_bound > options.max_distance) return finish(Outcome::beyond);

  for (int k = 0; k < options.max_iterations; ++k) {
    const double distance_sq = simplex.closest.squaredNorm();
    if (distance_sq <= kTouching * kTouching * size_sq) return finish(Outcome::touching);
    const double distance = std::sqrt(distance_sq);
    if (distance <= options.near_distance) return finish(Outcome::near);

    if (k == kMomentumSteps) accelerated = false;
    Vector3d direction = accelerated ? momentum.next(simplex.closest, k) : simplex.closest;
    double direction_norm = direction.norm();
    if (!(direction_norm > 0.0)) {
      accelerated = false;
      direction = simplex.closest;
      direction_norm = distance;
    }
    result.iterations = k + 1;
    const DifferencePoint s = difference.support(-direction);
    const double bound = note_plane(direction, direction_norm, s.difference);
    if (result.lower_bound > options.max_distance) return finish(Outcome::beyond);
    // Duality gap (eq. 16). The plane across x itself must close it, not one seen earlier: that certifies the normal
    // too.
    if (!accelerated && distance - bound <= options.tolerance) {
      result.separating_direction = -direction / distance;
      return finish(Outcome::separated);
    }

    // Fixed point: s brings x no nearer (eq. 31, 32). Vanilla has then converged as far as rounding lets it; the
    // accelerated variants go on without momentum.
    const double progress = distance_sq - simplex.closest.dot(s.difference);
    const double least = accelerated ? kMomentumGain * distance_sq : options.tolerance * distance;
    const bool is_fixed_point = progress <= least || has_point(simplex, s.difference);
    if (is_fixed_point && accelerated) {
      accelerated = false;
      continue;
    }
    if (is_fixed_point) return finish(stopped_outcome());
    momentum.set_support(s.difference);

    size_sq = std::max(size_sq, s.difference.squaredNorm());
    const Simplex next = extended(simplex, s);
    const bool encloses_origin = next.size == 4;
    if (encloses_origin && !(result.lower_bound > 0.0)) {
      simplex = next;
      return finish(Outcome::touching);
    }
    // Rounding: no point nearer than the last can be found, or a sliver "encloses" an origin known to be outside.
    if (encloses_origin || !(next.closest.squaredNorm() < distance_sq)) {
      if (!accelerated) return finish(stopped_outcome());
      accelerated = false;
      continue;
    }
    simplex = next;
  }
  result.at_iteration_limit = true;
  return finish(stopped_outcome());
}

}  // namespace abut::detail

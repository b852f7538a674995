// Directions of support with momentum.
// Source: Montaut et al., "GJK++" (T-RO 2024), eq. 27 and 28 (heavy ball, Nesterov), 33 (normalisation).
// Departures, all measured: the papers print the weight (k+1)/(k+3) for every variant; that serves Nesterov without
// normalisation best, while the normalised one gains from a heavier memory and Polyak from a lighter one. And momentum
// is not taken up at all where the first support point shows that the bodies are far apart or deep in each other.
#pragma once

#include <abut/narrowphase/separation.h>

namespace abut::detail {

/// `x` is the current iterate, `s` the last support point.
class Momentum {
 public:
  /// Steps after which momentum is dropped in any case: it finds the right region in few, but close in, where δ tends
  /// to 1, it only lags behind.
  static constexpr int kMaxSteps = 24;
  /// Momentum is dropped when a step promises to shorten x by less than this fraction.
  static constexpr double kLeastGain = 1e-6;

  /// @param x0  The guess. @param s0  Its support point: the first iterate.
  Momentum(Solver solver, const Vector3d& x0, const Vector3d& s0) : solver_(solver), direction_(x0), last_support_(s0) {
    if (solver == Solver::gjk) return;
    // Cosine of the angle between guess and first iterate: near 1 a plane across x separates at once, below 0 the guess
    // points into D.
    const double along = x0.dot(s0);
    const double cosine_sq = along * along / (x0.squaredNorm() * s0.squaredNorm());
    is_useful_ = along > 0.0 ? cosine_sq <= 0.8 * 0.8 : cosine_sq <= 0.5 * 0.5;
  }

  [[nodiscard]] bool is_useful() const { return is_useful_; }

  /// The direction against which step k = 0, 1, … after the first support point seeks its own.
  const Vector3d& next(const Vector3d& x, int k) {
    if (solver_ == Solver::polyak) {
      const double weight = 1.0 / (k + 2.0);
      direction_ = weight * direction_ + (1.0 - weight) * x;
    } else if (solver_ == Solver::nesterov_unnormalised) {
      const double weight = (k + 2.0) / (k + 4.0);
      direction_ = weight * direction_ + (1.0 - weight) * (weight * x + (1.0 - weight) * last_support_);
    } else {
      const double weight = (k + 3.0) / (k + 4.0);
      const Vector3d ahead = weight * x + (1.0 - weight) * last_support_;
      direction_ = weight * direction_.normalized() + (1.0 - weight) * ahead.normalized();
    }
    return direction_;
  }

  void set_support(const Vector3d& s) { last_support_ = s; }

 private:
  Solver solver_;
  Vector3d direction_;
  Vector3d last_support_;
  bool is_useful_ = false;
};

}  // namespace abut::detail

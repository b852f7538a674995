// Primal-dual interior point for the quadratic programs of two flat cores, two to four variables.
// Source: Tracy et al., "DiffPills", section II-B, eq. 7-9, and Algorithm 6; the predictor and corrector are those of
// Mehrotra (1992), the centring by the cube of the predicted progress, as in CVXGEN.
//
// The rows of G touch the variables of one body only, so that GᵀWG is two small blocks. x stays inside all rows, hence
// the residual of Gx + s = h is zero throughout, and each row needs one division an iteration.
#pragma once

#include <abut/narrowphase/qp/pill_core.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Minimise ½ xᵀPx + cᵀx, the rows of a on the first kA variables and the rows of b on the other kB. x = 0 is strictly
/// inside all rows, and they bound every variable.
template <int kA, int kB>
struct PillQp {
  static constexpr int kSize = kA + kB;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  Matrix p;
  Vector c;
  QpRows a;
  QpRows b;
};

/// Iterations it may take; with correct arithmetic none was seen to need 30.
inline constexpr int kMaxInteriorIterations = 60;

/// L D Lᵀ of a symmetric positive definite matrix, without square roots.
template <int kSize>
class SmallCholesky {
 public:
  using Vector = Eigen::Matrix<double, kSize, 1>;
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  /// @return False where rounding left no positive pivot.
  [[nodiscard]] bool factor(const Matrix& m) {
    for (int j = 0; j < kSize; ++j) {
      double pivot = m(j, j);
      for (int k = 0; k < j; ++k) pivot -= lower_[j][k] * scaled_[j][k];
      if (!(pivot > 0.0)) return false;
      inverse_pivot_[j] = 1.0 / pivot;
      for (int i = j + 1; i < kSize; ++i) {
        double value = m(i, j);
        for (int k = 0; k < j; ++k) value -= lower_[i][k] * scaled_[j][k];
        scaled_[i][j] = value;
        lower_[i][j] = value * inverse_pivot_[j];
      }
    }
    return true;
  }
  [[nodiscard]] Vector solve(Vector x) const {
    for (int i = 0; i < kSize; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= lower_[i][k] * x[k];
    }
    for (int i = kSize - 1; i >= 0; --i) {
      x[i] *= inverse_pivot_[i];
      for (int k = i + 1; k < kSize; ++k) x[i] -= lower_[k][i] * x[k];
    }
    return x;
  }

 private:
  double lower_[kSize][kSize];
  double scaled_[kSize][kSize];  // lower times pivot
  double inverse_pivot_[kSize];
};

/// The rows of one body within an iteration.
template <int kVariables>
class RowBlock {
 public:
  using Vector = Eigen::Matrix<double, kVariables, 1>;
  using Matrix = Eigen::Matrix<double, kVariables, kVariables>;

  /// Sums over the rows, from which the iteration takes its steps.
  struct Sums {
    Matrix weights = Matrix::Zero();  ///< CᵀWC
    double complementarity = 0.0;     ///< sᵀλ
  };
  struct AffineSums {
    double largest_move = 1.0;           ///< Largest -Δs/s and -Δλ/λ, at least 1.
    double curvature = 0.0;              ///< Σ Δs Δλ
    Vector centering = Vector::Zero();   ///< Cᵀ(1/s)
    Vector correction = Vector::Zero();  ///< Cᵀ(Δs Δλ / s)
    std::uint64_t active = 0;            ///< Rows whose slack the affine step takes away (Tapia's indicator).
  };

  RowBlock(const QpRows& rows, double initial_product) : rows_(rows) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      slack_[i] = rows.bound[i];
      dual_[i] = initial_product / rows.bound[i];
    }
  }

  [[nodiscard]] double dual(std::size_t i) const { return dual_[i]; }
  [[nodiscard]] double slack(std::size_t i) const { return slack_[i]; }

  [[nodiscard]] Sums begin() {
    Sums sums;
    for (std::size_t i = 0; i < rows_.count; ++i) {
      const double product = slack_[i] * dual_[i];
      inverse_product_[i] = 1.0 / product;
      const double weight = dual_[i] * dual_[i] * inverse_product_[i];
      sums.complementarity += product;
      const double first = weight * rows_.first[i];
      sums.weights(0, 0) += first * rows_.first[i];
      if constexpr (kVariables == 2) {
        sums.weights(1, 0) += first * rows_.second[i];
        sums.weights(1, 1) += weight * rows_.second[i] * rows_.second[i];
      }
    }
    return sums;
  }

  [[nodiscard]] AffineSums predict(const Vector& step) {
    AffineSums sums;
    for (std::size_t i = 0; i < rows_.count; ++i) {
      const double inverse_slack = dual_[i] * inverse_product_[i];
      const double move = along(i, step) * inverse_slack;  // -Δs/s; and Δλ/λ = move - 1
      sums.largest_move = std::max(sums.largest_move, std::max(move, 1.0 - move));
      cross_[i] = move * (1.0 - move);  // Δs Δλ / (s λ)
      sums.curvature += slack_[i] * dual_[i] * cross_[i];
      add(sums.centering, i, inverse_slack);
      add(sums.correction, i, dual_[i] * cross_[i]);
      sums.active |= static_cast<std::uint64_t>(move > 0.5) << i;
    }
    return sums;
  }

  /// Largest -Δs/s and -Δλ/λ of the combined step.
  [[nodiscard]] double correct(const Vector& step, double target, double weight) {
    double largest = 0.0;
    for (std::size_t i = 0; i < rows_.count; ++i) {
      const double move = along(i, step) * (dual_[i] * inverse_product_[i]);
      const double dual_move = 1.0 + weight * cross_[i] - move - target * inverse_product_[i];
      slack_move_[i] = move;
      dual_move_[i] = dual_move;
      largest = std::max(largest, std::max(move, dual_move));
    }
    return largest;
  }

  void advance(double length) {
    for (std::size_t i = 0; i < rows_.count; ++i) {
      slack_[i] -= length * slack_move_[i] * slack_[i];
      dual_[i] -= length * dual_move_[i] * dual_[i];
    }
  }

 private:
  [[nodiscard]] double along(std::size_t i, const Vector& step) const {
    if constexpr (kVariables == 2) {
      return rows_.first[i] * step[0] + rows_.second[i] * step[1];
    } else {
      return rows_.first[i] * step[0];
    }
  }
  void add(Vector& sum, std::size_t i, double factor) const {
    sum[0] += factor * rows_.first[i];
    if constexpr (kVariables == 2) sum[1] += factor * rows_.second[i];
  }

  const QpRows& rows_;
  std::array<double, kMaxSides> slack_;
  std::array<double, kMaxSides> dual_;
  std::array<double, kMaxSides> inverse_product_;
  std::array<double, kMaxSides> cross_;
  std::array<double, kMaxSides> slack_move_;
  std::array<double, kMaxSides> dual_move_;
};

template <int kA, int kB>
struct InteriorPointResult {
  typename PillQp<kA, kB>::Vector x = PillQp<kA, kB>::Vector::Zero();  ///< Strictly inside all rows.
  std::array<double, kMaxSides> dual_a;                                ///< One for each row.
  std::array<double, kMaxSides> dual_b;
  int iterations = 0;
  bool is_finished = false;  ///< By `finish`.

  InteriorPointResult() {}  // NOLINT(modernize-use-equals-default): only as many duals are set as there are rows
};

/// @param finish  Asked in every iteration, with x and the rows of a and of b that seem to hold with equality, as bits,
///                whether it can finish the problem from there by itself.
/// @param tolerance  Stops where s · λ is less than this for the average row, in units of the problem.
template <int kA, int kB, class Finish>
[[nodiscard]] InteriorPointResult<kA, kB> solve_interior_point(const PillQp<kA, kB>& qp, double tolerance,
                                                               Finish&& finish) {
  using Qp = PillQp<kA, kB>;
  using Vector = typename Qp::Vector;
  constexpr double kInitialProduct = 0.1;
  constexpr double kStayInside = 0.995;  // of the way to the nearest bound

  InteriorPointResult<kA, kB> result;
  Vector& x = result.x;
  RowBlock<kA> a(qp.a, kInitialProduct);
  RowBlock<kB> b(qp.b, kInitialProduct);
  const double inverse_count = 1.0 / static_cast<double>(qp.a.count + qp.b.count);
  SmallCholesky<Qp::kSize> cholesky;
  while (result.iterations < kMaxInteriorIterations) {
    const auto sums_a = a.begin();
    const auto sums_b = b.begin();
    typename Qp::Matrix m = qp.p;
    m.template topLeftCorner<kA, kA>() += sums_a.weights;
    m.template bottomRightCorner<kB, kB>() += sums_b.weights;
    if (!cholesky.factor(m)) break;
    ++result.iterations;

    // The affine step (7): with the slacks exact, -(Px + c + Gᵀλ) + Gᵀλ is left of its right-hand side.
    const Vector downhill = -(qp.p * x + qp.c);
    const Vector affine = cholesky.solve(downhill);
    const auto affine_a = a.predict(affine.template head<kA>());
    const auto affine_b = b.predict(affine.template tail<kB>());
    if (finish(x, affine_a.active, affine_b.active)) {
      result.is_finished = true;
      break;
    }

    // sᵀλ after a step of length t is (1 - t) sᵀλ + t² Σ Δs Δλ.
    const double complementarity = sums_a.complementarity + sums_b.complementarity;
    const double affine_length = 1.0 / std::max(affine_a.largest_move, affine_b.largest_move);
    const double curvature = affine_a.curvature + affine_b.curvature;
    const double left =
        std::max(0.0, 1.0 - affine_length + affine_length * affine_length * curvature / complementarity);
    const double mu = complementarity * inverse_count;
    const double target = left * left * left * mu;
    // The correction is that of a whole affine step; where only a part of it can be taken, it would be too much.
    const double weight = affine_length;

    // (7) and (8) together, with the same factors.
    Vector right = downhill;
    right.template head<kA>() -= target * affine_a.centering - weight * affine_a.correction;
    right.template tail<kB>() -= target * affine_b.centering - weight * affine_b.correction;
    const Vector step = cholesky.solve(right);
    const double largest = std::max(a.correct(step.template head<kA>(), target, weight),
                                    b.correct(step.template tail<kB>(), target, weight));
    const double length = std::min(1.0, kStayInside / largest);
    if (!(length > 0.0) || !step.allFinite()) break;
    x += length * step;
    a.advance(length);
    b.advance(length);
    if (mu < tolerance) break;
  }
  for (std::size_t i = 0; i < qp.a.count; ++i) result.dual_a[i] = a.dual(i);
  for (std::size_t i = 0; i < qp.b.count; ++i) result.dual_b[i] = b.dual(i);
  return result;
}

}  // namespace abut::detail

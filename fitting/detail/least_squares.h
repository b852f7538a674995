// Nonlinear least squares by the Levenberg-Marquardt method of MINPACK.
// Source: Moré, "The Levenberg-Marquardt algorithm: implementation and theory" (1978), by cminpack's lmder.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace abut::detail {

/// Computes residuals at `variables`; where `jacobian` is not empty also their derivatives, column by column: residual
/// j by variable i at jacobian[i * residuals.size() + j].
using ResidualFunction =
    std::function<void(std::span<const double> variables, std::span<double> residuals, std::span<double> jacobian)>;

struct LeastSquaresResult {
  std::vector<double> variables;
  double cost = 0.0;  ///< Sum of the squared residuals.
};

/// A local minimum of the sum of squares. Deterministic, never worse than the start.
/// @param residual_count  At least as many as variables.
/// @param tolerance  Relative, of the sum of squares and of a step: ends where neither promises more.
/// @param max_evaluations  Of the residuals; the best variables so far are returned where it is reached.
[[nodiscard]] LeastSquaresResult minimize_squares(const ResidualFunction& function, std::vector<double> start,
                                                  std::size_t residual_count, double tolerance, int max_evaluations);

}  // namespace abut::detail
